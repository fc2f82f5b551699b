/*
 * pacer: moves the clock of a lab by events. When every thread that goes by the clock sleeps and nothing is on its way
 * to one, it moves the clock to the next deadline and ends the waits whose time has come.
 *
 *   pacer CLOCK PROC SLOTS SECONDS GRAIN [NAMESPACE…]
 *     CLOCK      the clock page
 *     PROC       a proc file system of the threads' pid namespace
 *     SLOTS      descriptor of the slots
 *     SECONDS    lab seconds to pass
 *     GRAIN      seconds by which a deadline may be late, so that waits end together; never more than 5 % of a wait
 *     NAMESPACE  descriptors of the network namespaces whose links and addresses are waited for
 *
 * It ends when the time has passed or at SIGTERM, and prints one line: lab nanoseconds passed, moves of the clock, looks,
 * wall nanoseconds that the clock passed like the wall, and the id of the last process that was awake, or 0.
 *
 * While a thread is awake, lab time passes by the processor time that the lab's processes use, so waiting for a
 * processor costs no lab time. After a second of that, and while something is on its way, it passes like the wall.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pacer.h"

#define LONGEST_AWAKE_NS NS
#define KICK_AGAIN_NS 200000
#define PAUSE_US 10
#define SHARE 20 /* a wait may end later by the twentieth part of it */

/* What the pacer knows of a slot's thread. */
struct thread {
	int32_t pid, tid;
	int stat, has_tcp;
	int64_t kicked_ns, used_ns;
};

enum look { ASLEEP, AWAKE, ON_ITS_WAY };

static struct page *page;
static struct slots *slots;
static struct thread threads[MOST_SLOTS];
static const char *proc;
static int64_t lab_ns, grain_ns, looks, moves, held_ns;
static int culprit;
static uint32_t last_awake;
static volatile sig_atomic_t is_over;

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	return clock_gettime(clock, &now) == 0 ? now.tv_sec * NS + now.tv_nsec : 0;
}

static int64_t wall_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static void set_clock(int64_t lab)
{
	__atomic_fetch_add(&page->sequence, 1, __ATOMIC_SEQ_CST);
	page->base_real_ns = wall_ns();
	page->base_lab_ns = lab_ns = lab;
	page->factor = 0;
	__atomic_fetch_add(&page->sequence, 1, __ATOMIC_SEQ_CST);
}

static uint32_t used_slots(void)
{
	uint32_t count = __atomic_load_n(&slots->count, __ATOMIC_ACQUIRE);

	return count < MOST_SLOTS ? count : MOST_SLOTS;
}

/* ---- looking ---- */

static void forget(struct slot *slot, struct thread *thread)
{
	if (thread->stat >= 0)
		close(thread->stat);
	*thread = (struct thread){.stat = -1};
	slot->pid = 0;
	__atomic_store_n(&slot->tid, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&slot->state, GONE, __ATOMIC_RELEASE);
}

static int opened(const struct slot *slot, struct thread *thread)
{
	char path[96];

	if (thread->stat >= 0 && thread->pid == slot->pid && thread->tid == slot->tid)
		return 1;
	if (thread->stat >= 0)
		close(thread->stat);
	*thread = (struct thread){.pid = slot->pid, .tid = slot->tid};
	snprintf(path, sizeof path, "%s/%d/task/%d/stat", proc, slot->pid, slot->tid);
	thread->stat = open(path, O_RDONLY | O_CLOEXEC);
	return thread->stat >= 0;
}

/* The state of a thread as the kernel tells it, 0 if it has ended, or R if that cannot be told. */
static char kernel_state(const struct slot *slot, struct thread *thread)
{
	char text[128];
	ssize_t size;
	char *end;

	if (!opened(slot, thread) || (size = pread(thread->stat, text, sizeof text - 1, 0)) <= 0)
		return errno == ENOENT || errno == ESRCH ? 0 : 'R';
	text[size] = 0;
	end = strrchr(text, ')');
	return end && end[1] ? end[2] : 0;
}

static int is_stopped(char state)
{
	return state == 'T' || state == 't';
}

/* Whether a slot's thread is awake. One that is stopped is not: it takes up nothing before it is continued. */
static int is_awake(uint32_t index)
{
	struct slot *slot = &slots->slot[index];
	uint32_t said = __atomic_load_n(&slot->state, __ATOMIC_SEQ_CST);
	char state;

	if (said != BUSY && said != IDLE)
		return 0;
	if (!__atomic_load_n(&slot->tid, __ATOMIC_ACQUIRE)) { /* a thread that begins, if its process lives */
		if (!slot->pid || kill(slot->pid, 0) == 0 || errno != ESRCH)
			return 1;
		forget(slot, &threads[index]);
		return 0;
	}
	state = kernel_state(slot, &threads[index]);
	if (state == 0 || state == 'Z' || state == 'X')
		forget(slot, &threads[index]);
	else if (!is_stopped(state) && (said == BUSY || state != 'S'))
		return 1;
	return 0;
}

static int is_awake_still(void)
{
	if (last_awake >= used_slots() || !is_awake(last_awake))
		return 0;
	culprit = slots->slot[last_awake].pid;
	return 1;
}

static int is_any_awake(uint32_t said)
{
	uint32_t count = used_slots();

	for (uint32_t i = 0; i < count; i++)
		if (__atomic_load_n(&slots->slot[i].state, __ATOMIC_SEQ_CST) == said && is_awake(i)) {
			last_awake = i;
			culprit = slots->slot[i].pid;
			return 1;
		}
	return 0;
}

/* Look at all threads once, at those first that say that they work, as this costs least. */
static enum look look_at_threads(void)
{
	return is_awake_still() || is_any_awake(BUSY) || is_any_awake(IDLE) ? AWAKE : ASLEEP;
}

static uint64_t waits_begun(void)
{
	uint32_t count = used_slots();
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += __atomic_load_n(&slots->slot[i].begun, __ATOMIC_ACQUIRE);
	return sum + count;
}

/* ---- one look at everything ---- */

static void find_connections(void)
{
	uint32_t used = used_slots();

	for (uint32_t i = 0; i < used; i++) {
		struct slot *slot = &slots->slot[i];
		if (slot->has_tcp && slot->pid && !threads[i].has_tcp) {
			threads[i].has_tcp = 1;
			watch_connections(slot->pid);
		}
	}
}

/* Two looks: a thread that was seen asleep may have been woken by one that was awake then and sleeps now. */
static enum look look(void)
{
	uint64_t begun = waits_begun();

	looks++;
	if (slots->overflown) /* there are threads of which nobody knows */
		return ON_ITS_WAY;
	if (look_at_threads() != ASLEEP)
		return AWAKE;
	find_connections();
	if (has_on_its_way())
		return ON_ITS_WAY;
	if (look_at_threads() != ASLEEP || waits_begun() != begun)
		return AWAKE;
	return ASLEEP;
}

/* ---- moving ---- */

static void end_waits(int64_t wall)
{
	uint32_t count = used_slots();

	for (uint32_t i = 0; i < count; i++) {
		struct slot *slot = &slots->slot[i];
		if (__atomic_load_n(&slot->state, __ATOMIC_SEQ_CST) != IDLE || slot->deadline_ns > lab_ns)
			continue;
		if (wall - threads[i].kicked_ns < KICK_AGAIN_NS)
			continue;
		threads[i].kicked_ns = wall;
		syscall(SYS_tgkill, slot->pid, slot->tid, KICK);
	}
}

/* The latest moment at which no deadline is late by more than it may be. */
static int64_t next_moment(int64_t end)
{
	uint32_t count = used_slots();
	int64_t moment = end;

	for (uint32_t i = 0; i < count; i++) {
		struct slot *slot = &slots->slot[i];
		int64_t deadline = slot->deadline_ns, slack = slot->wait_ns / SHARE;
		if (__atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) != IDLE || deadline >= end)
			continue;
		if (threads[i].stat >= 0 && is_stopped(kernel_state(slot, &threads[i])))
			continue;
		deadline += slack < grain_ns ? slack : grain_ns;
		moment = deadline < moment ? deadline : moment;
	}
	return moment > lab_ns ? moment : lab_ns;
}

/* The most processor time that a process of the lab has used since the last call. */
static int64_t processor_time(void)
{
	uint32_t count = used_slots();
	int64_t most = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct slot *slot = &slots->slot[i];
		int is_main = slot->pid && slot->pid == slot->tid;
		if (!is_main || __atomic_load_n(&slot->state, __ATOMIC_RELAXED) == GONE)
			continue;
		int64_t used = clock_ns((clockid_t)(~(unsigned)slot->pid << 3 | 2));
		int64_t more = threads[i].used_ns ? used - threads[i].used_ns : 0;
		threads[i].used_ns = used;
		most = more > most ? more : most;
	}
	return most;
}

static void stop(int number)
{
	(void)number;
	is_over = 1;
}

static void run(int64_t end)
{
	int64_t slept = wall_ns(), before = slept;

	processor_time();
	while (lab_ns < end && !is_over) {
		enum look seen = look();
		int64_t wall = wall_ns(), passed = wall - before;
		before = wall;
		if (seen == ASLEEP) {
			slept = wall;
			moves++;
			set_clock(next_moment(end));
			end_waits(wall);
			processor_time();
		} else {
			int64_t used = processor_time();
			int is_held = seen == ON_ITS_WAY || wall - slept > LONGEST_AWAKE_NS;
			int64_t step = is_held || used > passed ? passed : used;
			held_ns += is_held ? passed : 0;
			set_clock(lab_ns + step < end ? lab_ns + step : end);
			end_waits(wall);
			usleep(PAUSE_US);
		}
	}
}

/* From now on each thread looks at the clock by himself again. */
static void let_go(void)
{
	uint32_t count = used_slots();

	__atomic_store_n(&slots->paced, 0, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < count; i++) {
		struct slot *slot = &slots->slot[i];
		if (__atomic_load_n(&slot->state, __ATOMIC_SEQ_CST) != IDLE || slot->deadline_ns == NEVER)
			continue;
		syscall(SYS_tgkill, slot->pid, slot->tid, KICK);
	}
}

static void *mapped(int fd, size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED) {
		perror("pacer");
		exit(2);
	}
	return at;
}

int main(int argc, char **argv)
{
	int64_t began, end;

	if (argc < 6) {
		fprintf(stderr, "usage: pacer CLOCK PROC SLOTS SECONDS GRAIN [NAMESPACE...]\n");
		return 2;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGTERM, stop);
	prctl(PR_SET_TIMERSLACK, 1);
	ask_for_short_slices();
	page = mapped(open(argv[1], O_RDWR | O_CLOEXEC), sizeof *page);
	proc = argv[2];
	slots = mapped(atoi(argv[3]), sizeof *slots);
	grain_ns = (int64_t)(atof(argv[5]) * 1e9);
	open_kernel(proc, argc - 6, argv + 6);
	for (uint32_t i = 0; i < MOST_SLOTS; i++)
		threads[i].stat = -1;
	began = lab_ns = page->base_lab_ns + (int64_t)((double)(wall_ns() - page->base_real_ns) * page->factor);
	end = began + (int64_t)(atof(argv[4]) * 1e9);
	set_clock(began);
	__atomic_store_n(&slots->paced, 1, __ATOMIC_SEQ_CST);
	run(end);
	let_go();
	printf("%lld %lld %lld %lld %d\n", (long long)(lab_ns - began), (long long)moves, (long long)looks,
	       (long long)held_ns, culprit);
	return 0;
}
