/*
 * labtime: condition variables and semaphores.
 *
 * Condition variables of glibc go on waiting after a signal, so a process that has slots gets others instead, whose waits
 * the pacer can end: a number that each signal raises, and a futex on it.
 *
 * A wait may end without a signal, which every caller must expect. The threads of one process are not cancelled in them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "raw.h"
#include "waiting.h"

/* Laid over a pthread_cond_t, of which PTHREAD_COND_INITIALIZER makes zeros. */
struct condition {
	uint32_t raised;
	int32_t clock; /* CLOCK_REALTIME is 0 */
};

_Static_assert(sizeof(struct condition) <= sizeof(pthread_cond_t), "it fits");

/* Wait while a word has a value, until a deadline in lab time; returns 0 or an error number of futex(2). */
int wait_on_word(uint32_t *word, uint32_t expected, int64_t deadline)
{
	int64_t slice = 0;
	struct idle before;
	struct timespec ts;
	long result;
	int error;

	before = idle_until(deadline, deadline == NEVER ? NEVER : deadline - lab_now());
	if (deadline != NEVER && (slice = next_slice(deadline)) <= 0) {
		busy_again(&before);
		return ETIMEDOUT;
	}
	ts = to_timespec(slice);
	if (deadline != NEVER)
		let_kicks_in(1);
	result = REAL(syscall)(SYS_futex, word, FUTEX_WAIT, expected, deadline == NEVER ? NULL : &ts, NULL, 0);
	error = result < 0 ? errno : 0;
	if (deadline != NEVER)
		let_kicks_in(0);
	busy_again(&before);
	return error;
}

void wake_word(uint32_t *word)
{
	raw6(SYS_futex, (long)word, FUTEX_WAKE, INT_MAX, 0, 0, 0);
}

static int wait_until(pthread_cond_t *given, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *abstime)
{
	struct condition *cond = (struct condition *)given;
	uint32_t seen = __atomic_load_n(&cond->raised, __ATOMIC_ACQUIRE);
	int64_t deadline = abstime ? lab_deadline(clock, abstime) : NEVER;
	int error;

	if (abstime && !valid(abstime))
		return EINVAL;
	if ((error = pthread_mutex_unlock(mutex)) != 0)
		return error;
	wait_on_word(&cond->raised, seen, deadline);
	pthread_mutex_lock(mutex);
	if (__atomic_load_n(&cond->raised, __ATOMIC_ACQUIRE) != seen)
		return 0;
	return deadline != NEVER && lab_now() >= deadline ? ETIMEDOUT : 0;
}

static int raise_number(pthread_cond_t *given, int waiters)
{
	struct condition *cond = (struct condition *)given;

	__atomic_fetch_add(&cond->raised, 1, __ATOMIC_ACQ_REL);
	REAL(syscall)(SYS_futex, &cond->raised, FUTEX_WAKE, waiters, NULL, NULL, 0);
	return 0;
}

EXPORT int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr)
{
	clockid_t clock = CLOCK_REALTIME;

	if (!in_slots())
		return REAL(pthread_cond_init)(cond, attr);
	if (attr)
		pthread_condattr_getclock(attr, &clock);
	memset(cond, 0, sizeof *cond);
	((struct condition *)cond)->clock = clock;
	return 0;
}

EXPORT int pthread_cond_destroy(pthread_cond_t *cond)
{
	return in_slots() ? 0 : REAL(pthread_cond_destroy)(cond);
}

EXPORT int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	if (!in_slots())
		return REAL(pthread_cond_wait)(cond, mutex);
	return wait_until(cond, mutex, CLOCK_MONOTONIC, NULL);
}

EXPORT int pthread_cond_signal(pthread_cond_t *cond)
{
	return in_slots() ? raise_number(cond, 1) : REAL(pthread_cond_signal)(cond);
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *cond)
{
	return in_slots() ? raise_number(cond, INT_MAX) : REAL(pthread_cond_broadcast)(cond);
}

/* ---- waits with a deadline; without slots they are glibc's, in slices ---- */

/*
 * A slice that ends early is reported as a spurious wake-up: waiting again in here could miss a signal that was sent in
 * between. Returns the wall time until which to wait.
 */
static struct timespec wall_deadline(clockid_t clock, int64_t deadline, int *is_last)
{
	int64_t slice = next_slice(deadline);

	*is_last = slice < SLICE_NS;
	return to_timespec(real_ns(clock) + slice);
}

/* A deadline does not say its clock, but one counts from boot and the other from 1970: the nearer one is meant. */
static int64_t distance(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *abstime)
{
	int is_last, error;

	if (in_slots())
		return wait_until(cond, mutex, ((struct condition *)cond)->clock, abstime);
	if (!has_page() || !valid(abstime))
		return REAL(pthread_cond_timedwait)(cond, mutex, abstime);
	int64_t moment = to_ns(abstime), now = lab_now();
	clockid_t clock = distance(moment, now + lab_epoch()) < distance(moment, now) ? CLOCK_REALTIME : CLOCK_MONOTONIC;
	struct timespec until = wall_deadline(clock, lab_deadline(clock, abstime), &is_last);
	error = REAL(pthread_cond_timedwait)(cond, mutex, &until);
	return error == ETIMEDOUT && !is_last ? 0 : error;
}

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 30)
EXPORT int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
				  const struct timespec *abstime)
{
	int is_last, error;

	if (in_slots())
		return wait_until(cond, mutex, clock, abstime);
	if (!has_page() || !valid(abstime) || !is_clock_of_lab(clock))
		return REAL(pthread_cond_clockwait)(cond, mutex, clock, abstime);
	struct timespec until = wall_deadline(CLOCK_MONOTONIC, lab_deadline(clock, abstime), &is_last);
	error = REAL(pthread_cond_clockwait)(cond, mutex, CLOCK_MONOTONIC, &until);
	return error == ETIMEDOUT && !is_last ? 0 : error;
}
#endif

/* ---- semaphores ---- */

EXPORT int sem_wait(sem_t *sem)
{
	return IDLE_IN(REAL(sem_wait)(sem));
}

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 30)
#define WAIT_SEMAPHORE(sem, until) REAL(sem_clockwait)(sem, CLOCK_MONOTONIC, until)
#define SEMAPHORE_CLOCK CLOCK_MONOTONIC
#else
#define WAIT_SEMAPHORE(sem, until) REAL(sem_timedwait)(sem, until)
#define SEMAPHORE_CLOCK CLOCK_REALTIME
#endif

static int wait_for_semaphore(sem_t *sem, int64_t deadline)
{
	int64_t began = lab_now();
	struct idle before;
	int result, was_ended;

	do {
		struct timespec until = to_timespec(real_ns(SEMAPHORE_CLOCK) + next_slice(deadline));
		before = idle_until(deadline, deadline - began);
		let_kicks_in(1);
		result = WAIT_SEMAPHORE(sem, &until);
		let_kicks_in(0);
		was_ended = busy_again(&before);
	} while (result < 0 && (errno == ETIMEDOUT || (errno == EINTR && was_ended)) && lab_now() < deadline);
	if (result < 0 && was_ended && errno == EINTR)
		errno = ETIMEDOUT;
	return result;
}

EXPORT int sem_timedwait(sem_t *sem, const struct timespec *abstime)
{
	if (!has_page() || !valid(abstime))
		return REAL(sem_timedwait)(sem, abstime);
	return wait_for_semaphore(sem, lab_deadline(CLOCK_REALTIME, abstime));
}

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 30)
EXPORT int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *abstime)
{
	if (!has_page() || !valid(abstime) || !is_clock_of_lab(clock))
		return REAL(sem_clockwait)(sem, clock, abstime);
	return wait_for_semaphore(sem, lab_deadline(clock, abstime));
}
#endif
