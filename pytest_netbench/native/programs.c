/*
 * labtime: programs that this process becomes or starts. One that goes by the clock, too, takes part as this one does: it
 * is given the descriptor of the slots and the place of the slot that is its own from before it runs.
 *
 * The descriptor is kept closed on exec, and is passed on only while such a program starts. What closes all descriptors
 * before, as Python's subprocess does, starts a program of which nobody knows when it waits: it works as long as it runs,
 * as far as the pacer knows. So does one that is not preloaded.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "waiting.h"

#define FIRST_KEPT 200 /* beyond the numbers that programs count on */

extern char **environ;

static int kept = -1;
static struct stat known;

void keep_slots(int fd)
{
	kept = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_KEPT);
	if (kept >= 0 && fstat(kept, &known) != 0)
		kept = -1;
}

/* Whether the descriptor is what it was: a program may close numbers that it does not know. */
static int has_kept(void)
{
	struct stat now;

	return kept >= 0 && fstat(kept, &now) == 0 && now.st_ino == known.st_ino && now.st_dev == known.st_dev;
}

static int goes_by_the_clock(char *const *env)
{
	int has_clock = 0, has_library = 0;

	for (; env && *env; env++) {
		has_clock |= !strncmp(*env, "NETBENCH_CLOCK=", 15);
		has_library |= !strncmp(*env, "LD_PRELOAD=", 11);
	}
	return has_clock && has_library;
}

static size_t words_in(char *const *env)
{
	size_t count = 0;

	while (env && env[count])
		count++;
	return count;
}

/* Copy an environment and add a word. The name is not in it: the library has taken it away. */
static void add_word(char **to, char *const *env, size_t count, char *word)
{
	if (count)
		memcpy(to, env, count * sizeof *to);
	to[count] = word;
	to[count + 1] = NULL;
}

#define PASSING(env, slot, call)                                                                                       \
	({                                                                                                             \
		size_t count_ = words_in(env);                                                                         \
		char word_[48], *more_[count_ + 2];                                                                    \
		char *const *given_ = env;                                                                             \
		int passes_ = has_kept() && goes_by_the_clock(env);                                                    \
		if (passes_) {                                                                                         \
			snprintf(word_, sizeof word_, "NETBENCH_SLOTS=%d:%d", kept, place_of(slot));                   \
			add_word(more_, env, count_, word_);                                                           \
			given_ = more_;                                                                                \
			REAL(fcntl)(kept, F_SETFD, 0);                                                                 \
		}                                                                                                      \
		int result_ = call(given_);                                                                            \
		if (passes_) {                                                                                         \
			int error_ = errno;                                                                            \
			REAL(fcntl)(kept, F_SETFD, FD_CLOEXEC);                                                        \
			errno = error_;                                                                                \
		}                                                                                                      \
		result_;                                                                                               \
	})

/* ---- becoming: the first thread keeps its slot, the others end ---- */

#define BECOMES(given) REAL(execve)(path, argv, (char *const *)(given))
#define BECOMES_FOUND(given) REAL(execvpe)(file, argv, (char *const *)(given))

EXPORT int execve(const char *path, char *const argv[], char *const env[])
{
	return PASSING(env, mine, BECOMES);
}

EXPORT int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const env[])
{
	return PASSING(env, mine, BECOMES_FOUND);
}

EXPORT int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

/* ---- starting: the program has a slot from before it runs ---- */

#define STARTS(given) REAL(posix_spawn)(&made, path, actions, attr, argv, (char *const *)(given))
#define STARTS_FOUND(given) REAL(posix_spawnp)(&made, path, actions, attr, argv, (char *const *)(given))
#define SPAWN(name, starts)                                                                                            \
	EXPORT int name(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,                       \
			const posix_spawnattr_t *attr, char *const argv[], char *const env[])                          \
	{                                                                                                              \
		struct slot *slot = in_slots() ? take_childs_slot() : NULL;                                                   \
		pid_t made;                                                                                            \
		int error = PASSING(env, slot, starts);                                                                \
		if (slot)                                                                                              \
			error ? leave_slot(slot) : give_slot(slot, made, 1);                                           \
		if (!error && pid)                                                                                     \
			*pid = made;                                                                                   \
		return error;                                                                                          \
	}

SPAWN(posix_spawn, STARTS)
SPAWN(posix_spawnp, STARTS_FOUND)
