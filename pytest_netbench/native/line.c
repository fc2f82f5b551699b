/*
 * line: how a program of ours that holds frames on their way takes part in the clock of its lab. It has one thread.
 *
 * NETBENCH_CLOCK names the page and NETBENCH_SLOTS the descriptor of the slots, as for the preloaded library. Without the
 * page the time of what travels is that of the wall. While the pacer moves the clock, the next frame is a deadline for it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "labtime.h"
#include "line.h"

struct moment {
	int64_t lab_ns, line_ns;
	double factor;
};

static const volatile struct page *page;
static struct slots *slots;
static struct slot *own;
static sigset_t waiting;

static int64_t wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS + now.tv_nsec;
}

/* Both times of one moment; see lab_ns in labtime.c. */
static struct moment read_page(void)
{
	for (;;) {
		uint64_t before = __atomic_load_n(&page->sequence, __ATOMIC_ACQUIRE);
		struct moment now = {page->base_lab_ns, page->base_line_ns, page->factor};
		int64_t passed = passing_ns(page, wall_ns() - page->base_real_ns);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (before & 1 || __atomic_load_n(&page->sequence, __ATOMIC_RELAXED) != before)
			continue;
		now.lab_ns += (int64_t)((double)passed * now.factor);
		now.line_ns += passed;
		return now;
	}
}

int64_t line_now(void)
{
	return page ? read_page().line_ns : wall_ns();
}

/* Whether the time of what travels passes by itself, like the wall. */
int passes_like_wall(void)
{
	return !page || page->factor > 0;
}

static void *mapped(int fd, size_t size, int protection)
{
	struct stat st;
	void *at;

	if (fd < 0 || fstat(fd, &st) != 0 || st.st_size < (off_t)size)
		return NULL;
	at = mmap(NULL, size, protection, MAP_SHARED, fd, 0);
	return at == MAP_FAILED ? NULL : at;
}

static void end_wait(int number)
{
	(void)number;
}

static void take_slot(void)
{
	uint32_t place = __atomic_fetch_add(&slots->count, 1, __ATOMIC_ACQ_REL);
	struct sigaction action = {.sa_handler = end_wait};
	sigset_t kick;

	if (place >= MOST_SLOTS) {
		__atomic_store_n(&slots->overflown, 1, __ATOMIC_RELEASE);
		return;
	}
	sigaction(KICK, &action, NULL);
	sigemptyset(&kick);
	sigaddset(&kick, KICK);
	sigprocmask(SIG_BLOCK, &kick, &waiting);
	sigdelset(&waiting, KICK);
	own = &slots->slot[place];
	__atomic_store_n(&own->state, BUSY, __ATOMIC_RELEASE);
	own->pid = getpid();
	__atomic_store_n(&own->tid, getpid(), __ATOMIC_RELEASE);
}

void join_line(void)
{
	const char *path = getenv("NETBENCH_CLOCK"), *number = getenv("NETBENCH_SLOTS");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	page = mapped(fd, sizeof *page, PROT_READ);
	if (fd >= 0)
		close(fd);
	if (!page || !number)
		return;
	slots = mapped(atoi(number), sizeof *slots, PROT_READ | PROT_WRITE);
	close(atoi(number));
	if (slots)
		take_slot();
}

/* Say until when this thread is idle. The pacer may not be late at all: a frame comes when it comes. */
static void say_idle(int64_t deadline)
{
	own->deadline_ns = deadline;
	own->wait_ns = 0;
	__atomic_store_n(&own->begun, own->begun + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&own->state, IDLE, __ATOMIC_RELEASE);
	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* whether the pacer runs is asked afterwards */
}

/* Wait like poll until a moment of this time, or NEVER. It may end before: the clock may pass otherwise by now. */
int wait_on_line(struct pollfd *fds, nfds_t count, int64_t deadline)
{
	struct moment now = page ? read_page() : (struct moment){.line_ns = wall_ns(), .factor = 1};
	int64_t left = deadline == NEVER ? NEVER : deadline > now.line_ns ? deadline - now.line_ns : 0;
	struct timespec slice;
	int ready;

	if (own)
		say_idle(left == NEVER ? NEVER : now.lab_ns + left);
	if (left > 0 && left != NEVER && slots && __atomic_load_n(&slots->paced, __ATOMIC_SEQ_CST))
		left = NS; /* in case the pacer is killed */
	slice = (struct timespec){.tv_sec = left / NS, .tv_nsec = left % NS};
	ready = ppoll(fds, count, left == NEVER ? NULL : &slice, own ? &waiting : NULL);
	if (own)
		__atomic_store_n(&own->state, BUSY, __ATOMIC_RELEASE);
	return ready;
}
