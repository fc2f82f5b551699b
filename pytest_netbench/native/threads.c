/*
 * labtime: the threads of this process in the slots of the lab. A thread has a slot from before it runs to its end, and
 * says there whether it waits and until when.
 *
 * The descriptor of the slots is inherited by number and closed at once. Programs that this one becomes or starts have
 * the clock, but no slots: the pacer does not know them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "waiting.h"

static struct slots *slots;
static __thread struct slot *mine;
static __thread volatile sig_atomic_t kicks;
static pthread_key_t at_end;

static void count_kick(int number)
{
	(void)number;
	kicks = 1;
}

static struct slot *taken(struct slot *slot)
{
	slot->pid = getpid();
	slot->has_tcp = 0;
	return slot;
}

static struct slot *take(void)
{
	uint32_t used = __atomic_load_n(&slots->count, __ATOMIC_ACQUIRE), gone = GONE;

	for (uint32_t i = 0; i < used && i < MOST_SLOTS; i++, gone = GONE)
		if (__atomic_load_n(&slots->slot[i].state, __ATOMIC_RELAXED) == GONE &&
		    __atomic_compare_exchange_n(&slots->slot[i].state, &gone, BUSY, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return taken(&slots->slot[i]);
	used = __atomic_fetch_add(&slots->count, 1, __ATOMIC_ACQ_REL);
	if (used >= MOST_SLOTS) {
		__atomic_store_n(&slots->overflown, 1, __ATOMIC_RELEASE);
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
	__atomic_store_n(&slot->tid, (int32_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	sigemptyset(&kick);
	sigaddset(&kick, KICK);
	pthread_sigmask(SIG_BLOCK, &kick, NULL);
	pthread_setspecific(at_end, slot);
}

static void leave(void *slot)
{
	mine = NULL;
	((struct slot *)slot)->pid = 0;
	__atomic_store_n(&((struct slot *)slot)->tid, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&((struct slot *)slot)->state, GONE, __ATOMIC_RELEASE);
}

static void in_child(void)
{
	settle_in(take());
}

void join_slots(void)
{
	const char *number = getenv("NETBENCH_SLOTS");
	struct sigaction action = {.sa_handler = count_kick, .sa_flags = SA_RESTART};
	struct stat st;
	void *at;
	int fd;

	if (!number)
		return;
	fd = atoi(number);
	unsetenv("NETBENCH_SLOTS");
	if (fstat(fd, &st) != 0 || st.st_size != (off_t)sizeof(struct slots))
		return;
	at = mmap(NULL, sizeof(struct slots), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (at == MAP_FAILED || pthread_key_create(&at_end, leave) != 0)
		return;
	sigaction(KICK, &action, NULL);
	slots = at;
	ask_for_short_slices();
	pthread_atfork(NULL, NULL, in_child);
	settle_in(take());
}

int in_slots(void)
{
	return slots != NULL;
}

int is_paced(void)
{
	return slots && mine && __atomic_load_n(&slots->paced, __ATOMIC_SEQ_CST);
}

void idle_until(int64_t deadline, int64_t wait)
{
	if (!mine)
		return;
	kicks = 0;
	mine->deadline_ns = deadline;
	mine->wait_ns = wait;
	__atomic_store_n(&mine->begun, mine->begun + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&mine->state, IDLE, __ATOMIC_SEQ_CST);
}

/* Whether the pacer has interrupted the wait. Keeps errno. */
int busy_again(void)
{
	if (!mine)
		return 0;
	__atomic_store_n(&mine->state, BUSY, __ATOMIC_SEQ_CST);
	return kicks;
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

/* ---- TCP ---- */

static void note_tcp(int fd)
{
	int domain = 0, type = 0, error = errno;
	socklen_t size = sizeof domain;

	if (!mine || mine->has_tcp)
		return;
	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 &&
	    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM &&
	    (domain == AF_INET || domain == AF_INET6))
		mine->has_tcp = 1;
	errno = error;
}

EXPORT int connect(int fd, const struct sockaddr *address, socklen_t size)
{
	note_tcp(fd);
	return REAL(connect)(fd, address, size);
}

EXPORT int accept(int fd, struct sockaddr *address, socklen_t *size)
{
	note_tcp(fd);
	return REAL(accept)(fd, address, size);
}

EXPORT int accept4(int fd, struct sockaddr *address, socklen_t *size, int flags)
{
	note_tcp(fd);
	return REAL(accept4)(fd, address, size, flags);
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
	*start = (struct start){routine, argument, take()};
	error = REAL(pthread_create)(thread, attr, begin, start);
	if (error) {
		if (start->slot)
			leave(start->slot);
		free(start);
	}
	return error;
}

/* ---- waits for threads and children, which have no deadline ---- */

EXPORT int pthread_join(pthread_t thread, void **result)
{
	int error;

	idle_until(NEVER, NEVER);
	error = REAL(pthread_join)(thread, result);
	busy_again();
	return error;
}

EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	pid_t ended;

	if (options & WNOHANG)
		return REAL(wait4)(pid, status, options, usage);
	idle_until(NEVER, NEVER);
	ended = REAL(wait4)(pid, status, options, usage);
	busy_again();
	return ended;
}

EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
	return wait4(pid, status, options, NULL);
}

EXPORT pid_t wait(int *status)
{
	return wait4(-1, status, 0, NULL);
}

EXPORT int waitid(idtype_t kind, id_t id, siginfo_t *info, int options)
{
	int error;

	if (options & WNOHANG)
		return REAL(waitid)(kind, id, info, options);
	idle_until(NEVER, NEVER);
	error = REAL(waitid)(kind, id, info, options);
	busy_again();
	return error;
}
