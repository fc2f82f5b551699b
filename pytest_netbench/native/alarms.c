/* labtime: the alarm that each process has, of setitimer and alarm. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "timers.h"

#define TRIES 1000

/* The kernel's timer has expired when this returns. */
void fire_alarm(struct timer *timer)
{
	struct itimerval soon = {.it_value = {0, 1}}, left = soon;

	(void)timer;
	RAW(SYS_setitimer, ITIMER_REAL, &soon, 0);
	for (int i = 0; i < TRIES && RAW(SYS_getitimer, ITIMER_REAL, &left) == 0 && left.it_value.tv_usec; i++)
		;
}

static struct itimerval rounded_up(const struct itimerspec *times)
{
	int64_t value = (to_ns(&times->it_value) + 999) / 1000, interval = to_ns(&times->it_interval) / 1000;

	return (struct itimerval){.it_value = {value / 1000000, value % 1000000},
				  .it_interval = {interval / 1000000, interval % 1000000}};
}

static int64_t us_to_ns(const struct timeval *time)
{
	struct timespec ts = {time->tv_sec, time->tv_usec * 1000};

	return to_ns(&ts);
}

static int is_time(const struct timeval *time)
{
	return time->tv_sec >= 0 && time->tv_usec >= 0 && time->tv_usec < 1000000;
}

/* Set the alarm; 0 if it is left to the kernel. */
static int set_alarm(const struct itimerval *new, struct itimerval *old)
{
	struct itimerval none = {0};
	int64_t value = us_to_ns(&new->it_value);
	struct itimerspec left = {0};
	struct timer *timer = NULL;
	sigset_t mask;

	begin_timers(&mask);
	if (tend_timers() && ((timer = timer_of(ALARM, 0)) || (timer = new_timer(ALARM, 0, CLOCK_MONOTONIC)))) {
		left = left_of(timer);
		RAW(SYS_setitimer, ITIMER_REAL, &none, 0);
		set_timer(timer, value ? later(lab_now(), value) : NEVER, us_to_ns(&new->it_interval));
	}
	end_timers(&mask);
	if (timer && old)
		*old = rounded_up(&left);
	return timer != NULL;
}

EXPORT int setitimer(__itimer_which_t which, const struct itimerval *new, struct itimerval *old)
{
	if (which != ITIMER_REAL || !has_page() || !new || !is_time(&new->it_value) || !is_time(&new->it_interval) ||
	    !set_alarm(new, old))
		return REAL(setitimer)(which, new, old);
	return 0;
}

EXPORT int getitimer(__itimer_which_t which, struct itimerval *left)
{
	struct itimerspec found = {0};
	struct timer *timer;
	sigset_t mask;

	if (which != ITIMER_REAL || !has_timers())
		return REAL(getitimer)(which, left);
	begin_timers(&mask);
	if ((timer = timer_of(ALARM, 0)))
		found = left_of(timer);
	end_timers(&mask);
	if (!timer)
		return REAL(getitimer)(which, left);
	*left = rounded_up(&found);
	return 0;
}

EXPORT unsigned int alarm(unsigned int seconds)
{
	struct itimerval new = {.it_value = {.tv_sec = seconds}}, old = {0};

	if (setitimer(ITIMER_REAL, &new, &old) != 0)
		return 0;
	/* rounded as Linux does: 0 is for an alarm that is not set */
	return (unsigned)old.it_value.tv_sec +
	       (old.it_value.tv_usec >= 500000 || (!old.it_value.tv_sec && old.it_value.tv_usec));
}

EXPORT useconds_t ualarm(useconds_t value, useconds_t interval)
{
	struct itimerval new = {.it_value = {value / 1000000, value % 1000000},
				.it_interval = {interval / 1000000, interval % 1000000}};
	struct itimerval old = {0};

	return setitimer(ITIMER_REAL, &new, &old) == 0 ? (useconds_t)(old.it_value.tv_sec * 1000000 + old.it_value.tv_usec)
						       : (useconds_t)-1;
}
