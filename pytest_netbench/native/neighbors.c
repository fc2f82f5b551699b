/*
 * pacer: neighbors that the kernel still asks for, or has given up. It asks by the wall, once a second, so after a leap of
 * the clock it would let packets wait that it would long have sent or refused. Those entries are taken away: the next
 * packet asks anew.
 */
#define _GNU_SOURCE
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

#include "pacer.h"

#define MOST_AT_ONCE 64
#define UNRESOLVED (NUD_INCOMPLETE | NUD_PROBE | NUD_FAILED)

struct entry {
	struct nlmsghdr head;
	struct ndmsg body;
	unsigned char address[RTA_LENGTH(16)];
};

static char answer[65536];
static struct entry found[MOST_AT_ONCE];
static int count;

/* An entry as it is told when it is taken away: which interface, and whose address. */
static void note(const struct nlmsghdr *message)
{
	const struct ndmsg *neighbor = NLMSG_DATA(message);
	int size = (int)(message->nlmsg_len - NLMSG_LENGTH(sizeof *neighbor));
	const struct rtattr *one = (const struct rtattr *)((const char *)neighbor + NLMSG_ALIGN(sizeof *neighbor));
	struct entry *entry = &found[count];

	if (count == MOST_AT_ONCE || !(neighbor->ndm_state & UNRESOLVED) || neighbor->ndm_flags & NTF_PROXY)
		return;
	for (; RTA_OK(one, size); one = RTA_NEXT(one, size))
		if (one->rta_type == NDA_DST && one->rta_len <= sizeof entry->address) {
			*entry = (struct entry){.body = {.ndm_family = neighbor->ndm_family, .ndm_ifindex = neighbor->ndm_ifindex}};
			memcpy(entry->address, one, one->rta_len);
			entry->head = (struct nlmsghdr){.nlmsg_len = NLMSG_LENGTH(sizeof entry->body) + one->rta_len,
							.nlmsg_type = RTM_DELNEIGH,
							.nlmsg_flags = NLM_F_REQUEST};
			count++;
			return;
		}
}

static int ask(int fd)
{
	struct {
		struct nlmsghdr head;
		struct ndmsg body;
	} request = {.head = {.nlmsg_len = sizeof request, .nlmsg_type = RTM_GETNEIGH, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP}};

	return send(fd, &request, sizeof request, 0) > 0;
}

static void read_answer(int fd)
{
	for (;;) {
		ssize_t size = recv(fd, answer, sizeof answer, 0);
		if (size <= 0)
			return;
		for (struct nlmsghdr *one = (struct nlmsghdr *)answer; NLMSG_OK(one, size); one = NLMSG_NEXT(one, size)) {
			if (one->nlmsg_type == NLMSG_DONE || one->nlmsg_type == NLMSG_ERROR)
				return;
			if (one->nlmsg_type == RTM_NEWNEIGH)
				note(one);
		}
	}
}

/* Take away those of one namespace, of which `fd` is a socket. */
void forget_unresolved(int fd)
{
	count = 0;
	if (ask(fd))
		read_answer(fd);
	for (int i = 0; i < count; i++)
		if (send(fd, &found[i], found[i].head.nlmsg_len, 0) < 0)
			return;
}
