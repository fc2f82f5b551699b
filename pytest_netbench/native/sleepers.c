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

static int opened_file(const struct slot *slot, const char *name)
{
	char path[96];

	snprintf(path, sizeof path, "%s/%d/task/%d/%s", proc, slot->pid, slot->tid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static int opened(const struct slot *slot, struct thread *thread)
{
	if (thread->stat >= 0 && thread->pid == slot->pid && thread->tid == slot->tid)
		return 1;
	close_files(thread);
	thread->pid = slot->pid;
	thread->tid = slot->tid;
	thread->stat = opened_file(slot, "stat");
	if (thread->stat >= 0)
		thread->wchan = opened_file(slot, "wchan");
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
char kernel_state(const struct slot *slot, struct thread *thread)
{
	char text[128], place[48], then[48];
	const char *now;
	ssize_t size;
	char *end;

	if (!opened(slot, thread))
		return errno == ENOENT || errno == ESRCH ? 0 : 'R';
	now = place_in_kernel(thread, place);
	if (*now && strcmp(now, thread->asleep_in) == 0)
		return thread->seen = 'S';
	if ((size = pread(thread->stat, text, sizeof text - 1, 0)) <= 0)
		return errno == ENOENT || errno == ESRCH ? 0 : 'R';
	text[size] = 0;
	end = strrchr(text, ')');
	thread->seen = end && end[1] ? end[2] : 0;
	if (thread->seen == 'S')
		note_place(thread, now, place_in_kernel(thread, then));
	else
		thread->asleep_in[0] = 0;
	return thread->seen;
}
