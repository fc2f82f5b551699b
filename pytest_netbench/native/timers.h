/* labtime: what the parts about timers share. See timers.c. */
#ifndef NETBENCH_TIMERS_H
#define NETBENCH_TIMERS_H

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "raw.h"
#include "waiting.h"

enum kind { FREE, DESCRIPTOR, SIGNAL, CALLBACK, ALARM };

/* A timer that is measured in lab time. */
struct timer {
	enum kind kind;
	int id; /* a descriptor, or the kernel's number of a timer */
	clockid_t clock;
	int32_t setter;	     /* the process that has set it */
	int64_t deadline_ns; /* NEVER while it is not set */
	int64_t interval_ns, wait_ns;
	uint64_t expired; /* what the last firing told */
	int number;	  /* of a signal */
	int64_t mark_ns;  /* descriptors: what the kernel's timer is set to, each to another */
	void (*function)(union sigval);
	union sigval value;
	size_t stack_size;
	uint32_t calls; /* callbacks that have not begun */
};

/* timers.c; between begin_timers and end_timers no other thread and no signal handler touches a timer */
int has_timers(void);
void begin_timers(sigset_t *mask);
void end_timers(const sigset_t *mask);
struct timer *timer_of(enum kind kind, int id);
struct timer *next_timer(struct timer *last);
struct timer *new_timer(enum kind kind, int id, clockid_t clock);
int tend_timers(void);
void set_timer(struct timer *timer, int64_t deadline, int64_t interval);
struct itimerspec left_of(const struct timer *timer);
int are_valid(const struct itimerspec *times);

/* timerfds.c */
void fire_descriptor(struct timer *timer, uint64_t times);
extern int have_timer_descriptors;
int is_timer_descriptor(int fd);
ssize_t read_timer(int fd, void *to, size_t size);

/* posixtimers.c */
void fire_signal(struct timer *timer, uint64_t times);
void fire_callback(struct timer *timer, uint64_t times);
void forget_callbacks(void);

/* alarms.c */
void fire_alarm(struct timer *timer);

#endif
