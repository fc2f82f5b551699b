/*
 * wire: a cable with length. Forwards frames between two interfaces of this network namespace, each way by itself, and
 * delays, loses and paces them on the way. Stands in for netem and tbf where the kernel has none.
 *
 *   wire IF_A IF_B [--delay-us N] [--jitter-us N] [--loss-ppm N] [--rate-bps N] [--queue-bytes N] [--seed N]
 *                  [--corrupt-ppm N] [--flow-loss-ppm N] [--drop-ppm N] [--most-bytes N] [--police-bps N]
 *                  [--lost-port N] [--lost-groups 1] [--lost-kind N] [--known-ms N] [--dark-ms N] [--period-ms N]
 *                  [--busy-bps N] [--busy-drop-ppm N] [--way N]
 *
 * A frame first waits for its turn on the line (rate: the virtual queue tail-drops beyond queue-bytes), then may be
 * lost, then travels (delay plus or minus jitter). Frames never overtake each other. Rates count IP bytes. Time is that
 * of what travels (line.h): wall time, or lab time while the pacer moves the clock. A frame comes when the kernel took it,
 * not when this process read it: a machine that holds this process up makes frames late, and the line no slower. Like a cable it also has a carrier: when one end goes down, the other end sees it.
 *
 * It can have defects. corrupt-ppm: one bit of so many of the IPv4 packets is flipped, and checksums are not corrected.
 * flow-loss-ppm: so many of the TCP and UDP flows are lost, each of them wholly; which ones is a matter of their hash.
 * drop-ppm: so many of the frames are lost. most-bytes: longer IP packets are lost. police-bps: what exceeds this rate is
 * lost at once, and nothing waits. lost-port: TCP and UDP packets from or to this port are lost. lost-groups: multicast is
 * lost, and broadcast is not. lost-kind: IPv4 packets of a kind are lost: 1 all but multicast, OSPF and BGP, 2 UDP, 3 TCP
 * packets that open a connection, 4 fragments, 5 ICMP messages that a packet is too long. known-ms: so long after the first one, TCP
 * and UDP flows are lost that were not seen before, as when a table of flows is full. dark-ms: in each period-ms all is lost
 * for so long. busy-drop-ppm: so many of the frames are lost while more than busy-bps come. way: the defects are only from IF_A to IF_B (1) or only from IF_B to IF_A (2).
 *
 * Prints "ready" once it forwards; ends at SIGTERM, at the end of its stdin, or when an interface is gone.
 *
 * Frames keep their virtio header, so segmentation and checksums that the sender left to hardware stay undone, as on a
 * veth. A sender that should not hand over 64 KiB at once: `ip link set dev X gso_max_segs 1`.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <linux/ethtool.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "labtime.h"
#include "line.h"

#define FRAME_MAX (256 * 1024) /* BIG TCP hands over up to 192 KiB */
#define IN_FLIGHT_MAX (64 * 1024 * 1024)
#define BATCH 64
#define POLICE_BYTES 8000 /* so many may come at once */
#define BUSY_BYTES 20000 /* so many above the rate make a line busy */
#define KNOWN_MAX 4096 /* flows, a power of two */
#define LATEST (10 * NS) /* a frame that seems to have waited longer: somebody has set the clock */
#define ETHERNET 14
#define TAG 4

struct frame {
	struct frame *next;
	int64_t leaves; /* when it comes out */
	size_t size;
	unsigned char bytes[]; /* virtio header, then the frame */
};

struct direction {
	int in, out;
	uint64_t far; /* 0 or 1: which way */
	uint64_t random;
	int64_t line_free;  /* when the last frame will have been put on the line */
	int64_t police_free; /* the same for a line that would let nothing through above the policed rate */
	int64_t busy_free; /* the same for a line of the rate above which it is busy */
	int64_t last_leave; /* when the last frame comes out */
	size_t in_flight;
	struct frame *head, **tail;
};

static struct {
	int64_t delay_ns, jitter_ns, loss_ppm, rate_bps, queue_bytes;
	int64_t corrupt_ppm, flow_loss_ppm, drop_ppm, most_bytes, police_bps, lost_port, lost_groups, way;
	int64_t lost_kind, known_ns, dark_ns, period_ns, busy_bps, busy_drop_ppm;
	uint64_t seed;
} line = {.seed = 1};

static unsigned char buffer[sizeof(struct virtio_net_hdr) + TAG + FRAME_MAX];

static void fail(const char *what, const char *about)
{
	fprintf(stderr, "wire: %s %s: %s\n", what, about, strerror(errno));
	exit(1);
}

static int64_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NS + now.tv_nsec;
}

static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* splitmix64: the same seed loses the same frames, counted from the first one. */
static uint64_t draw(struct direction *way)
{
	return mix(way->random += 0x9e3779b97f4a7c15ULL);
}

/* ---- sockets ---- */

static int open_port(const char *name)
{
	int on = 1, receive_buffer = 16 << 20;
	struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
	struct packet_mreq promiscuous = {.mr_type = PACKET_MR_PROMISC};
	/* protocol 0: hears nothing until it is bound to its own interface */
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		fail("cannot open a packet socket for", name);
	address.sll_ifindex = promiscuous.mr_ifindex = (int)if_nametoindex(name);
	if (!address.sll_ifindex)
		fail("no interface", name);
	if (setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof on) ||
	    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) ||
	    setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &on, sizeof on) ||
	    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) ||
	    setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promiscuous, sizeof promiscuous))
		fail("cannot set up the packet socket of", name);
	/* needs a capability over the first user namespace; without it as much as anyone may have */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &receive_buffer, sizeof receive_buffer))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
	if (bind(fd, (struct sockaddr *)&address, sizeof address))
		fail("cannot bind to", name);
	return fd;
}

/* The kernel takes a VLAN tag out of the frame and tells it apart; put it back where it was. */
static size_t restore_tag(struct msghdr *message, size_t size)
{
	struct virtio_net_hdr *header = (struct virtio_net_hdr *)buffer;
	unsigned char *frame = buffer + sizeof *header;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		struct tpacket_auxdata aux;
		if (c->cmsg_level != SOL_PACKET || c->cmsg_type != PACKET_AUXDATA)
			continue;
		memcpy(&aux, CMSG_DATA(c), sizeof aux);
		if (!(aux.tp_status & TP_STATUS_VLAN_VALID))
			return size;
		uint16_t type = htons(aux.tp_status & TP_STATUS_VLAN_TPID_VALID ? aux.tp_vlan_tpid : ETH_P_8021Q);
		uint16_t tci = htons(aux.tp_vlan_tci);
		memmove(frame + 12 + TAG, frame + 12, size - sizeof *header - 12);
		memcpy(frame + 12, &type, 2);
		memcpy(frame + 14, &tci, 2);
		if (header->flags & VIRTIO_NET_HDR_F_NEEDS_CSUM)
			header->csum_start += TAG;
		if (header->gso_type != VIRTIO_NET_HDR_GSO_NONE)
			header->hdr_len += TAG;
		return size + TAG;
	}
	return size;
}

/* When the kernel took the frame. Its stamp is of the clock that people set. A clock that is moved waits for this process. */
static int64_t arrival_ns(struct msghdr *message)
{
	int64_t now = line_now();

	if (!passes_like_wall())
		return now;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		struct timespec stamp;
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
			continue;
		memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
		int64_t waited = read_clock(CLOCK_REALTIME) - (stamp.tv_sec * NS + stamp.tv_nsec);
		return waited > 0 && waited < LATEST ? now - waited : now;
	}
	return now;
}

/* One frame into the buffer; its size with the virtio header, 0 if there is none. */
static size_t receive(int fd, int64_t *arrived)
{
	unsigned char control[CMSG_SPACE(sizeof(struct tpacket_auxdata)) + CMSG_SPACE(sizeof(struct timespec))];
	struct iovec iov = {.iov_base = buffer, .iov_len = sizeof buffer - TAG};
	struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
				 .msg_controllen = sizeof control};
	ssize_t size = recvmsg(fd, &message, MSG_DONTWAIT | MSG_TRUNC);

	if (size < (ssize_t)(sizeof(struct virtio_net_hdr) + ETHERNET) || (message.msg_flags & MSG_TRUNC))
		return 0;
	*arrived = arrival_ns(&message);
	return restore_tag(&message, (size_t)size);
}

/* A frame that the other interface does not take is lost, as on any line. */
static void transmit(int fd, const unsigned char *bytes, size_t size)
{
	while (send(fd, bytes, size, MSG_DONTWAIT) < 0 && errno == EINTR)
		;
}

/* ---- one way of the line ---- */

/* IP bytes that go over the line: a frame that hardware would have cut up has its headers once in each piece. */
static int64_t ip_bytes(size_t size)
{
	const struct virtio_net_hdr *header = (const struct virtio_net_hdr *)buffer;
	int64_t whole = (int64_t)(size - sizeof *header) - ETHERNET;

	if (header->gso_type == VIRTIO_NET_HDR_GSO_NONE || !header->gso_size || header->hdr_len <= ETHERNET)
		return whole;
	int64_t headers = header->hdr_len - ETHERNET, payload = whole - headers;
	int64_t pieces = (payload + header->gso_size - 1) / header->gso_size;
	return pieces > 1 ? whole + (pieces - 1) * headers : whole;
}

/* Put a frame on the line; 0 if the queue before it is full. */
static int serialise(struct direction *way, int64_t arrived, size_t size)
{
	if (!line.rate_bps)
		return 1;
	int64_t bytes = ip_bytes(size);
	int64_t start = way->line_free > arrived ? way->line_free : arrived;
	double waiting = (double)(start - arrived) * (double)line.rate_bps / 8e9;
	if (start > arrived && waiting + (double)bytes > (double)line.queue_bytes)
		return 0;
	way->line_free = start + (int64_t)((double)bytes * 8e9 / (double)line.rate_bps);
	return 1;
}

static int64_t travel_ns(struct direction *way)
{
	if (!line.jitter_ns)
		return line.delay_ns;
	int64_t travel = line.delay_ns - line.jitter_ns + (int64_t)(draw(way) % (uint64_t)(2 * line.jitter_ns + 1));
	return travel > 0 ? travel : 0;
}

static void keep(struct direction *way, size_t size, int64_t leaves)
{
	struct frame *frame;

	if (way->in_flight + size > IN_FLIGHT_MAX || !(frame = malloc(sizeof *frame + size)))
		return;
	*frame = (struct frame){.leaves = leaves, .size = size};
	memcpy(frame->bytes, buffer, size);
	*way->tail = frame;
	way->tail = &frame->next;
	way->in_flight += size;
	way->last_leave = leaves;
}

/* ---- defects ---- */

/* The IPv4 packet in the buffer, behind any VLAN tag, and its length; NULL if the frame has none. */
static unsigned char *ip_packet(size_t size, size_t *length)
{
	unsigned char *frame = buffer + sizeof(struct virtio_net_hdr);
	size_t bytes = size - sizeof(struct virtio_net_hdr), at = 12;

	if (bytes >= at + 2 + TAG && frame[at] == 0x81 && frame[at + 1] == 0x00)
		at += TAG;
	if (bytes < at + 2 + 20 || frame[at] != 0x08 || frame[at + 1] != 0x00)
		return NULL;
	*length = bytes - at - 2;
	return frame + at + 2;
}

/* How long the longest IP packet is that the frame becomes on the line. */
static int64_t longest_packet(size_t size)
{
	const struct virtio_net_hdr *header = (const struct virtio_net_hdr *)buffer;
	int64_t whole = (int64_t)(size - sizeof *header) - ETHERNET;

	if (header->gso_type == VIRTIO_NET_HDR_GSO_NONE || !header->gso_size || header->hdr_len <= ETHERNET)
		return whole;
	int64_t piece = header->hdr_len - ETHERNET + header->gso_size;
	return piece < whole ? piece : whole;
}

/* The ports of a TCP or UDP packet over IPv4, source and then destination; NULL if it has none, as a later fragment. */
static const unsigned char *ports_of(const unsigned char *packet, size_t length)
{
	if (!packet || (packet[9] != 6 && packet[9] != 17) || (packet[6] & 31) || packet[7])
		return NULL;
	size_t ports = (size_t)(packet[0] & 15) * 4;
	return length < ports + 4 ? NULL : packet + ports;
}

static int is_lost_port(size_t size)
{
	size_t length = 0;
	const unsigned char *packet = ip_packet(size, &length), *ports = ports_of(packet, length);

	return ports && ((ports[0] << 8 | ports[1]) == line.lost_port || (ports[2] << 8 | ports[3]) == line.lost_port);
}

/* Sent to a group of hosts and not to all: a broadcast is to six bytes of ones. */
static int is_to_group(void)
{
	const unsigned char *frame = buffer + sizeof(struct virtio_net_hdr);

	return (frame[0] & 1) && memcmp(frame, "\xff\xff\xff\xff\xff\xff", 6) != 0;
}

enum kind { FORWARDED = 1, UDP, OPENINGS, FRAGMENTS, TOO_BIG };

static int is_lost_kind(size_t size)
{
	size_t length = 0;
	const unsigned char *packet = ip_packet(size, &length), *ports = ports_of(packet, length);

	if (!packet)
		return 0;
	size_t header = (size_t)(packet[0] & 15) * 4;
	switch (line.lost_kind) {
	case FORWARDED:
		return (packet[16] & 0xf0) != 0xe0 && packet[9] != 89 &&
		       !(ports && packet[9] == 6 && ((ports[0] << 8 | ports[1]) == 179 || (ports[2] << 8 | ports[3]) == 179));
	case UDP:
		return packet[9] == 17;
	case OPENINGS:
		return ports && packet[9] == 6 && length >= header + 14 && (packet[header + 13] & 0x12) == 0x02;
	case FRAGMENTS:
		return (packet[6] & 0x3f) || packet[7];
	case TOO_BIG:
		return packet[9] == 1 && length >= header + 2 && packet[header] == 3 && packet[header + 1] == 4;
	}
	return 0;
}

/* Whether a frame is of a flow that is not in the table. Both ways are one flow; the table is filled until it is closed. */
static int is_unknown_flow(size_t size)
{
	static uint64_t known[KNOWN_MAX];
	static int64_t closes;
	static size_t count;
	size_t length = 0;
	const unsigned char *packet = ip_packet(size, &length), *ports = ports_of(packet, length);

	if (!ports)
		return 0;
	if (!closes)
		closes = line_now() + line.known_ns;
	uint64_t hash = packet[9];
	for (size_t end = 0; end < 2; end++) {
		uint64_t address = 0, port = 0;
		memcpy(&address, packet + 12 + 4 * end, 4);
		memcpy(&port, ports + 2 * end, 2);
		hash += mix(address << 16 | port);
	}
	hash |= 1; /* 0 is an empty place */
	size_t at = hash >> 1 & (KNOWN_MAX - 1);
	while (known[at] && known[at] != hash)
		at = (at + 1) & (KNOWN_MAX - 1);
	if (known[at])
		return 0;
	if (line_now() >= closes || count >= KNOWN_MAX / 2)
		return 1;
	known[at] = hash;
	count++;
	return 0;
}

/* Whether more comes than a rate. After so much that the line is busy it is not for long. */
static int is_busy(struct direction *way, int64_t arrived, size_t size)
{
	int64_t start = way->busy_free > arrived ? way->busy_free : arrived;
	double waiting = (double)(start - arrived) * (double)line.busy_bps / 8e9;

	if (waiting < 2 * BUSY_BYTES)
		way->busy_free = start + (int64_t)((double)ip_bytes(size) * 8e9 / (double)line.busy_bps);
	return waiting > BUSY_BYTES;
}

/* Whether a frame exceeds the policed rate. One that does uses nothing of it up. */
static int is_policed(struct direction *way, int64_t arrived, size_t size)
{
	int64_t bytes = ip_bytes(size);
	int64_t start = way->police_free > arrived ? way->police_free : arrived;
	double waiting = (double)(start - arrived) * (double)line.police_bps / 8e9;

	if (start > arrived && waiting + (double)bytes > POLICE_BYTES)
		return 1;
	way->police_free = start + (int64_t)((double)bytes * 8e9 / (double)line.police_bps);
	return 0;
}

/* A flow is known by addresses, protocol and ports, one way. Nothing but TCP and UDP is a flow. */
static int is_lost_flow(const struct direction *way, size_t size)
{
	size_t length = 0;
	const unsigned char *packet = ip_packet(size, &length), *ports = ports_of(packet, length);

	if (!ports)
		return 0;
	uint64_t addresses, both = 0;
	memcpy(&addresses, packet + 12, 8);
	memcpy(&both, ports, 4);
	uint64_t hash = mix(mix(addresses + line.seed * 2 + way->far) + (both << 8 | packet[9]));
	return (int64_t)(hash % 1000000) < line.flow_loss_ppm;
}

/* A checksum that was left to hardware is put in, and nobody is told that it is right. */
static void finish_checksum(size_t size)
{
	struct virtio_net_hdr *header = (struct virtio_net_hdr *)buffer;
	unsigned char *frame = buffer + sizeof *header;
	size_t bytes = size - sizeof *header, start = header->csum_start, at = start + header->csum_offset;

	if (header->flags & VIRTIO_NET_HDR_F_NEEDS_CSUM && at + 2 <= bytes) {
		uint32_t sum = 0;
		for (size_t i = start; i < bytes; i++)
			sum += (uint32_t)frame[i] << ((i - start) % 2 ? 0 : 8);
		while (sum >> 16)
			sum = (sum & 0xffff) + (sum >> 16);
		uint16_t value = htons((uint16_t)~sum ? (uint16_t)~sum : 0xffff);
		memcpy(frame + at, &value, 2);
	}
	memset(header, 0, sizeof *header);
}

/*
 * One bit is flipped. A packet that hardware would have cut up is damaged in its IP header, because its other checksums
 * are not computed yet: it is dropped whole.
 */
static void corrupt(struct direction *way, size_t size)
{
	const struct virtio_net_hdr *header = (const struct virtio_net_hdr *)buffer;
	size_t length;
	unsigned char *packet = ip_packet(size, &length);

	if (!packet)
		return;
	if (header->gso_type != VIRTIO_NET_HDR_GSO_NONE) {
		packet[10] ^= 1;
		return;
	}
	finish_checksum(size);
	size_t told = (size_t)packet[2] << 8 | packet[3]; /* a short frame has padding that no checksum covers */
	size_t bit = (size_t)(draw(way) % ((told && told < length ? told : length) * 8));
	packet[bit / 8] ^= (unsigned char)(1 << bit % 8);
}

static int is_drawn(struct direction *way, int64_t ppm)
{
	return ppm && (int64_t)(draw(way) % 1000000) < ppm;
}

static void accept_frame(struct direction *way, size_t size, int64_t arrived)
{
	int is_defective = !line.way || line.way == (int64_t)way->far + 1;

	if (is_defective && line.most_bytes && longest_packet(size) > line.most_bytes)
		return;
	if (is_defective && line.lost_groups && is_to_group())
		return;
	if (is_defective && line.lost_port && is_lost_port(size))
		return;
	if (is_defective && line.dark_ns && line_now() % line.period_ns < line.dark_ns)
		return;
	if (is_defective && line.lost_kind && is_lost_kind(size))
		return;
	if (is_defective && line.known_ns && is_unknown_flow(size))
		return;
	if (is_defective && line.busy_bps && is_busy(way, arrived, size) && is_drawn(way, line.busy_drop_ppm))
		return;
	if (is_defective && line.police_bps && is_policed(way, arrived, size))
		return;
	if (!serialise(way, arrived, size))
		return;
	if (is_drawn(way, line.loss_ppm))
		return;
	if (is_defective && is_drawn(way, line.drop_ppm))
		return;
	if (is_defective && line.flow_loss_ppm && is_lost_flow(way, size))
		return;
	if (is_defective && is_drawn(way, line.corrupt_ppm))
		corrupt(way, size);
	int64_t leaves = (line.rate_bps ? way->line_free : arrived) + travel_ns(way);
	if (leaves < way->last_leave)
		leaves = way->last_leave;
	if (leaves <= line_now() && !way->head)
		transmit(way->out, buffer, size);
	else
		keep(way, size, leaves);
}

static void deliver_due(struct direction *way)
{
	int64_t now = line_now();

	while (way->head && way->head->leaves <= now) {
		struct frame *frame = way->head;
		transmit(way->out, frame->bytes, frame->size);
		way->head = frame->next;
		if (!way->head)
			way->tail = &way->head;
		way->in_flight -= frame->size;
		free(frame);
	}
}

/* ---- carrier ---- */

static struct carrier {
	const char *names[2];
	int events;  /* rtnetlink socket */
	int control; /* any socket, for ioctl */
	int lowered; /* the end we set down because the other has no carrier, or -1 */
} carrier = {.lowered = -1};

static void open_carrier(const char *a, const char *b)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK};

	carrier.names[0] = a;
	carrier.names[1] = b;
	carrier.control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	carrier.events = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (carrier.control < 0 || carrier.events < 0 ||
	    bind(carrier.events, (struct sockaddr *)&address, sizeof address))
		fail("cannot watch", a);
}

static struct ifreq request_about(int end)
{
	struct ifreq request = {0};

	strncpy(request.ifr_name, carrier.names[end], IFNAMSIZ - 1);
	return request;
}

/* The interface flags would say it too, but only after the kernel's own work queue has got round to it. */
static int has_carrier(int end)
{
	struct ethtool_value link = {.cmd = ETHTOOL_GLINK};
	struct ifreq request = request_about(end);

	request.ifr_data = (void *)&link;
	if (ioctl(carrier.control, SIOCETHTOOL, &request))
		fail("lost interface", carrier.names[end]);
	return link.data != 0;
}

static int is_up(int end)
{
	struct ifreq request = request_about(end);

	if (ioctl(carrier.control, SIOCGIFFLAGS, &request))
		fail("lost interface", carrier.names[end]);
	return (request.ifr_flags & IFF_UP) != 0;
}

static void set_up(int end, int up)
{
	struct ifreq request = request_about(end);

	if (ioctl(carrier.control, SIOCGIFFLAGS, &request))
		fail("lost interface", carrier.names[end]);
	request.ifr_flags = (short)(up ? request.ifr_flags | IFF_UP : request.ifr_flags & ~IFF_UP);
	if (ioctl(carrier.control, SIOCSIFFLAGS, &request))
		fail("cannot set the state of", carrier.names[end]);
}

/*
 * Only one end is ever lowered, and the other one stays up and watched: its carrier coming back raises the lowered end,
 * whose own carrier is then looked at in turn.
 */
static void pass_on_carrier(void)
{
	/* whoever cut the cable and restored it has raised the end that was lowered here */
	if (carrier.lowered >= 0 && is_up(carrier.lowered))
		carrier.lowered = -1;
	for (int turns = 0; turns < 4; turns++) {
		if (carrier.lowered >= 0) {
			if (!has_carrier(!carrier.lowered))
				return;
			set_up(carrier.lowered, 1);
			carrier.lowered = -1;
		}
		int lacking = !has_carrier(0) ? 0 : !has_carrier(1) ? 1 : -1;
		if (lacking < 0)
			return;
		set_up(!lacking, 0);
		carrier.lowered = !lacking;
	}
}

static void read_events(void)
{
	char scratch[8192];

	while (recv(carrier.events, scratch, sizeof scratch, MSG_DONTWAIT) > 0 || errno == ENOBUFS)
		errno = 0;
	pass_on_carrier();
}

/* ---- main ---- */

static int64_t number(const char *option, const char *text, int64_t highest)
{
	char *end;

	errno = 0;
	long long value = strtoll(text, &end, 10);
	if (errno || *end || end == text || value < 0 || value > highest) {
		fprintf(stderr, "wire: --%s must be a whole number from 0 to %lld, not %s\n", option,
			(long long)highest, text);
		exit(2);
	}
	return value;
}

static void read_options(int argc, char **argv)
{
	static const struct option options[] = {
		{"delay-us", 1, 0, 'd'},    {"jitter-us", 1, 0, 'j'}, {"loss-ppm", 1, 0, 'l'}, {"rate-bps", 1, 0, 'r'},
		{"queue-bytes", 1, 0, 'q'}, {"seed", 1, 0, 's'},      {"corrupt-ppm", 1, 0, 'c'},
		{"flow-loss-ppm", 1, 0, 'f'}, {"drop-ppm", 1, 0, 'p'}, {"most-bytes", 1, 0, 'm'}, {"way", 1, 0, 'w'},
		{"police-bps", 1, 0, 'o'}, {"lost-port", 1, 0, 't'}, {"lost-groups", 1, 0, 'g'},
		{"lost-kind", 1, 0, 'k'}, {"known-ms", 1, 0, 'n'}, {"dark-ms", 1, 0, 'D'}, {"period-ms", 1, 0, 'P'},
		{"busy-bps", 1, 0, 'b'}, {"busy-drop-ppm", 1, 0, 'B'},
		{0, 0, 0, 0},
	};
	int which, index;

	while ((which = getopt_long(argc, argv, "", options, &index)) >= 0) {
		switch (which) {
		case 'd': line.delay_ns = number("delay-us", optarg, 3600LL * 1000000) * 1000; break;
		case 'j': line.jitter_ns = number("jitter-us", optarg, 3600LL * 1000000) * 1000; break;
		case 'l': line.loss_ppm = number("loss-ppm", optarg, 1000000); break;
		case 'r': line.rate_bps = number("rate-bps", optarg, INT64_MAX); break;
		case 'q': line.queue_bytes = number("queue-bytes", optarg, INT64_MAX); break;
		case 's': line.seed = (uint64_t)number("seed", optarg, INT64_MAX); break;
		case 'c': line.corrupt_ppm = number("corrupt-ppm", optarg, 1000000); break;
		case 'f': line.flow_loss_ppm = number("flow-loss-ppm", optarg, 1000000); break;
		case 'p': line.drop_ppm = number("drop-ppm", optarg, 1000000); break;
		case 'm': line.most_bytes = number("most-bytes", optarg, 65535); break;
		case 'o': line.police_bps = number("police-bps", optarg, INT64_MAX); break;
		case 't': line.lost_port = number("lost-port", optarg, 65535); break;
		case 'g': line.lost_groups = number("lost-groups", optarg, 1); break;
		case 'k': line.lost_kind = number("lost-kind", optarg, TOO_BIG); break;
		case 'n': line.known_ns = number("known-ms", optarg, 3600000) * 1000000; break;
		case 'D': line.dark_ns = number("dark-ms", optarg, 3600000) * 1000000; break;
		case 'P': line.period_ns = number("period-ms", optarg, 3600000) * 1000000; break;
		case 'b': line.busy_bps = number("busy-bps", optarg, INT64_MAX); break;
		case 'B': line.busy_drop_ppm = number("busy-drop-ppm", optarg, 1000000); break;
		case 'w': line.way = number("way", optarg, 2); break;
		default: exit(2);
		}
	}
	if (argc - optind != 2) {
		fprintf(stderr, "usage: wire IF_A IF_B [--delay-us N] [--jitter-us N] [--loss-ppm N] [--rate-bps N]"
				" [--queue-bytes N] [--seed N] [--corrupt-ppm N] [--flow-loss-ppm N] [--drop-ppm N]"
				" [--most-bytes N] [--police-bps N] [--lost-port N] [--lost-groups 1] [--lost-kind N]"
				" [--known-ms N] [--dark-ms N] [--period-ms N] [--busy-bps N] [--busy-drop-ppm N] [--way N]\n");
		exit(2);
	}
	if (line.dark_ns && line.period_ns <= line.dark_ns) {
		fprintf(stderr, "wire: --period-ms must be more than --dark-ms\n");
		exit(2);
	}
	/* 50 ms of line, and never less than twenty full frames */
	if (!line.queue_bytes)
		line.queue_bytes = line.rate_bps / 160 > 30000 ? line.rate_bps / 160 : 30000;
}

static int64_t next_moment(const struct direction ways[2])
{
	int64_t next = NEVER;

	for (int i = 0; i < 2; i++)
		if (ways[i].head && ways[i].head->leaves < next)
			next = ways[i].head->leaves;
	return next;
}

static void forward(struct direction ways[2])
{
	struct pollfd fds[4] = {{ways[0].in, POLLIN, 0}, {ways[1].in, POLLIN, 0}, {carrier.events, POLLIN, 0},
				{STDIN_FILENO, POLLIN, 0}};
	char scratch[256];
	int64_t arrived;
	size_t size;

	for (;;) {
		if (wait_on_line(fds, 4, next_moment(ways)) < 0) {
			if (errno != EINTR)
				fail("cannot wait on", "its sockets");
			fds[2].revents = fds[3].revents = 0;
		}
		for (int i = 0; i < 2; i++) {
			for (int n = 0; n < BATCH && (size = receive(ways[i].in, &arrived)) > 0; n++)
				accept_frame(&ways[i], size, arrived);
			deliver_due(&ways[i]);
		}
		if (fds[2].revents)
			read_events();
		if (fds[3].revents && read(STDIN_FILENO, scratch, sizeof scratch) <= 0)
			return;
	}
}

int main(int argc, char **argv)
{
	struct direction ways[2] = {0};

	read_options(argc, argv);
	join_line();
	prctl(PR_SET_TIMERSLACK, 1);
	int a = open_port(argv[optind]), b = open_port(argv[optind + 1]);
	for (int i = 0; i < 2; i++) {
		ways[i].in = i ? b : a;
		ways[i].out = i ? a : b;
		ways[i].far = (uint64_t)i;
		ways[i].random = line.seed * 2 + (uint64_t)i;
		ways[i].tail = &ways[i].head;
	}
	open_carrier(argv[optind], argv[optind + 1]);
	set_up(0, 1);
	set_up(1, 1);
	pass_on_carrier();
	if (write(STDOUT_FILENO, "ready\n", 6) != 6)
		fail("cannot write to", "stdout");
	forward(ways);
	return 0;
}
