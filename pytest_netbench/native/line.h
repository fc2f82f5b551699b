/* line: the time of what travels over a shaped link (see struct page), and waiting in it. See line.c. */
#ifndef NETBENCH_LINE_H
#define NETBENCH_LINE_H

#include <poll.h>
#include <stdint.h>

void join_line(void);
int64_t line_now(void);
int passes_like_wall(void);
int wait_on_line(struct pollfd *fds, nfds_t count, int64_t deadline);

#endif
