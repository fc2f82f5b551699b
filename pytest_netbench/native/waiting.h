/* labtime: what its parts share. See labtime.c. */
#ifndef NETBENCH_WAITING_H
#define NETBENCH_WAITING_H

#include <dlfcn.h>
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
		static __typeof__(&name) real_;                                                                        \
		__typeof__(&name) found_ = __atomic_load_n(&real_, __ATOMIC_RELAXED);                                  \
		if (!found_) {                                                                                         \
			found_ = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                           \
			__atomic_store_n(&real_, found_, __ATOMIC_RELAXED);                                            \
		}                                                                                                      \
		found_;                                                                                                \
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

/* labtime.c */
int has_page(void);
int64_t real_ns(clockid_t clock);
int64_t lab_now(void);
int64_t next_slice(int64_t deadline);

/* threads.c: what the pacer knows of this process; without its slots all of these do nothing */
void join_slots(void);
int in_slots(void);
int is_paced(void);
void idle_until(int64_t deadline, int64_t wait);
int busy_again(void);
void let_kicks_in(int do_let);
const sigset_t *kickable(sigset_t *room, const sigset_t *asked);

/* conditions.c */
int wait_on_word(uint32_t *word, uint32_t expected, int64_t deadline);

#endif
