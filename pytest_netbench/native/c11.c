/*
 * labtime: threads of C11. The C library does them by calls of its own, which no library can see; its types are those of
 * POSIX threads under other names, so each call is made by the one of POSIX.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

#include "waiting.h"

#ifdef __GLIBC__
_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "mtx_t is a pthread_mutex_t");
_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "cnd_t is a pthread_cond_t");
_Static_assert(sizeof(thrd_t) == sizeof(pthread_t), "thrd_t is a pthread_t");

static int of_c11(int error)
{
	switch (error) {
	case 0:
		return thrd_success;
	case ENOMEM:
		return thrd_nomem;
	case ETIMEDOUT:
		return thrd_timedout;
	case EBUSY:
		return thrd_busy;
	default:
		return thrd_error;
	}
}

/* ---- threads ---- */

struct start {
	thrd_start_t routine;
	void *argument;
};

static void *begin(void *given)
{
	struct start start = *(struct start *)given;

	free(given);
	return (void *)(intptr_t)start.routine(start.argument);
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
	struct start *start = malloc(sizeof *start);
	int error;

	if (!start)
		return thrd_nomem;
	*start = (struct start){routine, argument};
	error = pthread_create(thread, NULL, begin, start);
	if (error)
		free(start);
	return of_c11(error);
}

EXPORT int thrd_join(thrd_t thread, int *result)
{
	void *ended;
	int error = pthread_join(thread, &ended);

	if (!error && result)
		*result = (int)(intptr_t)ended;
	return of_c11(error);
}

EXPORT int thrd_sleep(const struct timespec *wanted, struct timespec *left)
{
	if (nanosleep(wanted, left) == 0)
		return 0;
	return errno == EINTR ? -1 : -2;
}

/* ---- mutexes ---- */

EXPORT int mtx_lock(mtx_t *mutex)
{
	return of_c11(pthread_mutex_lock((pthread_mutex_t *)mutex));
}

EXPORT int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict moment)
{
	return of_c11(pthread_mutex_timedlock((pthread_mutex_t *)mutex, moment));
}

/* ---- conditions ---- */

EXPORT int cnd_init(cnd_t *cond)
{
	return of_c11(pthread_cond_init((pthread_cond_t *)cond, NULL));
}

EXPORT void cnd_destroy(cnd_t *cond)
{
	pthread_cond_destroy((pthread_cond_t *)cond);
}

EXPORT int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
	return of_c11(pthread_cond_wait((pthread_cond_t *)cond, (pthread_mutex_t *)mutex));
}

EXPORT int cnd_timedwait(cnd_t *restrict cond, mtx_t *restrict mutex, const struct timespec *restrict moment)
{
	return of_c11(pthread_cond_timedwait((pthread_cond_t *)cond, (pthread_mutex_t *)mutex, moment));
}

EXPORT int cnd_signal(cnd_t *cond)
{
	return of_c11(pthread_cond_signal((pthread_cond_t *)cond));
}

EXPORT int cnd_broadcast(cnd_t *cond)
{
	return of_c11(pthread_cond_broadcast((pthread_cond_t *)cond));
}
#endif
