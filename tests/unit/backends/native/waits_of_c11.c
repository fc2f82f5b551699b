#include "ways.h"

#include <threads.h>

static mtx_t mtx;
static cnd_t cnd;
static sem_t begun;

/* Work that no call interrupts, so that the thread is awake for a while before it says so. */
static void compute(void)
{
	double end = wall_clock() + 0.2;
	while (wall_clock() < end)
		;
}

static thrd_t started(thrd_start_t routine, double *seconds)
{
	thrd_t thread;
	sem_init(&begun, 0, 0);
	mtx_init(&mtx, mtx_timed);
	cnd_init(&cnd);
	if (thrd_create(&thread, routine, seconds) != thrd_success) abort();
	return thread;
}

static struct timespec in_utc(double s)
{
	struct timespec until;
	timespec_get(&until, TIME_UTC);
	until.tv_sec += (time_t)s;
	until.tv_nsec += (long)((s - (time_t)s) * 1e9);
	return until.tv_nsec < 1000000000 ? until : (struct timespec){until.tv_sec + 1, until.tv_nsec - 1000000000};
}

static int sleeps(double s)
{
	struct timespec left = span(s);
	while (thrd_sleep(&left, &left))
		;
	return 0;
}

/* The first thread waits for this one, and knows no deadline before. */
static int compute_first(void *given)
{
	(void)given;
	compute();
	sem_post(&begun);
	return 0;
}

static int begins(double s)
{
	started(compute_first, &s);
	sem_wait(&begun);
	nap(s);
	return 0;
}

static int hold(void *given)
{
	double s = *(double *)given;
	mtx_lock(&mtx);
	sem_post(&begun);
	nap(s);
	mtx_unlock(&mtx);
	return 7;
}

static int mutex(double s)
{
	started(hold, &s);
	sem_wait(&begun);
	return mtx_lock(&mtx) != thrd_success;
}

static int mutex_timed(double s)
{
	double longer = s * 100;
	started(hold, &longer);
	sem_wait(&begun);
	struct timespec until = in_utc(s);
	return mtx_timedlock(&mtx, &until) != thrd_timedout;
}

static int join(double s)
{
	int result;
	return thrd_join(started(hold, &s), &result) != thrd_success || result != 7;
}

static int tell(void *given)
{
	nap(*(double *)given);
	mtx_lock(&mtx);
	cnd_signal(&cnd);
	mtx_unlock(&mtx);
	return 0;
}

static int condition(double s)
{
	started(tell, &s);
	double began = at(CLOCK_MONOTONIC);
	mtx_lock(&mtx);
	while (at(CLOCK_MONOTONIC) - began < s)
		cnd_wait(&cnd, &mtx);
	return 0;
}

static int condition_timed(double s)
{
	struct timespec until = in_utc(s);
	int result;
	mtx_init(&mtx, mtx_plain);
	cnd_init(&cnd);
	mtx_lock(&mtx);
	while ((result = cnd_timedwait(&cnd, &mtx, &until)) == thrd_success)
		;
	return result != thrd_timedout;
}

const struct way ways[] = {
	{"sleep", sleeps},
	{"thread that begins", begins},
	{"mutex", mutex},
	{"mutex until a moment", mutex_timed},
	{"join", join},
	{"condition", condition},
	{"condition until a moment", condition_timed},
	{0},
};
