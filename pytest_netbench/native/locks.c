/*
 * labtime: locks, and waits for threads. Most have no deadline, and need not be ended by anybody. Those with one are
 * libc's and go on waiting after a signal, so they are done in slices, which are short while the pacer runs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <mqueue.h>
#include <pthread.h>
#include <time.h>

#include "waiting.h"

#define SHORT_NS 1000000LL

/* ---- without a deadline ---- */

static void *next_lock;

void find_lock_calls(void)
{
	look_up("pthread_mutex_lock", &next_lock);
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	void *lock = __builtin_expect(next_lock != NULL, 1) ? next_lock : look_up("pthread_mutex_lock", &next_lock);

	return IDLE_IN(((__typeof__(&pthread_mutex_lock))lock)(mutex));
}

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
	return IDLE_IN(REAL(pthread_rwlock_rdlock)(lock));
}

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
	return IDLE_IN(REAL(pthread_rwlock_wrlock)(lock));
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	return IDLE_IN(REAL(pthread_barrier_wait)(barrier));
}

EXPORT int pthread_join(pthread_t thread, void **result)
{
	return IDLE_IN(REAL(pthread_join)(thread, result));
}

/* ---- until a deadline ---- */

/* Wall nanoseconds to wait next, after the pacer was told of the wait. */
static int64_t short_slice(int64_t deadline)
{
	int64_t slice = next_slice(deadline);

	return slice > SHORT_NS && is_paced() ? SHORT_NS : slice;
}

#define IN_SLICES(deadline, wall_clock, call)                                                                          \
	({                                                                                                             \
		int64_t deadline_ = (deadline), wait_ = deadline_ - lab_now();                                         \
		struct timespec until;                                                                                 \
		struct idle before_;                                                                                   \
		int error_;                                                                                            \
		do {                                                                                                   \
			before_ = idle_until(deadline_, wait_);                                                        \
			until = to_timespec(real_ns(wall_clock) + short_slice(deadline_));                             \
			error_ = (call);                                                                               \
			busy_again(&before_);                                                                          \
		} while (error_ == ETIMEDOUT && lab_now() < deadline_);                                                \
		error_;                                                                                                \
	})

static int is_in_lab_time(clockid_t clock, const struct timespec *abstime)
{
	return has_page() && abstime && valid(abstime) && is_clock_of_lab(clock);
}

/* A call that takes its deadline on the real-time clock. */
#define IN_REAL_TIME(abstime, call)                                                                                    \
	IN_SLICES(lab_deadline(CLOCK_REALTIME, abstime), CLOCK_REALTIME, call)

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *abstime)
{
	if (!is_in_lab_time(CLOCK_REALTIME, abstime))
		return IDLE_IN(REAL(pthread_mutex_timedlock)(mutex, abstime));
	return IN_REAL_TIME(abstime, REAL(pthread_mutex_timedlock)(mutex, &until));
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *abstime)
{
	if (!is_in_lab_time(CLOCK_REALTIME, abstime))
		return IDLE_IN(REAL(pthread_rwlock_timedrdlock)(lock, abstime));
	return IN_REAL_TIME(abstime, REAL(pthread_rwlock_timedrdlock)(lock, &until));
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *abstime)
{
	if (!is_in_lab_time(CLOCK_REALTIME, abstime))
		return IDLE_IN(REAL(pthread_rwlock_timedwrlock)(lock, abstime));
	return IN_REAL_TIME(abstime, REAL(pthread_rwlock_timedwrlock)(lock, &until));
}

EXPORT int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *abstime)
{
	if (!is_in_lab_time(CLOCK_REALTIME, abstime))
		return IDLE_IN(REAL(pthread_timedjoin_np)(thread, result, abstime));
	return IN_REAL_TIME(abstime, REAL(pthread_timedjoin_np)(thread, result, &until));
}

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 30)
EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *abstime)
{
	if (!is_in_lab_time(clock, abstime))
		return IDLE_IN(REAL(pthread_mutex_clocklock)(mutex, clock, abstime));
	return IN_SLICES(lab_deadline(clock, abstime), CLOCK_MONOTONIC,
			 REAL(pthread_mutex_clocklock)(mutex, CLOCK_MONOTONIC, &until));
}

EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *abstime)
{
	if (!is_in_lab_time(clock, abstime))
		return IDLE_IN(REAL(pthread_rwlock_clockrdlock)(lock, clock, abstime));
	return IN_SLICES(lab_deadline(clock, abstime), CLOCK_MONOTONIC,
			 REAL(pthread_rwlock_clockrdlock)(lock, CLOCK_MONOTONIC, &until));
}

EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *abstime)
{
	if (!is_in_lab_time(clock, abstime))
		return IDLE_IN(REAL(pthread_rwlock_clockwrlock)(lock, clock, abstime));
	return IN_SLICES(lab_deadline(clock, abstime), CLOCK_MONOTONIC,
			 REAL(pthread_rwlock_clockwrlock)(lock, CLOCK_MONOTONIC, &until));
}
#endif

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 31)
EXPORT int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct timespec *abstime)
{
	if (!is_in_lab_time(clock, abstime))
		return IDLE_IN(REAL(pthread_clockjoin_np)(thread, result, clock, abstime));
	return IN_SLICES(lab_deadline(clock, abstime), CLOCK_MONOTONIC,
			 REAL(pthread_clockjoin_np)(thread, result, CLOCK_MONOTONIC, &until));
}
#endif

/* ---- message queues ---- */

#define IN_QUEUE(abstime, call)                                                                                        \
	({                                                                                                             \
		ssize_t got_ = -1;                                                                                     \
		int why_ = IN_REAL_TIME(abstime, (got_ = (call)) < 0 ? errno : 0);                                     \
		if (got_ < 0)                                                                                          \
			errno = why_;                                                                                  \
		got_;                                                                                                  \
	})

EXPORT ssize_t mq_timedreceive(mqd_t queue, char *restrict to, size_t size, unsigned *restrict priority,
			       const struct timespec *restrict abstime)
{
	if (!is_in_lab_time(CLOCK_REALTIME, abstime))
		return REAL(mq_timedreceive)(queue, to, size, priority, abstime);
	return IN_QUEUE(abstime, REAL(mq_timedreceive)(queue, to, size, priority, &until));
}

EXPORT int mq_timedsend(mqd_t queue, const char *from, size_t size, unsigned priority, const struct timespec *abstime)
{
	if (!is_in_lab_time(CLOCK_REALTIME, abstime))
		return REAL(mq_timedsend)(queue, from, size, priority, abstime);
	return (int)IN_QUEUE(abstime, (ssize_t)REAL(mq_timedsend)(queue, from, size, priority, &until));
}
