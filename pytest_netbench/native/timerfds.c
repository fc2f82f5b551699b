/*
 * labtime: timers that are descriptors. The kernel's timer is set to a far moment, its mark, and expires when the number
 * of its expirations is written into it (Linux 3.17 and later, as built for checkpoints; else it is set to now).
 *
 * A descriptor may be closed, copied and its number used again without a word to this file. So whether a number is the
 * timer that was set is asked of the kernel, by the mark.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "timers.h"

#define FAR_NS (4000000000LL * NS) /* in 2096 */
#define SET_TICKS _IOW('T', 0, uint64_t)
#define MOST_NUMBERS 65536
#define NUMBERS_TO_TRY 1024

/* Numbers that have been timers: what is worth a look. */
static unsigned char has_been[MOST_NUMBERS / 8];
int have_timer_descriptors;
static int64_t marks;
static int has_ticks = -1; /* whether the kernel can be told a number of expirations */

static int carries(int fd, const struct timer *timer)
{
	struct itimerspec left;
	int64_t mark;

	if (RAW(SYS_timerfd_gettime, fd, &left) != 0)
		return 0;
	mark = to_ns(&left.it_value) + real_ns(timer->clock) - timer->mark_ns;
	return has_ticks == 0 || (mark > -NS / 2 && mark < NS / 2);
}

/* A number of the timer's descriptor, or -1 if it has none any more. */
static int number_of(const struct timer *timer)
{
	if (carries(timer->id, timer))
		return timer->id;
	for (int fd = 0; fd < NUMBERS_TO_TRY; fd++)
		if (carries(fd, timer))
			return fd;
	return -1;
}

static int is_readable(int fd)
{
	struct pollfd one = {.fd = fd, .events = POLLIN};
	struct timespec now = {0, 0};

	return RAW(SYS_ppoll, &one, 1, &now, 0) == 1;
}

/* Whether a process lives: one that has ended may be there until somebody waits for it. */
static int is_alive(int32_t pid)
{
	long fd = RAW(SYS_pidfd_open, pid, 0);
	int is_over;

	if (fd < 0)
		return 0;
	is_over = is_readable((int)fd);
	RAW(SYS_close, fd);
	return !is_over;
}

/* What is set by a process and inherited is fired by that process as long as it lives. */
static int is_anothers(const struct timer *timer)
{
	return timer->setter != RAW(SYS_getpid) && is_alive(timer->setter);
}

void fire_descriptor(struct timer *timer, uint64_t times)
{
	struct itimerspec soon = {.it_value = {0, 1}};
	uint64_t ticks;

	if (is_anothers(timer))
		return;
	timer->id = number_of(timer);
	if (timer->id < 0) {
		timer->kind = FREE;
		return;
	}
	ticks = times + (is_readable(timer->id) ? timer->expired : 0);
	timer->expired = ticks;
	if (has_ticks == 0 || RAW(SYS_ioctl, timer->id, SET_TICKS, &ticks) != 0)
		RAW(SYS_timerfd_settime, timer->id, 0, &soon);
}

int is_timer_descriptor(int fd)
{
	return fd >= 0 && fd < MOST_NUMBERS && has_been[fd / 8] >> fd % 8 & 1;
}

/* Read what has expired. Nothing fires meanwhile, or the count would be wrong. */
ssize_t read_timer(int fd, void *to, size_t size)
{
	struct idle before;
	ssize_t result = 0;
	sigset_t mask;

	begin_timers(&mask);
	if (is_readable(fd))
		result = RAW(SYS_read, fd, to, size);
	end_timers(&mask);
	if (result < 0)
		errno = (int)-result;
	if (result)
		return result < 0 ? -1 : result;
	before = idle_for_ever();
	result = REAL(read)(fd, to, size);
	end_idle(&before);
	return result;
}

EXPORT int timerfd_create(int clock, int flags)
{
	int fd = REAL(timerfd_create)(clock, flags);
	struct timer *timer;
	sigset_t mask;

	if (fd < 0 || !has_page() || !is_clock_of_lab(clock))
		return fd;
	begin_timers(&mask);
	if ((timer = timer_of(DESCRIPTOR, fd)))
		timer->kind = FREE; /* it is closed */
	have_timer_descriptors = 1;
	if ((timer = new_timer(DESCRIPTOR, fd, clock)) && fd < MOST_NUMBERS)
		has_been[fd / 8] |= (unsigned char)(1 << fd % 8);
	end_timers(&mask);
	return fd;
}

/* The clock of a timer that has come by another way than timerfd_create. */
static int clock_of(int fd)
{
	char path[40], text[512], *at;
	ssize_t size;
	int info;

	snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
	info = open(path, O_RDONLY | O_CLOEXEC);
	if (info < 0)
		return -1;
	size = RAW(SYS_read, info, text, sizeof text - 1);
	close(info);
	text[size > 0 ? size : 0] = 0;
	at = strstr(text, "clockid: ");
	return at ? atoi(at + 9) : -1;
}

static struct timer *found(int fd)
{
	struct timer *timer = timer_of(DESCRIPTOR, fd);
	int clock;

	if (timer)
		return timer;
	clock = clock_of(fd);
	return clock >= 0 && is_clock_of_lab(clock) ? new_timer(DESCRIPTOR, fd, clock) : NULL;
}

/* Set the kernel's timer to the next mark, which forgets what has expired. */
static int mark(struct timer *timer, int is_set)
{
	struct itimerspec far = {0};

	timer->mark_ns = FAR_NS + ++marks % 1000000 * NS;
	if (is_set)
		far.it_value = to_timespec(timer->mark_ns);
	return REAL(timerfd_settime)(timer->id, TFD_TIMER_ABSTIME, &far, NULL);
}

static void learn_ticks(int fd)
{
	uint64_t none = 0;

	if (has_ticks < 0) /* none is refused as such by a kernel that knows the call */
		has_ticks = RAW(SYS_ioctl, fd, SET_TICKS, &none) == -EINVAL;
}

static int set(int fd, int flags, const struct itimerspec *new, struct itimerspec *old, int *result)
{
	struct timer *timer = found(fd);
	int64_t value = to_ns(&new->it_value), deadline;

	if (!timer)
		return 0;
	if (old)
		*old = left_of(timer);
	if (!tend_timers()) {
		timer->deadline_ns = NEVER;
		timer->setter = 0; /* it is the kernel's alone */
		return 0;
	}
	*result = mark(timer, value != 0);
	if (*result != 0)
		return 1;
	learn_ticks(fd);
	if (flags & TFD_TIMER_ABSTIME)
		deadline = lab_deadline(timer->clock, &new->it_value);
	else
		deadline = later(lab_now(), value);
	set_timer(timer, value ? deadline : NEVER, to_ns(&new->it_interval));
	return 1;
}

EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *old)
{
	int is_ours, result = 0;
	sigset_t mask;

	if (!has_page() || !are_valid(new) || flags & ~(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET))
		return REAL(timerfd_settime)(fd, flags, new, old);
	begin_timers(&mask);
	is_ours = set(fd, flags, new, old, &result);
	end_timers(&mask);
	return is_ours ? result : REAL(timerfd_settime)(fd, flags, new, old);
}

/* Which timer the kernel's is, by its mark, if the number does not tell. */
static struct timer *marked(int fd)
{
	struct timer *one = timer_of(DESCRIPTOR, fd);

	if (one && (one->deadline_ns == NEVER || carries(fd, one)))
		return one;
	for (one = NULL; (one = next_timer(one));)
		if (one->kind == DESCRIPTOR && carries(fd, one))
			return one;
	return NULL;
}

EXPORT int timerfd_gettime(int fd, struct itimerspec *left)
{
	int result = REAL(timerfd_gettime)(fd, left);
	struct timer *timer;
	sigset_t mask;

	if (result != 0 || !has_page())
		return result;
	begin_timers(&mask);
	if ((timer = marked(fd)) && timer->setter)
		*left = left_of(timer);
	end_timers(&mask);
	return 0;
}
