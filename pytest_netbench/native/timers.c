/*
 * labtime: timers that are measured in lab time. The kernel has them too, but never as due: it is told to let one expire
 * when its lab time has come. So whoever waits for it, by whatever call, waits for something that has no deadline.
 *
 * A thread of its own does that, from the first timer that is set. It is not one of libc's: it can be started in a
 * signal handler, blocks all signals, and does not keep a process alive. So it must leave errno and other variables of
 * threads alone. It keeps the rights that the process has when the first timer is set. The pacer knows it by a slot like
 * all others, with the next deadline.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "timers.h"

#define MOST_TIMERS 1024
#define SHARE 20 /* the pacer may be late by the twentieth part of a wait */
#define SIGNALS (sizeof(uint64_t)) /* the kernel's size of a set of them */

static struct timer timers[MOST_TIMERS];
static uint32_t used, held;
static char stack[16384] __attribute__((aligned(16)));
static void *thread_variables;
static int kick;

/* The thread that tends them, the deadline that it waits for, and the moment until which it may be late. */
static struct {
	int32_t pid, tid;
	int64_t next_ns, until_ns;
	struct slot *slot;
} tender;

/* ---- the lock; a signal handler may set a timer, so all signals wait ---- */

static void acquire(void)
{
	uint32_t free = 0;

	if (__atomic_compare_exchange_n(&held, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	while (__atomic_exchange_n(&held, 2, __ATOMIC_ACQUIRE))
		RAW(SYS_futex, &held, FUTEX_WAIT_PRIVATE, 2);
}

static void release(void)
{
	if (__atomic_exchange_n(&held, 0, __ATOMIC_RELEASE) == 2)
		RAW(SYS_futex, &held, FUTEX_WAKE_PRIVATE, 1);
}

void begin_timers(sigset_t *mask)
{
	uint64_t all = ~0ULL;

	RAW(SYS_rt_sigprocmask, SIG_BLOCK, &all, mask, SIGNALS);
	acquire();
}

void end_timers(const sigset_t *mask)
{
	release();
	RAW(SYS_rt_sigprocmask, SIG_SETMASK, mask, 0, SIGNALS);
}

/* ---- the table ---- */

int has_timers(void)
{
	return used > 0;
}

struct timer *next_timer(struct timer *last)
{
	struct timer *one = last ? last + 1 : timers;

	for (; one < timers + used; one++)
		if (one->kind != FREE)
			return one;
	return NULL;
}

struct timer *timer_of(enum kind kind, int id)
{
	struct timer *one = NULL;

	while ((one = next_timer(one)))
		if (one->kind == kind && one->id == id)
			return one;
	return NULL;
}

/* A timer that is not set yet, or NULL: the pacer must then go by the wall, as it does not know of all timers. */
struct timer *new_timer(enum kind kind, int id, clockid_t clock)
{
	uint32_t i = 0;

	while (i < used && timers[i].kind != FREE)
		i++;
	if (i == MOST_TIMERS) {
		miss_slots();
		return NULL;
	}
	timers[i] = (struct timer){.kind = kind, .id = id, .clock = clock, .deadline_ns = NEVER};
	if (i == used)
		used++;
	return &timers[i];
}

struct itimerspec left_of(const struct timer *timer)
{
	int64_t left = timer->deadline_ns == NEVER ? 0 : timer->deadline_ns - lab_now();

	if (timer->deadline_ns != NEVER && left <= 0)
		left = 1; /* it is about to expire */
	return (struct itimerspec){.it_value = to_timespec(left), .it_interval = to_timespec(timer->interval_ns)};
}

int are_valid(const struct itimerspec *times)
{
	return times && valid(&times->it_value) && valid(&times->it_interval);
}

/* ---- firing ---- */

static void fire(struct timer *timer, int64_t now)
{
	uint64_t times = 1;

	if (timer->interval_ns > 0) {
		times += (uint64_t)(now - timer->deadline_ns) / (uint64_t)timer->interval_ns;
		timer->deadline_ns += (int64_t)times * timer->interval_ns;
		timer->wait_ns = timer->interval_ns;
	} else {
		timer->deadline_ns = NEVER;
	}
	if (timer->kind == DESCRIPTOR)
		fire_descriptor(timer, times);
	else if (timer->kind == SIGNAL)
		fire_signal(timer, times);
	else if (timer->kind == CALLBACK)
		fire_callback(timer, times);
	else
		fire_alarm(timer);
}

/* Fire what is due. Returns the next deadline, and a wait such that none is late by more than its own share. */
static int64_t fire_all(int64_t *wait)
{
	int64_t now = lab_now(), next = NEVER, latest = NEVER;

	for (struct timer *one = NULL; (one = next_timer(one));) {
		if (one->deadline_ns <= now)
			fire(one, now);
		if (one->kind == FREE || one->deadline_ns == NEVER)
			continue;
		next = one->deadline_ns < next ? one->deadline_ns : next;
		int64_t last = later(one->deadline_ns, one->wait_ns / SHARE);
		latest = last < latest ? last : latest;
	}
	*wait = next == NEVER ? NEVER : (latest - next) * SHARE;
	tender.next_ns = next;
	tender.until_ns = latest;
	return next;
}

/* ---- the thread ---- */

/* The pacer's signal is taken here by hand, so none is lost that comes before the wait. */
static void await(int64_t deadline, int64_t wait)
{
	struct timespec slice;
	uint64_t kicks = 1ULL << (kick - 1);
	int64_t left = deadline == NEVER ? NEVER : next_slice(deadline);

	say_idle(tender.slot, deadline, wait);
	if (left > 0 && left != NEVER && tender.slot && is_pacing())
		left = PACED_SLICE_NS;
	slice = to_timespec(left);
	RAW(SYS_rt_sigtimedwait, &kicks, 0, left == NEVER ? NULL : &slice, SIGNALS);
	say_busy(tender.slot);
}

static int tend(void *unused)
{
	(void)unused;
	RAW(SYS_prctl, PR_SET_NAME, "lab timers");
	for (;;) {
		int64_t deadline, wait;
		acquire();
		deadline = fire_all(&wait);
		release();
		await(deadline, wait);
	}
	return 0;
}

/* Start the thread if need be; whether there is one. A child of vfork has none: its memory is another process's. */
int tend_timers(void)
{
	int32_t pid = (int32_t)RAW(SYS_getpid);
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS;

	if (tender.tid)
		return tender.pid == pid;
	if (!HAS_RAW || !has_page())
		return 0;
	tender.slot = in_slots() ? take_slot() : NULL;
	tender.next_ns = tender.until_ns = NEVER;
	tender.pid = pid;
	tender.tid = clone(tend, stack + sizeof stack, flags, NULL, NULL, thread_variables, NULL);
	if (tender.tid < 0) {
		tender.tid = 0;
		if (tender.slot)
			leave_slot(tender.slot);
		miss_slots();
		return 0;
	}
	if (tender.slot)
		__atomic_store_n(&tender.slot->tid, tender.tid, __ATOMIC_RELEASE);
	return 1;
}

/* Set a timer to a deadline in lab time, or NEVER. One that is due fires at once. Needs tend_timers. */
void set_timer(struct timer *timer, int64_t deadline, int64_t interval)
{
	int64_t now = lab_now();

	timer->setter = tender.pid;
	timer->deadline_ns = deadline;
	timer->interval_ns = interval;
	timer->wait_ns = deadline > now ? deadline - now : 0;
	timer->expired = 0;
	timer->calls = 0;
	if (deadline <= now)
		fire(timer, now);
	if (timer->deadline_ns < tender.next_ns || later(timer->deadline_ns, timer->wait_ns / SHARE) < tender.until_ns)
		RAW(SYS_tgkill, tender.pid, tender.tid, kick);
}

/* ---- fork: the child has no alarms, but the descriptors ---- */

static sigset_t at_fork;

static void before_fork(void)
{
	sigset_t mask;

	begin_timers(&mask);
	at_fork = mask;
}

static void after_fork(void)
{
	sigset_t mask = at_fork;

	end_timers(&mask);
}

static void in_child(void)
{
	sigset_t mask = at_fork;
	int is_set = 0;

	held = 0;
	memset(&tender, 0, sizeof tender);
	forget_callbacks();
	for (struct timer *one = NULL; (one = next_timer(one));) {
		if (one->kind == DESCRIPTOR)
			is_set |= one->deadline_ns != NEVER;
		else
			one->kind = FREE;
	}
	if (is_set)
		tend_timers();
	RAW(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, SIGNALS);
}

void prepare_timers(void)
{
	thread_variables = thread_pointer();
	kick = KICK; /* a call of libc */
	pthread_atfork(before_fork, after_fork, in_child);
}
