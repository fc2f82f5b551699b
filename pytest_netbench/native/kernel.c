/*
 * pacer: what the kernel has on its way to daemons that sleep. These are frames in a backlog, segments of TCP that are not
 * acknowledged or not read, addresses of IPv6 that are being tried, and changes of a carrier of which nobody was told.
 *
 * A namespace is asked for its addresses and links at first, and again once it has told of a change.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pacer.h"

#define MOST 512
#define LOST 3 /* times that a segment was sent again: after a second and a half */
#define MOST_LINKS 65536
#define OPERATES 6 /* IF_OPER_UP */
#define UNKNOWN 0  /* IF_OPER_UNKNOWN: an interface whose driver does not say, e.g. loopback */

/* A network namespace: a socket that tells of changes and answers questions, and one that tells of connections. */
struct namespace {
	ino_t inode;
	int changes, connections;
	int is_unsettled;
};

static struct namespace namespaces[MOST];
static int count, softirqs = -1, told = -1;
static const char *proc;
static char answer[65536];
static unsigned char carries[MOST_LINKS];

/* ---- frames ---- */

/* Whether frames wait for the kernel to take them up: column 12 of each processor's line. */
static int has_backlog(void)
{
	char text[4096], *line, *save = NULL;
	ssize_t size;

	if (softirqs < 0 || (size = pread(softirqs, text, sizeof text - 1, 0)) <= 0)
		return 0;
	text[size] = 0;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		unsigned backlog = 0;
		if (sscanf(line, "%*x %*x %*x %*x %*x %*x %*x %*x %*x %*x %*x %x", &backlog) == 1 && backlog)
			return 1;
	}
	return 0;
}

/* ---- answers ---- */

/* Read an answer to its end; whether one of its messages is of a kind. Changes that are told meanwhile are passed over. */
static int has_message(int fd, int type, int (*is_of_kind)(struct nlmsghdr *))
{
	int found = 0;

	for (;;) {
		ssize_t size = recv(fd, answer, sizeof answer, 0);
		if (size <= 0)
			return found;
		for (struct nlmsghdr *one = (struct nlmsghdr *)answer; NLMSG_OK(one, size); one = NLMSG_NEXT(one, size)) {
			if (one->nlmsg_type == NLMSG_DONE || one->nlmsg_type == NLMSG_ERROR)
				return found;
			found |= one->nlmsg_type == type && is_of_kind(one);
		}
	}
}

/* ---- connections ---- */

/* Something was sent that is not acknowledged yet. What was sent again and again is lost: the kernel's timers are slow. */
static int is_under_way(struct nlmsghdr *message)
{
	struct inet_diag_msg *socket = NLMSG_DATA(message);

	if (socket->idiag_retrans >= LOST)
		return 0;
	return socket->idiag_state == TCP_SYN_SENT || socket->idiag_state == TCP_SYN_RECV || socket->idiag_wqueue ||
	       (socket->idiag_state == TCP_ESTABLISHED && socket->idiag_rqueue);
}

static int tcp_of_family(int fd, int family)
{
	struct {
		struct nlmsghdr head;
		struct inet_diag_req_v2 body;
	} request = {
		.head = {.nlmsg_len = sizeof request, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.body = {.sdiag_family = (uint8_t)family,
			 .sdiag_protocol = IPPROTO_TCP,
			 .idiag_states = 1 << TCP_ESTABLISHED | 1 << TCP_SYN_SENT | 1 << TCP_SYN_RECV | 1 << TCP_FIN_WAIT1 |
					 1 << TCP_LAST_ACK | 1 << TCP_CLOSING},
	};

	return send(fd, &request, sizeof request, 0) > 0 && has_message(fd, SOCK_DIAG_BY_FAMILY, is_under_way);
}

static int is_connecting(void)
{
	for (int i = 0; i < count; i++)
		if (namespaces[i].connections >= 0 && (tcp_of_family(namespaces[i].connections, AF_INET) ||
						       tcp_of_family(namespaces[i].connections, AF_INET6)))
			return 1;
	return 0;
}

/* ---- addresses and links ---- */

static int ask(int fd, int type, int family)
{
	struct {
		struct nlmsghdr head;
		struct ifinfomsg body; /* longer than ifaddrmsg, and both begin with the family */
	} request = {
		.head = {.nlmsg_len = sizeof request, .nlmsg_type = (uint16_t)type, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.body = {.ifi_family = (unsigned char)family},
	};

	return send(fd, &request, sizeof request, 0) > 0;
}

/* Whether a link tells another state of its carrier than it has. Notes which links have one. */
static int is_untold(struct nlmsghdr *message)
{
	struct ifinfomsg *link = NLMSG_DATA(message);
	int size = (int)IFLA_PAYLOAD(message), carrier = -1, state = UNKNOWN;

	for (struct rtattr *one = IFLA_RTA(link); RTA_OK(one, size); one = RTA_NEXT(one, size)) {
		if (one->rta_type == IFLA_CARRIER)
			carrier = *(unsigned char *)RTA_DATA(one);
		else if (one->rta_type == IFLA_OPERSTATE)
			state = *(unsigned char *)RTA_DATA(one);
	}
	if (link->ifi_index > 0 && link->ifi_index < MOST_LINKS)
		carries[link->ifi_index] = carrier == 1;
	return link->ifi_flags & IFF_UP && state != UNKNOWN && carrier != (state == OPERATES);
}

/* Whether an address is being tried. Without a carrier that does not begin. */
static int is_tried(struct nlmsghdr *message)
{
	struct ifaddrmsg *address = NLMSG_DATA(message);

	return address->ifa_flags & IFA_F_TENTATIVE && !(address->ifa_flags & IFA_F_DADFAILED) &&
	       address->ifa_index < MOST_LINKS && carries[address->ifa_index];
}

static int opened(int protocol)
{
	struct timeval patience = {1, 0};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);

	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	return fd;
}

static void drain(int fd)
{
	while (recv(fd, answer, sizeof answer, MSG_DONTWAIT) > 0)
		;
}

static int has_unsettled(void)
{
	struct epoll_event events[64];
	int ready = epoll_wait(told, events, 64, 0), found = 0;

	for (int i = 0; i < ready; i++)
		namespaces[events[i].data.u32].is_unsettled = 1;
	for (int i = 0; i < count; i++) {
		struct namespace *one = &namespaces[i];
		if (!one->is_unsettled || one->changes < 0)
			continue;
		drain(one->changes);
		memset(carries, 0, sizeof carries);
		one->is_unsettled = (ask(one->changes, RTM_GETLINK, AF_UNSPEC) && has_message(one->changes, RTM_NEWLINK, is_untold)) ||
				    (ask(one->changes, RTM_GETADDR, AF_INET6) && has_message(one->changes, RTM_NEWADDR, is_tried));
		found |= one->is_unsettled;
	}
	return found;
}

/* ---- */

static struct namespace *known(int descriptor)
{
	struct stat st;

	if (fstat(descriptor, &st) != 0)
		return NULL;
	for (int i = 0; i < count; i++)
		if (namespaces[i].inode == st.st_ino)
			return &namespaces[i];
	if (count == MOST)
		return NULL;
	namespaces[count] = (struct namespace){.inode = st.st_ino, .changes = -1, .connections = -1, .is_unsettled = 1};
	return &namespaces[count++];
}

static void watch_changes(int descriptor)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK | RTMGRP_IPV6_IFADDR};
	struct namespace *one = known(descriptor);
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = one ? (uint32_t)(one - namespaces) : 0};

	if (!one || setns(descriptor, CLONE_NEWNET) != 0)
		return;
	one->changes = opened(NETLINK_ROUTE);
	if (one->changes >= 0 && bind(one->changes, (struct sockaddr *)&address, sizeof address) == 0)
		epoll_ctl(told, EPOLL_CTL_ADD, one->changes, &event);
}

void watch_connections(int pid)
{
	struct namespace *one;
	char path[96];
	int descriptor;

	snprintf(path, sizeof path, "%s/%d/ns/net", proc, pid);
	descriptor = open(path, O_RDONLY | O_CLOEXEC);
	if (descriptor < 0)
		return;
	one = known(descriptor);
	if (one && one->connections < 0 && setns(descriptor, CLONE_NEWNET) == 0)
		one->connections = opened(NETLINK_SOCK_DIAG);
	close(descriptor);
}

void open_kernel(const char *at, int given, char **descriptors)
{
	proc = at;
	softirqs = open("/proc/net/softnet_stat", O_RDONLY | O_CLOEXEC);
	told = epoll_create1(EPOLL_CLOEXEC);
	for (int i = 0; i < given; i++)
		watch_changes(atoi(descriptors[i]));
}

/* What is cheap to ask first. */
int has_on_its_way(void)
{
	return has_backlog() || has_unsettled() || is_connecting();
}

void visit_namespaces(void (*visit)(int fd))
{
	for (int i = 0; i < count; i++)
		if (namespaces[i].changes >= 0)
			visit(namespaces[i].changes);
}
