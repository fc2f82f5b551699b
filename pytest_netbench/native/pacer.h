/* pacer: what its parts share. See pacer.c. */
#ifndef NETBENCH_PACER_H
#define NETBENCH_PACER_H

#include "labtime.h"

/* kernel.c: what the kernel has not delivered yet */
void open_kernel(const char *proc, int namespaces, char **descriptors);
void watch_connections(int pid);
int has_on_its_way(void);

#endif
