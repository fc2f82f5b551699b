/* labtime: what its parts share. See labtime.c. */
#ifndef NETBENCH_WAITING_H
#define NETBENCH_WAITING_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "labtime.h"

/* Without a pacer a wait looks at the clock again so often (wall time). */
#define SLICE_NS 100000000LL
/* Beside one it is for the case that the pacer was killed. */
#define PACED_SLICE_NS NS
#define EXPORT __attribute__((visibility("default")))

/* The next definition of a function, looked up once. Two threads that race store the same value. */
#define REAL(name)                                                                                                     \
	({                                                                                                             \
		static void *real_;                                                                                    \
		void *found_ = __atomic_load_n(&real_, __ATOMIC_RELAXED);                                              \
		(__typeof__(&name))(__builtin_expect(found_ != NULL, 1) ? found_ : look_up(#name, &real_));            \
	})

static inline int64_t to_ns(const struct timespec *ts)
{
	if (ts->tv_sec > INT64_MAX / NS - 1)
		return INT64_MAX;
	return (int64_t)ts->tv_sec * NS + ts->tv_nsec;
}

static inline struct timespec to_timespec(int64_t ns)
{
	return (struct timespec){.tv_sec = ns / NS, .tv_nsec = ns % NS};
}

static inline int valid(const struct timespec *ts)
{
	return ts->tv_sec >= 0 && ts->tv_nsec >= 0 && ts->tv_nsec < NS;
}

static inline int64_t later(int64_t from, int64_t by)
{
	return by > INT64_MAX - from ? INT64_MAX : from + by;
}

static inline int is_monotonic(clockid_t clock)
{
	return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE ||
	       clock == CLOCK_BOOTTIME;
}

static inline int is_realtime(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ||
	       clock == CLOCK_REALTIME_ALARM;
}

/* Whether a clock tells lab time: not one of processor time. */
static inline int is_clock_of_lab(clockid_t clock)
{
	return is_monotonic(clock) || is_realtime(clock) || clock == CLOCK_BOOTTIME_ALARM;
}

/* labtime.c */
extern const volatile struct page *page;
void *look_up(const char *name, void **kept) __attribute__((cold));
int has_page(void);
int64_t lab_epoch(void);
int64_t lab_deadline(clockid_t clock, const struct timespec *moment);
int64_t next_slice(int64_t deadline);

/* clocks.c */
void find_clocks(void);
int64_t real_ns(clockid_t clock);
int64_t lab_now(void);
int64_t lab_moment(double *factor, int64_t *most);

/* threads.c: what the pacer knows of this process; without its slots all of these do nothing */
void join_slots(void);
int in_slots(void);
int is_pacing(void);
struct slot *take_slot(void);
struct slot *take_childs_slot(void);
void leave_slot(void *slot);
void give_slot(struct slot *slot, pid_t child, int is_program);
int place_of(const struct slot *slot);
void miss_slots(void);
void let_kicks_in(int do_let);
const sigset_t *kickable(sigset_t *room, const sigset_t *asked);
extern __thread struct slot *mine;
extern __thread volatile sig_atomic_t kicks;

/* programs.c: programs that this process becomes or starts */
void keep_slots(int fd);

/* What a thread said before a wait: a signal handler may wait while its thread does. */
struct idle {
	struct slot *slot;
	uint32_t state;
	int64_t deadline_ns, wait_ns;
};

static inline int is_paced(void)
{
	return mine && is_pacing();
}

/* The kernel orders memory when a thread sleeps and when it is woken, so these stores need not. */
static inline void say_idle(struct slot *slot, int64_t deadline, int64_t wait)
{
	if (!slot)
		return;
	slot->deadline_ns = deadline;
	slot->wait_ns = wait;
	__atomic_store_n(&slot->begun, slot->begun + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->state, IDLE, __ATOMIC_RELEASE);
}

static inline void say_busy(struct slot *slot)
{
	if (slot)
		__atomic_store_n(&slot->state, BUSY, __ATOMIC_RELEASE);
}

static inline struct idle said(void)
{
	struct slot *slot = mine;
	struct idle idle;

	idle.slot = slot;
	idle.state = slot ? slot->state : UNUSED;
	idle.deadline_ns = idle.wait_ns = 0;
	if (__builtin_expect(idle.state == IDLE, 0)) {
		idle.deadline_ns = slot->deadline_ns;
		idle.wait_ns = slot->wait_ns;
	}
	return idle;
}

/* Before a wait that has no deadline, which nobody has to end. It costs next to nothing if the call does not wait. */
static inline struct idle idle_for_ever(void)
{
	struct idle before = said();

	say_idle(before.slot, NEVER, NEVER);
	return before;
}

/* Before a wait that the pacer ends. Whether it runs is asked afterwards, so this must be seen before that. */
static inline struct idle idle_until(int64_t deadline, int64_t wait)
{
	struct idle before = said();

	kicks = 0;
	say_idle(before.slot, deadline, wait);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return before;
}

/* After a wait. Keeps errno. */
static inline void end_idle(const struct idle *before)
{
	say_busy(before->slot);
	if (__builtin_expect(before->state != IDLE, 1))
		return;
	before->slot->deadline_ns = before->deadline_ns;
	before->slot->wait_ns = before->wait_ns;
	__atomic_store_n(&before->slot->state, IDLE, __ATOMIC_RELEASE);
}

/* After a wait that the pacer ends: whether it has interrupted it. Keeps errno. */
static inline int busy_again(const struct idle *before)
{
	end_idle(before);
	return before->slot && kicks;
}

/* A call that may wait for something that happens. */
#define IDLE_IN(call)                                                                                                  \
	({                                                                                                             \
		struct idle before_ = idle_for_ever();                                                                 \
		__typeof__(call) result_ = (call);                                                                     \
		end_idle(&before_);                                                                                    \
		result_;                                                                                               \
	})

/* timers.c, descriptors.c, locks.c */
void prepare_timers(void);
void find_descriptor_calls(void);
void find_lock_calls(void);

/* conditions.c */
int wait_on_word(uint32_t *word, uint32_t expected, int64_t deadline);
void wake_word(uint32_t *word);

#endif
