/*
 * labtime: preloaded into the routing daemons of a lab, it makes their monotonic clock run `factor` times as fast as
 * the wall, so that protocol timers of unmodified daemons and unmodified configs pass sooner.
 *
 * Owns: the monotonic clocks of one process and every wait that is measured on them. Must not touch CLOCK_REALTIME.
 *
 * NETBENCH_CLOCK names a file that the lab's supervisor writes and this library maps read-only (see struct page). The
 * factor may change while daemons run; lab time stays continuous. Without the file all calls pass through.
 *
 * Waits hold their deadline in lab time and look at the page again every SLICE_NS, so that one that was begun under a
 * small factor does not sleep through the protocol timers of a larger one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
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

#define NS 1000000000LL
#define SLICE_NS 100000000LL
#define EXPORT __attribute__((visibility("default")))

/* Written by supervisor/labclock.py. The sequence is odd while the rest is being written. */
struct page {
	uint64_t sequence;
	int64_t base_real_ns;
	int64_t base_lab_ns;
	double factor;
};

static const volatile struct page *page;

/* The next definition of a function, looked up once. Two threads that race store the same value. */
#define REAL(name)                                                                                                     \
	({                                                                                                             \
		static __typeof__(&name) real_;                                                                        \
		__typeof__(&name) found_ = __atomic_load_n(&real_, __ATOMIC_RELAXED);                                  \
		if (!found_) {                                                                                         \
			found_ = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                           \
			__atomic_store_n(&real_, found_, __ATOMIC_RELAXED);                                            \
		}                                                                                                      \
		found_;                                                                                                \
	})

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
	/* looked up here, for a signal handler may be the first to ask for the time */
	(void)REAL(clock_gettime);
	errno = saved;
}

static int64_t to_ns(const struct timespec *ts)
{
	if (ts->tv_sec > INT64_MAX / NS - 1)
		return INT64_MAX;
	return (int64_t)ts->tv_sec * NS + ts->tv_nsec;
}

static struct timespec to_timespec(int64_t ns)
{
	return (struct timespec){.tv_sec = ns / NS, .tv_nsec = ns % NS};
}

static int valid(const struct timespec *ts)
{
	return ts->tv_sec >= 0 && ts->tv_nsec >= 0 && ts->tv_nsec < NS;
}

static int64_t later(int64_t from, int64_t by)
{
	return by > INT64_MAX - from ? INT64_MAX : from + by;
}

static int64_t real_ns(clockid_t clock)
{
	struct timespec now;

	REAL(clock_gettime)(clock, &now);
	return to_ns(&now);
}

/*
 * Lab time now, and the factor it passes at. The wall clock is read inside the guarded section, and the writer reads it
 * inside its own: so no reader mixes one page's base with another page's moment, and lab time never jumps back.
 */
static int64_t lab_ns(double *factor)
{
	for (;;) {
		uint64_t before = __atomic_load_n(&page->sequence, __ATOMIC_ACQUIRE);
		if (before & 1) {
			sched_yield();
			continue;
		}
		int64_t passed = real_ns(CLOCK_MONOTONIC) - page->base_real_ns;
		int64_t base = page->base_lab_ns;
		*factor = page->factor;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&page->sequence, __ATOMIC_RELAXED) == before)
			return base + (passed > 0 ? (int64_t)((double)passed * *factor) : 0);
	}
}

static int64_t lab_now(void)
{
	double factor;

	return lab_ns(&factor);
}

/* Wall nanoseconds to sleep next on the way to a deadline in lab time; 0 once it has passed. Rounded up. */
static int64_t next_slice(int64_t deadline)
{
	double factor;
	int64_t now = lab_ns(&factor);

	if (now >= deadline)
		return 0;
	double wall = (double)(deadline - now) / factor;
	return wall >= (double)SLICE_NS ? SLICE_NS : (int64_t)wall + 1;
}

static int is_monotonic(clockid_t clock)
{
	return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE ||
	       clock == CLOCK_BOOTTIME;
}

/* All monotonic clocks tell the same lab time: their differences are about suspends and slewing, which no lab has. */
EXPORT int clock_gettime(clockid_t clock, struct timespec *now)
{
	if (!page || !is_monotonic(clock))
		return REAL(clock_gettime)(clock, now);
	*now = to_timespec(lab_now());
	return 0;
}

/* ---- waiting for descriptors ---- */

static int wait_poll(struct pollfd *fds, nfds_t count, int64_t timeout, const sigset_t *mask)
{
	int64_t deadline = later(lab_now(), timeout), slice;

	while ((slice = next_slice(deadline)) > 0) {
		struct timespec ts = to_timespec(slice);
		int ready = REAL(ppoll)(fds, count, &ts, mask);
		if (ready)
			return ready;
	}
	/* the deadline may have passed between two slices: a last look, so that a ready descriptor is never missed */
	struct timespec none = {0, 0};
	return REAL(ppoll)(fds, count, &none, mask);
}

EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	if (!page || !timeout || !valid(timeout) || to_ns(timeout) == 0)
		return REAL(ppoll)(fds, count, timeout, mask);
	return wait_poll(fds, count, to_ns(timeout), mask);
}

EXPORT int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	if (!page || timeout_ms <= 0)
		return REAL(poll)(fds, count, timeout_ms);
	return wait_poll(fds, count, timeout_ms * 1000000LL, NULL);
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

EXPORT int epoll_pwait(int fd, struct epoll_event *events, int count, int timeout_ms, const sigset_t *mask)
{
	if (!page || timeout_ms <= 0)
		return REAL(epoll_pwait)(fd, events, count, timeout_ms, mask);

	int64_t deadline = later(lab_now(), timeout_ms * 1000000LL), slice;
	while ((slice = next_slice(deadline)) > 0) {
		int ready = REAL(epoll_pwait)(fd, events, count, (int)((slice + 999999) / 1000000), mask);
		if (ready)
			return ready;
	}
	return REAL(epoll_pwait)(fd, events, count, 0, mask);
}

EXPORT int epoll_wait(int fd, struct epoll_event *events, int count, int timeout_ms)
{
	return epoll_pwait(fd, events, count, timeout_ms, NULL);
}

static int wait_select(int count, fd_set *sets[3], int64_t timeout, const sigset_t *mask, int64_t *left)
{
	size_t bytes = ((size_t)count + 8 * sizeof(long) - 1) / (8 * sizeof(long)) * sizeof(long);
	int64_t deadline = later(lab_now(), timeout), slice;
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
		slice = next_slice(deadline);
		struct timespec ts = to_timespec(slice);
		ready = REAL(pselect)(count, sets[0], sets[1], sets[2], &ts, mask);
	} while (!ready && slice > 0);
	*left = deadline - lab_now();
	return ready;
}

EXPORT int pselect(int count, fd_set *reads, fd_set *writes, fd_set *excepts, const struct timespec *timeout,
		   const sigset_t *mask)
{
	fd_set *sets[3] = {reads, writes, excepts};
	int64_t left;

	if (!page || count < 0 || !timeout || !valid(timeout) || to_ns(timeout) == 0)
		return REAL(pselect)(count, reads, writes, excepts, timeout, mask);
	return wait_select(count, sets, to_ns(timeout), mask, &left);
}

EXPORT int select(int count, fd_set *reads, fd_set *writes, fd_set *excepts, struct timeval *timeout)
{
	fd_set *sets[3] = {reads, writes, excepts};
	int64_t left;

	if (!page || count < 0 || !timeout || timeout->tv_sec < 0 || timeout->tv_usec < 0 ||
	    (timeout->tv_sec == 0 && timeout->tv_usec == 0))
		return REAL(select)(count, reads, writes, excepts, timeout);
	struct timespec wanted = {.tv_sec = timeout->tv_sec + timeout->tv_usec / 1000000,
				  .tv_nsec = timeout->tv_usec % 1000000 * 1000};
	int ready = wait_select(count, sets, to_ns(&wanted), NULL, &left);
	/* Linux leaves the time that was not slept in the timeout, and callers rely on it */
	timeout->tv_sec = left > 0 ? left / NS : 0;
	timeout->tv_usec = left > 0 ? left % NS / 1000 : 0;
	return ready;
}

/* ---- sleeping ---- */

/* Sleep until a deadline in lab time; returns 0 or an error number. */
static int sleep_until(int64_t deadline)
{
	int64_t slice;

	while ((slice = next_slice(deadline)) > 0) {
		struct timespec ts = to_timespec(slice);
		int error = REAL(clock_nanosleep)(CLOCK_MONOTONIC, 0, &ts, NULL);
		if (error)
			return error;
	}
	return 0;
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

	if (!page || !valid(wanted) || (!relative && !is_monotonic(clock)))
		return REAL(clock_nanosleep)(clock, flags, wanted, left);
	return relative ? sleep_for(wanted, left) : sleep_until(to_ns(wanted));
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

/* ---- condition variables and futexes ---- */

/*
 * Wait on a condition variable until a deadline in lab time. A slice that ends early is reported as a spurious wake-up,
 * which every caller must expect: waiting again in here could miss a signal that was sent in between.
 */
static int64_t wall_deadline(int64_t deadline, int *is_last)
{
	int64_t slice = next_slice(deadline);

	*is_last = slice < SLICE_NS;
	return real_ns(CLOCK_MONOTONIC) + slice;
}

/* A deadline does not say its clock, but one counts from boot and the other from 1970: the nearer one is meant. */
static int64_t distance(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *abstime)
{
	int is_last;

	if (!page || !valid(abstime) ||
	    distance(to_ns(abstime), real_ns(CLOCK_REALTIME)) < distance(to_ns(abstime), lab_now()))
		return REAL(pthread_cond_timedwait)(cond, mutex, abstime);
	struct timespec until = to_timespec(wall_deadline(to_ns(abstime), &is_last));
	int error = REAL(pthread_cond_timedwait)(cond, mutex, &until);
	return error == ETIMEDOUT && !is_last ? 0 : error;
}

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 30)
EXPORT int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
				  const struct timespec *abstime)
{
	int is_last;

	if (!page || !valid(abstime) || !is_monotonic(clock))
		return REAL(pthread_cond_clockwait)(cond, mutex, clock, abstime);
	struct timespec until = to_timespec(wall_deadline(to_ns(abstime), &is_last));
	int error = REAL(pthread_cond_clockwait)(cond, mutex, CLOCK_MONOTONIC, &until);
	return error == ETIMEDOUT && !is_last ? 0 : error;
}
#endif

/* FRR's seqlocks wait on futexes by hand, with an absolute monotonic deadline. */
static int is_monotonic_futex_wait(long number, long operation, long timeout)
{
	return number == SYS_futex && timeout && !(operation & FUTEX_CLOCK_REALTIME) &&
	       (operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET && valid((const struct timespec *)timeout);
}

EXPORT long syscall(long number, ...)
{
	long a[6];
	va_list list;
	int is_last;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (page && is_monotonic_futex_wait(number, a[1], a[3])) {
		struct timespec until = to_timespec(wall_deadline(to_ns((const struct timespec *)a[3]), &is_last));
		long result = REAL(syscall)(number, a[0], a[1], a[2], &until, a[4], a[5]);
		if (result < 0 && errno == ETIMEDOUT && !is_last)
			return 0;
		return result;
	}
	return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
