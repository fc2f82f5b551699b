/*
 * labtime: what the clocks of one process tell. The monotonic and the real-time clock tell one lab time, and differ by
 * what the page says.
 *
 * A clock that stands costs no look at the machine's: so it is while the pacer moves it.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

#include "raw.h"
#include "waiting.h"

/* Looked up here, for a signal handler may be the first to call it. */
void find_clocks(void)
{
	(void)REAL(clock_gettime);
}

int64_t real_ns(clockid_t clock)
{
	struct timespec now;

	REAL(clock_gettime)(clock, &now);
	return to_ns(&now);
}

/*
 * A moment in lab time, the factor that it passes at, and where it will stand still. The wall clock is read inside the guarded section, and the
 * writer reads it inside its own: so no reader mixes one page's base with another page's moment, and lab time never jumps
 * back.
 */
int64_t lab_moment(double *factor, int64_t *most)
{
	for (;;) {
		uint64_t before = __atomic_load_n(&page->sequence, __ATOMIC_ACQUIRE);
		if (before & 1) {
			RAW(SYS_sched_yield);
			continue;
		}
		int64_t now = page->base_lab_ns, passed;
		*factor = page->factor;
		*most = page->most_lab_ns;
		if (*factor > 0) {
			passed = real_ns(CLOCK_MONOTONIC) - page->base_real_ns;
			now += passed > 0 ? (int64_t)((double)passed * *factor) : 0;
		}
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&page->sequence, __ATOMIC_RELAXED) == before)
			return now < *most ? now : *most;
	}
}

int64_t lab_now(void)
{
	double factor;
	int64_t most;

	return lab_moment(&factor, &most);
}

/* All monotonic clocks tell the same lab time: their differences are about suspends and slewing, which no lab has. */
EXPORT int clock_gettime(clockid_t clock, struct timespec *now)
{
	if (!page)
		return REAL(clock_gettime)(clock, now);
	if (is_monotonic(clock))
		*now = to_timespec(lab_now());
	else if (is_realtime(clock))
		*now = to_timespec(lab_now() + page->epoch_ns);
	else
		return REAL(clock_gettime)(clock == CLOCK_OF_WALL ? CLOCK_MONOTONIC : clock, now);
	return 0;
}

EXPORT int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	if (!page)
		return REAL(gettimeofday)(now, zone);
	if (zone)
		REAL(gettimeofday)(now, zone);
	struct timespec precise = to_timespec(lab_now() + page->epoch_ns);
	*now = (struct timeval){.tv_sec = precise.tv_sec, .tv_usec = precise.tv_nsec / 1000};
	return 0;
}

EXPORT time_t time(time_t *kept)
{
	if (!page)
		return REAL(time)(kept);
	time_t now = (lab_now() + page->epoch_ns) / NS;
	if (kept)
		*kept = now;
	return now;
}

EXPORT int timespec_get(struct timespec *now, int base)
{
	if (!page || base != TIME_UTC)
		return REAL(timespec_get)(now, base);
	*now = to_timespec(lab_now() + page->epoch_ns);
	return base;
}
