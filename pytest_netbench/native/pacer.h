/* pacer: what its parts share. See pacer.c. */
#ifndef NETBENCH_PACER_H
#define NETBENCH_PACER_H

#include "labtime.h"

/* Whose a slot was when it was looked at. */
struct task {
	int32_t pid, tid;
};

/* What the pacer knows of a slot's thread. `asleep_in` is where in the kernel it was when its stat file said that it
 * sleeps, `seen` what that file said last, and `untold` how often in a row nobody was told where it is. */
struct thread {
	struct task task;
	int stat, wchan, untold, has_tcp;
	char seen, asleep_in[48];
	int64_t kicked_ns, used_ns;
};

/* sleepers.c: whether a thread sleeps */
void open_sleepers(const char *proc);
void close_files(struct thread *thread);
char kernel_state(struct task task, struct thread *thread);
char starters_state(int32_t id);

/* kernel.c: what the kernel has not delivered yet */
void open_kernel(const char *proc, int namespaces, char **descriptors);
void watch_connections(int pid);
int has_on_its_way(void);
void visit_namespaces(void (*visit)(int fd));

/* neighbors.c: what the kernel asks neighbors, by the wall */
void forget_unresolved(int fd);

#endif
