/*
 * labtime: the threads of this process in the slots of the lab. A thread has a slot from before it runs to its end, and
 * says there whether it waits and until when.
 *
 * The descriptor of the slots is inherited by number, and the place of a slot by its index if the program that started
 * this one has taken one for it (programs.c).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "waiting.h"

static struct slots *slots;
__thread struct slot *mine;
__thread volatile sig_atomic_t kicks;
static __thread struct slot *childs;
static __thread int32_t childs_owner;
static pthread_key_t at_end;

static void count_kick(int number)
{
	(void)number;
	kicks = 1;
}

/* There is something that waits of which the pacer does not know. */
void miss_slots(void)
{
	if (slots)
		__atomic_store_n(&slots->overflown, 1, __ATOMIC_RELEASE);
}

static struct slot *taken(struct slot *slot)
{
	slot->pid = getpid();
	slot->has_tcp = 0;
	return slot;
}

static int changes(struct slot *slot, uint32_t from, uint32_t to)
{
	return __atomic_load_n(&slot->state, __ATOMIC_RELAXED) == from &&
	       __atomic_compare_exchange_n(&slot->state, &from, to, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* Whether a slot is free, or that of a thread of this process that has ended; the pacer frees those of others. */
static int is_free(struct slot *slot)
{
	if (changes(slot, GONE, BUSY))
		return 1;
	if (__atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) != ENDING || slot->pid != getpid() ||
	    syscall(SYS_tgkill, slot->pid, slot->tid, 0) == 0 || !changes(slot, ENDING, TAKEN))
		return 0;
	__atomic_store_n(&slot->tid, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&slot->state, BUSY, __ATOMIC_RELEASE);
	return 1;
}

struct slot *take_slot(void)
{
	uint32_t used = __atomic_load_n(&slots->count, __ATOMIC_ACQUIRE);
	int error = errno;

	for (uint32_t i = 0; i < used && i < MOST_SLOTS; i++)
		if (is_free(&slots->slot[i])) {
			errno = error;
			return taken(&slots->slot[i]);
		}
	errno = error;
	used = __atomic_fetch_add(&slots->count, 1, __ATOMIC_ACQ_REL);
	if (used >= MOST_SLOTS) {
		miss_slots();
		return NULL;
	}
	__atomic_store_n(&slots->slot[used].state, BUSY, __ATOMIC_RELEASE);
	return taken(&slots->slot[used]);
}

static void settle_in(struct slot *slot)
{
	sigset_t kick;

	mine = slot;
	if (!slot)
		return;
	slot->pid = getpid();
	__atomic_store_n(&slot->tid, (int32_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	sigemptyset(&kick);
	sigaddset(&kick, KICK);
	pthread_sigmask(SIG_BLOCK, &kick, NULL);
	pthread_setspecific(at_end, slot);
}

void leave_slot(void *slot)
{
	((struct slot *)slot)->pid = 0;
	__atomic_store_n(&((struct slot *)slot)->tid, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&((struct slot *)slot)->state, GONE, __ATOMIC_RELEASE);
}

/* The thread still runs, and wakes those that join it. */
static void leave(void *slot)
{
	mine = NULL;
	__atomic_store_n(&((struct slot *)slot)->state, ENDING, __ATOMIC_RELEASE);
}

/* ---- children; one that has not run yet has a slot, too ---- */

/* What a slot has in place of a process until it is known: which thread starts it. No other thread writes the same. */
static int32_t started_by_this(void)
{
	return -(int32_t)syscall(SYS_gettid);
}

/* Take a slot for a child. It may have ended, and its slot may be another thread's, before this thread runs again. */
struct slot *take_childs_slot(void)
{
	struct slot *slot = take_slot();

	if (slot)
		__atomic_store_n(&slot->pid, started_by_this(), __ATOMIC_RELEASE);
	return slot;
}

static int is_handed_over(struct slot *slot, int32_t from, int32_t to)
{
	return __atomic_compare_exchange_n(&slot->pid, &from, to, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) || from == to;
}

static void in_child(void)
{
	settle_in(childs && is_handed_over(childs, childs_owner, getpid()) ? childs : take_slot());
	childs = NULL;
}

/* Say whose a slot is that this thread has taken for a child, unless the child has said so itself. */
void give_slot(struct slot *slot, pid_t child, int is_program)
{
	int32_t owner = started_by_this(), none = 0;

	if (is_program && __atomic_load_n(&slot->pid, __ATOMIC_ACQUIRE) == owner)
		__atomic_compare_exchange_n(&slot->tid, &none, child, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	is_handed_over(slot, owner, child);
}

/* Where a slot is, or -1. */
int place_of(const struct slot *slot)
{
	return slot ? (int)(slot - slots->slot) : -1;
}

/* The slot that this program had before it was one, or that was taken for it; NULL if it is another's by now. */
static struct slot *handed_down(const char *place)
{
	int at = place ? atoi(place + 1) : -1;
	int32_t pid = getpid(), none = 0, owner;
	struct slot *slot;

	if (at < 0 || at >= MOST_SLOTS)
		return NULL;
	slot = &slots->slot[at];
	if (__atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) != BUSY)
		return NULL;
	if (__atomic_load_n(&slot->tid, __ATOMIC_ACQUIRE) == pid && slot->pid == pid)
		return slot;
	owner = __atomic_load_n(&slot->pid, __ATOMIC_ACQUIRE);
	if (owner < 0 && syscall(SYS_tgkill, getppid(), -owner, 0) != 0 && errno == ESRCH)
		return NULL;
	if (!is_handed_over(slot, owner < 0 ? owner : pid, pid))
		return NULL;
	if (!__atomic_compare_exchange_n(&slot->tid, &none, pid, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED) && none != pid)
		return NULL;
	return slot;
}

EXPORT pid_t fork(void)
{
	pid_t pid;

	if (!slots)
		return REAL(fork)();
	childs = take_childs_slot();
	childs_owner = started_by_this();
	pid = REAL(fork)();
	if (pid < 0 && childs)
		leave_slot(childs);
	else if (pid > 0 && childs)
		give_slot(childs, pid, 0);
	childs = NULL;
	return pid;
}

void join_slots(void)
{
	const char *number = getenv("NETBENCH_SLOTS");
	struct sigaction action = {.sa_handler = count_kick, .sa_flags = SA_RESTART};
	struct slot *own;
	struct stat st;
	void *at;
	int fd;

	if (!number)
		return;
	fd = atoi(number);
	unsetenv("NETBENCH_SLOTS"); /* its text stays where it is */
	if (fstat(fd, &st) != 0 || st.st_size != (off_t)sizeof(struct slots))
		return;
	at = mmap(NULL, sizeof(struct slots), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	keep_slots(fd);
	close(fd);
	if (at == MAP_FAILED || pthread_key_create(&at_end, leave) != 0)
		return;
	sigaction(KICK, &action, NULL);
	slots = at;
	ask_for_short_slices();
	pthread_atfork(NULL, NULL, in_child);
	own = handed_down(strchr(number, ':'));
	settle_in(own ? own : take_slot());
}

int in_slots(void)
{
	return slots != NULL;
}

int is_pacing(void)
{
	return slots && __atomic_load_n(&slots->paced, __ATOMIC_SEQ_CST);
}

/* The signal mask of a wait that the pacer may end: what the caller asked for, or what the thread has. */
const sigset_t *kickable(sigset_t *room, const sigset_t *asked)
{
	if (!mine)
		return asked;
	if (asked)
		*room = *asked;
	else
		pthread_sigmask(SIG_SETMASK, NULL, room);
	sigdelset(room, KICK);
	return room;
}

/* Let the pacer's signal through in a wait that has no mask of its own. What comes just before the wait is sent again. */
void let_kicks_in(int do_let)
{
	sigset_t kick;

	if (!mine)
		return;
	sigemptyset(&kick);
	sigaddset(&kick, KICK);
	pthread_sigmask(do_let ? SIG_UNBLOCK : SIG_BLOCK, &kick, NULL);
}

/* The child of vfork would run on this thread's stack and say what it does in its slot. */
EXPORT pid_t vfork(void)
{
	return fork();
}

/* ---- threads that begin ---- */

struct start {
	void *(*routine)(void *);
	void *argument;
	struct slot *slot;
};

static void *begin(void *given)
{
	struct start start = *(struct start *)given;

	free(given);
	settle_in(start.slot);
	return start.routine(start.argument);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *), void *argument)
{
	struct start *start;
	int error;

	if (!slots || !(start = malloc(sizeof *start)))
		return REAL(pthread_create)(thread, attr, routine, argument);
	*start = (struct start){routine, argument, take_slot()};
	error = REAL(pthread_create)(thread, attr, begin, start);
	if (error) {
		if (start->slot)
			leave_slot(start->slot);
		free(start);
	}
	return error;
}
