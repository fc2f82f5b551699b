/*
 * labtime: preloaded into the routing daemons of a lab, it makes their clocks run `factor` times as fast as the wall, so
 * that protocol timers of unmodified daemons and unmodified configs pass sooner.
 *
 * Owns: the page and every wait that is measured on the clocks of one process, which clocks.c tells.
 *
 * NETBENCH_CLOCK names a file that the lab's supervisor writes and this library maps read-only (see struct page). The
 * factor may change while daemons run; lab time stays continuous. Without the file all calls pass through. With
 * NETBENCH_ALONE what this program starts does not go by it.
 *
 * Waits hold their deadline in lab time and look at the page again every SLICE_NS, so that one that was begun under a
 * small factor does not sleep through the protocol timers of a larger one. While the pacer (pacer.c) runs it moves the
 * clock and ends the waits whose time has come; threads.c tells it about the threads of this process.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "raw.h"
#include "waiting.h"

const volatile struct page *page;

__attribute__((constructor)) static void map_page(void)
{
	const char *path = getenv("NETBENCH_CLOCK");
	struct stat st;
	int fd, saved = errno;

	if (path && *path && (fd = open(path, O_RDONLY | O_CLOEXEC)) >= 0) {
		if (fstat(fd, &st) == 0 && st.st_size >= (off_t)sizeof(struct page)) {
			void *at = mmap(NULL, sizeof(struct page), PROT_READ, MAP_SHARED, fd, 0);
			if (at != MAP_FAILED)
				page = at;
		}
		close(fd);
	}
	/* looked up here, for a signal handler may be the first to call them */
	find_clocks();
	find_descriptor_calls();
	find_lock_calls();
	if (page) {
		prepare_timers();
		join_slots();
	}
	if (getenv("NETBENCH_ALONE")) {
		unsetenv("NETBENCH_ALONE");
		unsetenv("NETBENCH_CLOCK");
		unsetenv("LD_PRELOAD");
	}
	errno = saved;
}

void *look_up(const char *name, void **kept)
{
	void *found = dlsym(RTLD_NEXT, name);

	__atomic_store_n(kept, found, __ATOMIC_RELAXED);
	return found;
}

int has_page(void)
{
	return page != NULL;
}

/* Lab time since 1970 at 0 of the monotonic clock of the lab. */
int64_t lab_epoch(void)
{
	return page->epoch_ns;
}

/* The moment of a clock as one of the monotonic clock of the lab. */
int64_t lab_deadline(clockid_t clock, const struct timespec *moment)
{
	int64_t ns = to_ns(moment);

	return is_realtime(clock) && ns != NEVER ? ns - page->epoch_ns : ns;
}

/* Wall nanoseconds to sleep next on the way to a deadline in lab time; 0 once it has passed. Rounded up. */
int64_t next_slice(int64_t deadline)
{
	double factor;
	int64_t most, now = lab_moment(&factor, &most);

	if (now >= deadline)
		return 0;
	if (deadline > most) /* the clock will stand still before; a shorter slice would be taken for the last one */
		return SLICE_NS;
	double wall = (double)(deadline - now) / factor;
	return wall >= (double)SLICE_NS ? SLICE_NS : (int64_t)wall + 1;
}

/* ---- waiting for descriptors ---- */

/* A wait in lab time: its end, and what its present slice is called with. `left_ns` is 0 for the last look. */
struct wait {
	int64_t deadline_ns, length_ns, left_ns;
	struct idle before;
	struct timespec slice;
	sigset_t room;
	const struct timespec *timeout;
	const sigset_t *mask;
};

static struct wait wait_for(int64_t ns)
{
	return (struct wait){.length_ns = ns, .deadline_ns = ns == NEVER ? NEVER : later(lab_now(), ns)};
}

/* The pacer ends a slice by a signal that nothing but the slice's mask lets through. */
static void begin_slice(struct wait *wait, const sigset_t *asked)
{
	wait->before = idle_until(wait->deadline_ns, wait->length_ns);
	if (wait->deadline_ns == NEVER) {
		wait->left_ns = NEVER;
		wait->timeout = NULL;
		wait->mask = asked;
		return;
	}
	wait->mask = kickable(&wait->room, asked);
	wait->left_ns = next_slice(wait->deadline_ns);
	if (wait->left_ns > 0 && is_paced())
		wait->left_ns = PACED_SLICE_NS;
	wait->slice = to_timespec(wait->left_ns);
	wait->timeout = &wait->slice;
}

/* Whether a slice that ended with a result is followed by another. Keeps errno. */
static int goes_on(const struct wait *wait, int result)
{
	int error = errno, was_ended = busy_again(&wait->before);

	errno = error;
	if (result < 0)
		return error == EINTR && was_ended;
	return result == 0 && wait->left_ns > 0;
}

static int wait_poll(struct pollfd *fds, nfds_t count, int64_t timeout, const sigset_t *mask)
{
	struct wait wait = wait_for(timeout);
	int ready;

	do {
		begin_slice(&wait, mask);
		ready = REAL(ppoll)(fds, count, wait.timeout, wait.mask);
	} while (goes_on(&wait, ready));
	return ready;
}

EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	if (!page || (timeout && (!valid(timeout) || to_ns(timeout) == 0)))
		return REAL(ppoll)(fds, count, timeout, mask);
	return wait_poll(fds, count, timeout ? to_ns(timeout) : NEVER, mask);
}

EXPORT int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	if (!page || timeout_ms == 0)
		return REAL(poll)(fds, count, timeout_ms);
	return wait_poll(fds, count, timeout_ms < 0 ? NEVER : timeout_ms * 1000000LL, NULL);
}

/* What binaries built with _FORTIFY_SOURCE call. */
EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t size)
{
	if (size / sizeof *fds < count)
		abort();
	return poll(fds, count, timeout_ms);
}

EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask,
		       size_t size)
{
	if (size / sizeof *fds < count)
		abort();
	return ppoll(fds, count, timeout, mask);
}

static int wait_epoll(int fd, struct epoll_event *events, int count, int64_t timeout, const sigset_t *mask)
{
	struct wait wait = wait_for(timeout);
	int ready;

	do {
		begin_slice(&wait, mask);
		int ms = wait.timeout ? (int)((wait.left_ns + 999999) / 1000000) : -1;
		ready = REAL(epoll_pwait)(fd, events, count, ms, wait.mask);
	} while (goes_on(&wait, ready));
	return ready;
}

EXPORT int epoll_pwait(int fd, struct epoll_event *events, int count, int timeout_ms, const sigset_t *mask)
{
	if (!page || timeout_ms == 0)
		return REAL(epoll_pwait)(fd, events, count, timeout_ms, mask);
	return wait_epoll(fd, events, count, timeout_ms < 0 ? NEVER : timeout_ms * 1000000LL, mask);
}

EXPORT int epoll_wait(int fd, struct epoll_event *events, int count, int timeout_ms)
{
	return epoll_pwait(fd, events, count, timeout_ms, NULL);
}

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)
EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int count, const struct timespec *timeout,
			const sigset_t *mask)
{
	if (!page || (timeout && (!valid(timeout) || to_ns(timeout) == 0)))
		return REAL(epoll_pwait2)(fd, events, count, timeout, mask);
	return wait_epoll(fd, events, count, timeout ? to_ns(timeout) : NEVER, mask);
}
#endif

static int wait_select(int count, fd_set *sets[3], int64_t timeout, const sigset_t *mask, int64_t *left)
{
	size_t bytes = ((size_t)count + 8 * sizeof(long) - 1) / (8 * sizeof(long)) * sizeof(long);
	struct wait wait = wait_for(timeout);
	unsigned char wanted[3][bytes ? bytes : 1];
	int ready;

	for (int i = 0; i < 3; i++)
		if (sets[i])
			__builtin_memcpy(wanted[i], sets[i], bytes);
	do {
		/* select overwrites what was asked for */
		for (int i = 0; i < 3; i++)
			if (sets[i])
				__builtin_memcpy(sets[i], wanted[i], bytes);
		begin_slice(&wait, mask);
		ready = REAL(pselect)(count, sets[0], sets[1], sets[2], wait.timeout, wait.mask);
	} while (goes_on(&wait, ready));
	*left = timeout == NEVER ? 0 : wait.deadline_ns - lab_now();
	return ready;
}

EXPORT int pselect(int count, fd_set *reads, fd_set *writes, fd_set *excepts, const struct timespec *timeout,
		   const sigset_t *mask)
{
	fd_set *sets[3] = {reads, writes, excepts};
	int64_t left;

	if (!page || count < 0 || (timeout && (!valid(timeout) || to_ns(timeout) == 0)))
		return REAL(pselect)(count, reads, writes, excepts, timeout, mask);
	return wait_select(count, sets, timeout ? to_ns(timeout) : NEVER, mask, &left);
}

EXPORT int select(int count, fd_set *reads, fd_set *writes, fd_set *excepts, struct timeval *timeout)
{
	fd_set *sets[3] = {reads, writes, excepts};
	int64_t left;

	if (!page || count < 0 ||
	    (timeout && (timeout->tv_sec < 0 || timeout->tv_usec < 0 || (timeout->tv_sec == 0 && timeout->tv_usec == 0))))
		return REAL(select)(count, reads, writes, excepts, timeout);
	if (!timeout)
		return wait_select(count, sets, NEVER, NULL, &left);
	struct timespec wanted = {.tv_sec = timeout->tv_sec + timeout->tv_usec / 1000000,
				  .tv_nsec = timeout->tv_usec % 1000000 * 1000};
	int ready = wait_select(count, sets, to_ns(&wanted), NULL, &left);
	/* Linux leaves the time that was not slept in the timeout, and callers rely on it */
	timeout->tv_sec = left > 0 ? left / NS : 0;
	timeout->tv_usec = left > 0 ? left % NS / 1000 : 0;
	return ready;
}

/* ---- sleeping ---- */

/* Sleep until a deadline in lab time; returns 0 or an error number. A slice without a mask would miss the pacer. */
static int sleep_until(int64_t deadline)
{
	int64_t now = lab_now();

	return deadline > now && wait_poll(NULL, 0, deadline - now, NULL) < 0 ? errno : 0;
}

static int sleep_for(const struct timespec *wanted, struct timespec *left)
{
	int64_t deadline = later(lab_now(), to_ns(wanted));
	int error = sleep_until(deadline);

	if (error == EINTR && left) {
		int64_t rest = deadline - lab_now();
		*left = to_timespec(rest > 0 ? rest : 0);
	}
	return error;
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *left)
{
	int relative = !(flags & TIMER_ABSTIME);

	if (!page || !valid(wanted) || !is_clock_of_lab(clock))
		return REAL(clock_nanosleep)(clock, flags, wanted, left);
	return relative ? sleep_for(wanted, left) : sleep_until(lab_deadline(clock, wanted));
}

EXPORT int nanosleep(const struct timespec *wanted, struct timespec *left)
{
	int error;

	if (!page || !valid(wanted))
		return REAL(nanosleep)(wanted, left);
	error = sleep_for(wanted, left);
	if (!error)
		return 0;
	errno = error;
	return -1;
}

EXPORT int usleep(useconds_t us)
{
	struct timespec wanted = to_timespec((int64_t)us * 1000);

	return nanosleep(&wanted, NULL);
}

EXPORT unsigned int sleep(unsigned int seconds)
{
	struct timespec wanted = {.tv_sec = seconds}, left = {0, 0};

	if (nanosleep(&wanted, &left) == 0)
		return 0;
	return (unsigned int)left.tv_sec + (left.tv_nsec >= NS / 2);
}
