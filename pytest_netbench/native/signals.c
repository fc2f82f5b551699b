/* labtime: waits for signals, and the end of a wait by a jump out of a signal handler. */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include "waiting.h"

EXPORT int pause(void)
{
	return IDLE_IN(REAL(pause)());
}

EXPORT int sigsuspend(const sigset_t *mask)
{
	sigset_t room;

	if (!mine)
		return REAL(sigsuspend)(mask);
	room = *mask;
	sigaddset(&room, KICK);
	return IDLE_IN(REAL(sigsuspend)(&room));
}

/* Who waits for all signals does not wait for the pacer's, of which one may be left over. */
static sigset_t without_kick(const sigset_t *set)
{
	sigset_t rest = *set;

	if (mine)
		sigdelset(&rest, KICK);
	return rest;
}

EXPORT int sigwait(const sigset_t *set, int *number)
{
	sigset_t rest = without_kick(set);

	return IDLE_IN(REAL(sigwait)(&rest, number));
}

EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	sigset_t rest = without_kick(set);

	return IDLE_IN(REAL(sigwaitinfo)(&rest, info));
}

/* The pacer's signal is waited for with the others, so it ends the wait like them. */
static int wait_for_signal(const sigset_t *set, siginfo_t *info, int64_t timeout)
{
	int64_t deadline = later(lab_now(), timeout), left;
	sigset_t all = *set;
	struct timespec slice;
	struct idle before;
	int result, error;

	if (mine)
		sigaddset(&all, KICK);
	do {
		before = idle_until(deadline, timeout);
		left = next_slice(deadline);
		if (left > 0 && is_paced())
			left = PACED_SLICE_NS;
		slice = to_timespec(left);
		result = REAL(sigtimedwait)(&all, info, &slice);
		error = errno;
		busy_again(&before);
		errno = error;
	} while (mine && result == KICK ? 1 : result < 0 && error == EAGAIN && left > 0);
	return result;
}

EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	if (!timeout)
		return sigwaitinfo(set, info);
	if (!has_page() || !valid(timeout) || to_ns(timeout) == 0)
		return REAL(sigtimedwait)(set, info, timeout);
	return wait_for_signal(set, info, to_ns(timeout));
}

/* ---- jumps: a handler that does not return leaves a wait ---- */

#define JUMP(name)                                                                                                     \
	EXPORT void name(struct __jmp_buf_tag to[1], int value)                                                          \
	{                                                                                                              \
		say_busy(mine);                                                                                        \
		REAL(name)(to, value);                                                                                 \
		__builtin_unreachable();                                                                               \
	}

extern void __longjmp_chk(struct __jmp_buf_tag to[1], int value) __attribute__((noreturn));

JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)
