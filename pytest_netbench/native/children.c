/*
 * labtime: waits for children. While the kernel takes leave of a child, it calls the parent asleep. So the parent is idle
 * only until there is a child to take leave of, and busy while that is done.
 */
#define _GNU_SOURCE
#include <sys/resource.h>
#include <sys/wait.h>

#include "waiting.h"

#define OF_WHICH (WSTOPPED | WCONTINUED | __WNOTHREAD | __WALL | __WCLONE)

/* Wait until a call of waitid would not wait; whether there is something. */
static int await(idtype_t kind, id_t id, int options)
{
	siginfo_t info;

	return IDLE_IN(REAL(waitid)(kind, id, &info, options | WNOWAIT)) == 0;
}

EXPORT int waitid(idtype_t kind, id_t id, siginfo_t *info, int options)
{
	siginfo_t room, *found = info ? info : &room;
	int result;

	if (!mine || options & (WNOHANG | WNOWAIT))
		return IDLE_IN(REAL(waitid)(kind, id, info, options));
	do {
		if (!await(kind, id, options))
			return -1;
		found->si_pid = 0;
		result = REAL(waitid)(kind, id, found, options | WNOHANG);
	} while (result == 0 && found->si_pid == 0); /* another thread was faster */
	return result;
}

EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	idtype_t kind = pid > 0 ? P_PID : pid == -1 ? P_ALL : P_PGID;
	pid_t ended;

	if (!mine || options & WNOHANG)
		return REAL(wait4)(pid, status, options, usage);
	do {
		if (!await(kind, (id_t)(pid < -1 ? -pid : pid > 0 ? pid : 0), WEXITED | (options & OF_WHICH)))
			return -1;
		ended = REAL(wait4)(pid, status, options | WNOHANG, usage);
	} while (ended == 0);
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

/* What shells wait by. */
EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
	return wait4(-1, status, options, usage);
}
