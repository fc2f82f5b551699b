/*
 * labtime: timers of timer_create, which send signals or call functions. Those of clocks that
 * count processor time are left to the kernel and to libc.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "timers.h"

#define TRIES 1000

static struct {
	int is_there;
	uint32_t word; /* grows with each call that is due */
} caller;

/* The kernel's number of a timer, or -1: those of libc with a function are addresses. */
static int id_of(timer_t timer)
{
	intptr_t id = (intptr_t)timer;

	return id >= 0 && id <= INT_MAX ? (int)id : -1;
}

/* ---- firing; the kernel's timer has expired when this returns ---- */

/* Whether a signal waits that was sent to the process. */
static int is_pending(int number)
{
	uint64_t pending = 0;

	RAW(SYS_rt_sigpending, &pending, sizeof pending);
	return number > 0 && pending >> (number - 1) & 1;
}

void fire_signal(struct timer *timer, uint64_t times)
{
	struct itimerspec soon = {.it_value = {0, 1}}, left = soon;

	timer->expired = times + (is_pending(timer->number) ? timer->expired : 0);
	RAW(SYS_timer_settime, timer->id, 0, &soon, 0);
	for (int i = 0; i < TRIES && RAW(SYS_timer_gettime, timer->id, &left) == 0 && to_ns(&left.it_value); i++)
		;
}

void fire_callback(struct timer *timer, uint64_t times)
{
	timer->expired = times;
	timer->calls++;
	__atomic_fetch_add(&caller.word, 1, __ATOMIC_RELEASE);
	wake_word(&caller.word);
}

/* ---- the thread that calls functions of timers, each in a new thread ---- */

struct call {
	void (*function)(union sigval);
	union sigval value;
	size_t stack_size;
};

static void *run_call(void *given)
{
	struct call call = *(struct call *)given;
	sigset_t all;

	free(given);
	sigfillset(&all);
	if (in_slots())
		sigdelset(&all, KICK);
	pthread_sigmask(SIG_UNBLOCK, &all, NULL);
	call.function(call.value);
	return NULL;
}

static void begin_call(const struct call *wanted)
{
	struct call *call = malloc(sizeof *call);
	pthread_attr_t attr;
	pthread_t thread;

	if (!call)
		return;
	*call = *wanted;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (call->stack_size)
		pthread_attr_setstacksize(&attr, call->stack_size);
	if (pthread_create(&thread, &attr, run_call, call) != 0)
		free(call);
	pthread_attr_destroy(&attr);
}

static int next_call(struct call *call)
{
	struct timer *one = NULL;
	sigset_t mask;

	begin_timers(&mask);
	while ((one = next_timer(one)))
		if (one->kind == CALLBACK && one->calls) {
			one->calls--;
			*call = (struct call){one->function, one->value, one->stack_size};
			break;
		}
	end_timers(&mask);
	return one != NULL;
}

static void *make_calls(void *unused)
{
	struct call call;

	(void)unused;
	for (;;) {
		uint32_t seen = __atomic_load_n(&caller.word, __ATOMIC_ACQUIRE);
		while (next_call(&call))
			begin_call(&call);
		wait_on_word(&caller.word, seen, NEVER);
	}
	return NULL;
}

static int has_caller(void)
{
	pthread_t thread;
	sigset_t all, mask;

	if (caller.is_there)
		return 1;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &mask);
	caller.is_there = pthread_create(&thread, NULL, make_calls, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	if (caller.is_there)
		pthread_detach(thread);
	return caller.is_there;
}

void forget_callbacks(void)
{
	caller.is_there = 0;
}

/* ---- timer_create ---- */

static int is_ours(clockid_t clock, const struct sigevent *event)
{
	int calls = event && event->sigev_notify == SIGEV_THREAD;

	return has_page() && is_clock_of_lab(clock) && (!calls || has_caller());
}

static void describe(struct timer *timer, const struct sigevent *event)
{
	if (timer->kind == SIGNAL) {
		timer->number = event ? event->sigev_signo : SIGALRM;
		return;
	}
	timer->function = event->sigev_notify_function;
	timer->value = event->sigev_value;
	if (event->sigev_notify_attributes)
		pthread_attr_getstacksize(event->sigev_notify_attributes, &timer->stack_size);
}

static struct timer *created(clockid_t clock, struct sigevent *event)
{
	int calls = event && event->sigev_notify == SIGEV_THREAD, id;
	struct sigevent none = {.sigev_notify = SIGEV_NONE};
	struct timer *timer;

	if (!tend_timers() || RAW(SYS_timer_create, clock, calls ? &none : event, &id) != 0)
		return NULL;
	timer = new_timer(calls ? CALLBACK : SIGNAL, id, clock);
	if (timer)
		describe(timer, event);
	else
		RAW(SYS_timer_delete, id);
	return timer;
}

EXPORT int timer_create(clockid_t clock, struct sigevent *event, timer_t *made)
{
	struct timer *timer = NULL;
	sigset_t mask;

	if (is_ours(clock, event)) {
		begin_timers(&mask);
		timer = created(clock, event);
		if (timer)
			*made = (timer_t)(intptr_t)timer->id;
		end_timers(&mask);
	}
	return timer ? 0 : REAL(timer_create)(clock, event, made);
}

static struct timer *known(timer_t given)
{
	struct timer *timer = timer_of(SIGNAL, id_of(given));

	return timer ? timer : timer_of(CALLBACK, id_of(given));
}

/* Whether a timer is one of this file; the rest is then done with other timers kept away. */
#define IF_KNOWN(given, timer, otherwise, ...)                                                                         \
	do {                                                                                                           \
		struct timer *timer = NULL;                                                                            \
		sigset_t mask;                                                                                         \
		if (has_timers()) {                                                                                    \
			begin_timers(&mask);                                                                           \
			timer = known(given);                                                                          \
			if (timer) {                                                                                   \
				__VA_ARGS__                                                                            \
			}                                                                                              \
			end_timers(&mask);                                                                             \
		}                                                                                                      \
		if (!timer)                                                                                            \
			return otherwise;                                                                              \
	} while (0)

static int set(struct timer *timer, int flags, const struct itimerspec *new, struct itimerspec *old)
{
	struct itimerspec none = {0};
	int64_t value = to_ns(&new->it_value);
	int64_t deadline;

	if (old)
		*old = left_of(timer);
	RAW(SYS_timer_settime, timer->id, 0, &none, 0);
	deadline = flags & TIMER_ABSTIME ? lab_deadline(timer->clock, &new->it_value) : later(lab_now(), value);
	set_timer(timer, value ? deadline : NEVER, to_ns(&new->it_interval));
	return 0;
}

EXPORT int timer_settime(timer_t given, int flags, const struct itimerspec *new, struct itimerspec *old)
{
	int result = -EINVAL;

	IF_KNOWN(given, timer, REAL(timer_settime)(given, flags, new, old),
		 if (are_valid(new)) result = set(timer, flags, new, old););
	if (result == 0)
		return 0;
	errno = -result;
	return -1;
}

EXPORT int timer_gettime(timer_t given, struct itimerspec *told)
{
	IF_KNOWN(given, timer, REAL(timer_gettime)(given, told), *told = left_of(timer););
	return 0;
}

EXPORT int timer_getoverrun(timer_t given)
{
	int missed = 0;

	IF_KNOWN(given, timer, REAL(timer_getoverrun)(given),
		 missed = timer->expired ? (int)timer->expired - 1 : 0;);
	return missed;
}

EXPORT int timer_delete(timer_t given)
{
	IF_KNOWN(given, timer, REAL(timer_delete)(given), RAW(SYS_timer_delete, timer->id); timer->kind = FREE;);
	return 0;
}
