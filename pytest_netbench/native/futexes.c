/* labtime: futexes that a program waits on by hand. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "waiting.h"

static int is_futex_wait(long number, long operation)
{
	long command = operation & FUTEX_CMD_MASK;

	return number == SYS_futex && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET);
}

/* FRR's seqlocks wait on futexes by hand, with an absolute monotonic deadline or none. */
static int is_in_lab_time(long operation, const struct timespec *timeout)
{
	return timeout && (operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET && valid(timeout);
}

static clockid_t clock_of(long operation)
{
	return operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

static long wait_futex(const long a[6])
{
	int64_t deadline = NEVER;
	int is_last = 1, was_ended, error;
	struct timespec until;
	struct idle before;
	long result;

	if (is_in_lab_time(a[1], (const struct timespec *)a[3])) {
		deadline = lab_deadline(clock_of(a[1]), (const struct timespec *)a[3]);
		int64_t slice = next_slice(deadline);
		is_last = slice < SLICE_NS && !is_paced();
		until = to_timespec(real_ns(clock_of(a[1])) + slice);
	}
	before = idle_until(deadline, deadline == NEVER ? NEVER : deadline - lab_now());
	if (deadline != NEVER)
		let_kicks_in(1);
	result = REAL(syscall)(SYS_futex, a[0], a[1], a[2], deadline == NEVER ? (struct timespec *)a[3] : &until, a[4], a[5]);
	error = errno;
	if (deadline != NEVER)
		let_kicks_in(0);
	was_ended = busy_again(&before);
	errno = error;
	if (deadline == NEVER || result >= 0 || !(error == ETIMEDOUT || (error == EINTR && was_ended)))
		return result;
	if (is_last || lab_now() >= deadline) {
		errno = ETIMEDOUT;
		return -1;
	}
	return 0; /* as if woken: who waits by hand looks again */
}

EXPORT long syscall(long number, ...)
{
	long a[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (has_page() && is_futex_wait(number, a[1]))
		return wait_futex(a);
	return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
