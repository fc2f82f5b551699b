/*
 * pacer: whether a thread sleeps, as the kernel tells it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pacer.h"

#define MOST_UNTOLD 8

static const char *proc;

void open_sleepers(const char *at)
{
	proc = at;
}

void close_files(struct thread *thread)
{
	if (thread->stat >= 0)
		close(thread->stat);
	if (thread->wchan >= 0)
		close(thread->wchan);
	*thread = (struct thread){.stat = -1, .wchan = -1};
}

/* Where the state stands in what a stat file has, NULL if it cannot be read. */
static char *state_in(int fd, char text[256])
{
	ssize_t size = fd < 0 ? -1 : pread(fd, text, 255, 0);
	char *end;

	if (size <= 0)
		return NULL;
	text[size] = 0;
	end = strrchr(text, ')');
	return end && end[1] ? end + 2 : NULL;
}

static char untold_state(void)
{
	return errno == ENOENT || errno == ESRCH ? 0 : 'R';
}

/* Whether a process has ended but for threads that go on without the first one. */
static int has_threads(const char *state)
{
	long count = 0;

	return sscanf(state, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld", &count) == 1 && count > 1;
}

/* The state of who starts a thread: a process, or below 0 a thread of one. */
char starters_state(int32_t id)
{
	char path[64], text[256], *state, told;
	int fd;

	if (!id) /* its slot was taken just now */
		return 'R';
	snprintf(path, sizeof path, "%s/%d/stat", proc, id < 0 ? -id : id);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	state = state_in(fd, text);
	told = !state ? untold_state() : *state == 'Z' && has_threads(state) ? 'R' : *state;
	if (fd >= 0)
		close(fd);
	return told;
}

static int opened_file(struct task task, const char *name)
{
	char path[96];

	snprintf(path, sizeof path, "%s/%d/task/%d/%s", proc, task.pid, task.tid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static int opened(struct task task, struct thread *thread)
{
	if (thread->stat >= 0 && thread->task.pid == task.pid && thread->task.tid == task.tid)
		return 1;
	close_files(thread);
	thread->task = task;
	thread->stat = opened_file(task, "stat");
	if (thread->stat >= 0)
		thread->wchan = opened_file(task, "wchan");
	return thread->stat >= 0;
}

/* Where in the kernel a thread is, as a text; empty if it runs or nobody is told. */
static const char *place_in_kernel(const struct thread *thread, char text[48])
{
	ssize_t size = thread->wchan < 0 ? 0 : pread(thread->wchan, text, 47, 0);

	text[size > 0 ? size : 0] = 0;
	return text[0] == '0' ? "" : text;
}

/* Keep where a thread sleeps, if it was there before and after its stat file was read. Where the kernel never tells, asking
 * would only cost more. */
static void note_place(struct thread *thread, const char *before, const char *after)
{
	strcpy(thread->asleep_in, strcmp(before, after) == 0 ? before : "");
	thread->untold = *before ? 0 : thread->untold + 1;
	if (thread->untold < MOST_UNTOLD || thread->wchan < 0)
		return;
	close(thread->wchan);
	thread->wchan = -1;
}

/*
 * The state of a thread as the kernel tells it, 0 if it has ended, or R if that cannot be told. To ask where it is costs
 * half of what its stat file does, so that is read again only if it is elsewhere than where it slept.
 */
char kernel_state(struct task task, struct thread *thread)
{
	char place[48], then[48], text[256], *state;
	const char *now;

	if (!opened(task, thread))
		return untold_state();
	now = place_in_kernel(thread, place);
	if (*now && strcmp(now, thread->asleep_in) == 0)
		return thread->seen = 'S';
	state = state_in(thread->stat, text);
	if (!state)
		return untold_state();
	thread->seen = *state;
	if (thread->seen == 'S')
		note_place(thread, now, place_in_kernel(thread, then));
	else
		thread->asleep_in[0] = 0;
	return thread->seen;
}
