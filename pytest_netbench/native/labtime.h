/*
 * labtime: what the clock of a lab shares with the daemons that go by it (docs/explanation/lab-time.md).
 *
 * The page is read by all and written by one at a time: supervisor/labclock.py, or the pacer while it runs. The slots
 * are written by the daemons, one slot per thread, and read by the pacer.
 */
#ifndef NETBENCH_LABTIME_H
#define NETBENCH_LABTIME_H

#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NS 1000000000LL
#define NEVER INT64_MAX
#define MOST_SLOTS 4095

/* The sequence is odd while the rest is being written. `epoch_ns` is lab time since 1970 when its monotonic clock shows
 * 0; it is written before anybody reads the page, and never again.
 *
 * `base_line_ns` is the time of what travels: it passes like the wall while lab time passes at a factor, as programs that
 * measure packets go by the wall; like lab time while the pacer moves that; and not at all while that stands still. */
struct page {
	uint64_t sequence;
	int64_t base_real_ns;
	int64_t base_lab_ns;
	double factor;
	int64_t epoch_ns;
	int64_t base_line_ns;
	int64_t most_lab_ns; /* the clock stands still there */
};

/* Wall nanoseconds in which lab time has passed, of those that have passed since the page was written. */
static inline int64_t passing_ns(const volatile struct page *page, int64_t passed)
{
	double left = (double)(page->most_lab_ns - page->base_lab_ns);

	if (passed <= 0 || page->factor <= 0)
		return 0;
	return (double)passed * page->factor < left ? passed : (int64_t)(left / page->factor);
}

/* ENDING is a thread that has left, but has not told whoever waits for it; TAKEN one whose place is taken again. */
enum state { UNUSED, BUSY, IDLE, GONE, ENDING, TAKEN };

/* A thread. It is idle from just before a wait until just after it; `begun` counts its waits. `has_tcp` is set in the
 * slot of any thread of a process that has had a TCP connection. */
struct slot {
	uint32_t state;
	int32_t pid; /* of a child that has not begun yet the thread that starts it, below 0 */
	int32_t tid; /* 0: not started yet */
	int64_t deadline_ns;
	int64_t wait_ns;
	uint64_t begun;
	uint32_t has_tcp;
	uint8_t rest[20];
};

_Static_assert(sizeof(struct slot) == 64, "supervisor/labclock.py counts on it");

/* `paced` says that the pacer runs: it alone ends waits, and nobody looks at the clock by himself. */
struct slots {
	uint32_t paced;
	uint32_t count;
	uint32_t overflown;
	uint8_t rest[52];
	struct slot slot[MOST_SLOTS];
};

/* What Linux takes since 2014 and glibc declares since 2.41. */
struct scheduling {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime_ns, deadline_ns, period_ns;
};

/* Programs that run for microseconds get the processor soon beside others that take all of it (Linux 6.12). */
static inline void ask_for_short_slices(void)
{
	struct scheduling wanted = {.size = sizeof wanted, .runtime_ns = 100000};

	syscall(SYS_sched_setattr, 0, &wanted, 0);
}

/* The clock of the machine, for programs of ours that measure what passes by it: its monotonic one, and an error without
 * the library. No clock of Linux has this number. */
#define CLOCK_OF_WALL 1000

/* What ends a wait whose time has come. No program uses it, and every thread blocks it but in such a wait. */
#define KICK (SIGRTMAX - 3)

#endif
