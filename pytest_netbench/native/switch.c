/*
 * switch: an Ethernet switch between interfaces of this network namespace, with real 802.1Q tags on the wire. It needs
 * neither the kernel's 802.1Q module nor VLAN filtering in its bridge.
 *
 *   switch    (descriptor 0 is a SOCK_SEQPACKET socket to whoever controls it; ends when that is closed)
 *
 * A port is an interface; a domain is a broadcast domain (a VLAN of a switch, or one subinterface of a router). A port
 * joins a domain under a tag, 0 for untagged. Frames under a tag that the port did not join are left alone, so that a
 * router's own stack keeps what is not tagged. A port blocks in each domain until it is told to learn or forward.
 *
 * Control messages are lines of text, several in one message if need be:
 *
 *   open PORT NAME            close PORT
 *   join PORT DOMAIN TAG      leave PORT DOMAIN        also PORT DOMAIN TAG (a further tag that is accepted)
 *   state PORT DOMAIN N       0 block, 1 learn, 2 forward
 *   watch DOMAIN FLAGS        what is handed over and not forwarded: 1 control (link-local) frames, 2 DHCP, 4 ARP
 *   trust PORT FLAGS          of these, what is forwarded all the same when it comes from there
 *   secure PORT 0|1           hand over frames whose sender is not a static address of that port
 *   isolate PORT 0|1          nothing passes between ports that are isolated
 *   age DOMAIN SECONDS        flush PORT DOMAIN (forget what was learned; -1 any port, 0 any domain)
 *   static PORT DOMAIN MAC    forget DOMAIN MAC
 *   list                      answered with lines "PORT DOMAIN MAC static|dynamic AGE", ended by a line "end"
 *
 * An error is answered with a line "error …". A message that begins with a zero byte carries a frame (struct handed):
 * towards the controller it says why; towards the switch, what to do with it.
 *
 * Time is the monotonic clock: lab time where that is preloaded.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define PORTS 512
#define DOMAINS 8192
#define TAGS 4096
#define FRAME_MAX (256 * 1024)
#define BATCH 64
#define ETHERNET 14
#define TAG 4
#define BUCKETS 4096
#define ADDRESSES_MAX 16384
#define DEFAULT_AGE 300

enum state { BLOCKING, LEARNING, FORWARDING };
enum watch { CONTROL = 1, DHCP = 2, ARP = 4, STRANGER = 8 };
enum order { TRANSMIT, APPROVED, RAW, AGAIN };

struct port {
	int fd, secure, trusted, isolated;
	uint16_t domain_of[TAGS];      /* 0: none */
	uint16_t tag_of[DOMAINS];
	unsigned char member[DOMAINS]; /* joined */
	unsigned char state[DOMAINS];
};

struct address {
	struct address *next;
	unsigned char mac[6];
	uint16_t domain, port;
	int fixed;
	int64_t seen; /* seconds */
};

/* A frame on its way to or from the controller; what follows is the frame without its tag. */
struct handed {
	unsigned char zero, what;
	uint16_t port, domain, tci;
	struct virtio_net_hdr header;
} __attribute__((packed));

/* A frame that came in: its bytes without the tag, which is told apart. */
struct frame {
	struct virtio_net_hdr header;
	unsigned char bytes[FRAME_MAX];
	size_t size;
	uint16_t tci;
};

static struct port *ports[PORTS];
static struct address *buckets[BUCKETS];
static int addresses;
static int ages[DOMAINS];
static unsigned char watched[DOMAINS];
static struct frame frame;
static int poller;
static const int control = STDIN_FILENO;

static int64_t now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static void say(const char *text, size_t size)
{
	while (send(control, text, size, MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

static void complain(const char *line, const char *why)
{
	char text[512];
	int size = snprintf(text, sizeof text, "error %.300s: %.150s\n", line, why);

	say(text, (size_t)size);
}

/* ---- addresses ---- */

static struct address **bucket_of(const unsigned char *mac, unsigned domain)
{
	uint64_t key = domain;

	for (int i = 0; i < 6; i++)
		key = (key ^ mac[i]) * 0x100000001b3ULL;
	return &buckets[(key >> 20) % BUCKETS];
}

static int expired(const struct address *entry, int64_t now)
{
	return !entry->fixed && now - entry->seen >= ages[entry->domain];
}

static void drop_next(struct address **at)
{
	struct address *entry = *at;

	*at = entry->next;
	free(entry);
	addresses--;
}

/* The living entry of an address; dead ones on the way are buried. */
static struct address *find(const unsigned char *mac, unsigned domain)
{
	int64_t now = now_s();

	for (struct address **at = bucket_of(mac, domain); *at;) {
		if (expired(*at, now)) {
			drop_next(at);
			continue;
		}
		if ((*at)->domain == domain && !memcmp((*at)->mac, mac, 6))
			return *at;
		at = &(*at)->next;
	}
	return NULL;
}

static void sweep(int (*gone)(const struct address *, int, unsigned), int port, unsigned domain)
{
	for (int i = 0; i < BUCKETS; i++)
		for (struct address **at = &buckets[i]; *at;)
			if (gone(*at, port, domain))
				drop_next(at);
			else
				at = &(*at)->next;
}

static int is_learned(const struct address *entry, int port, unsigned domain)
{
	return !entry->fixed && (port < 0 || entry->port == port) && (!domain || entry->domain == domain);
}

static int is_of(const struct address *entry, int port, unsigned domain)
{
	return entry->port == port && (!domain || entry->domain == domain);
}

static int is_dead(const struct address *entry, int port, unsigned domain)
{
	(void)port, (void)domain;
	return expired(entry, now_s());
}

static struct address *keep(int port, unsigned domain, const unsigned char *mac, int fixed)
{
	struct address *entry = find(mac, domain);

	if (!entry) {
		if (addresses >= ADDRESSES_MAX)
			sweep(is_dead, -1, 0);
		if (addresses >= ADDRESSES_MAX || !(entry = calloc(1, sizeof *entry)))
			return NULL;
		struct address **at = bucket_of(mac, domain);
		memcpy(entry->mac, mac, 6);
		entry->domain = (uint16_t)domain;
		entry->next = *at;
		*at = entry;
		addresses++;
	} else if (entry->fixed && !fixed) {
		return entry;
	}
	entry->port = (uint16_t)port;
	entry->fixed = fixed;
	entry->seen = now_s();
	return entry;
}

/* ---- sockets ---- */

/* What the stack leaves to hardware would reach the other ports unsegmented; checksums travel in the virtio header. */
static void no_segmentation(int fd, const char *name)
{
	static const uint32_t commands[] = {ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO};

	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		struct ethtool_value off = {.cmd = commands[i]};
		struct ifreq request = {0};
		snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
		request.ifr_data = (void *)&off;
		ioctl(fd, SIOCETHTOOL, &request); /* one that cannot do it does not do it either */
	}
}

static int open_socket(const char *name)
{
	int on = 1, receive_buffer = 8 << 20;
	struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
	struct packet_mreq promiscuous = {.mr_type = PACKET_MR_PROMISC};
	/* protocol 0: hears nothing until it is bound to its own interface */
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	address.sll_ifindex = promiscuous.mr_ifindex = (int)if_nametoindex(name);
	if (!address.sll_ifindex || setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof on) ||
	    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) ||
	    setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &on, sizeof on) ||
	    setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &promiscuous, sizeof promiscuous) ||
	    bind(fd, (struct sockaddr *)&address, sizeof address)) {
		int saved = errno;
		close(fd);
		errno = saved;
		return -1;
	}
	/* needs a capability over the first user namespace; without it as much as anyone may have */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &receive_buffer, sizeof receive_buffer))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
	no_segmentation(fd, name);
	return fd;
}

/* One frame; 0 if there is none. */
static int receive(int fd)
{
	unsigned char ancillary[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
	struct iovec iov[2] = {{&frame.header, sizeof frame.header}, {frame.bytes, sizeof frame.bytes}};
	struct msghdr message = {.msg_iov = iov, .msg_iovlen = 2, .msg_control = ancillary,
				 .msg_controllen = sizeof ancillary};
	ssize_t size = recvmsg(fd, &message, MSG_DONTWAIT);

	if (size < (ssize_t)(sizeof frame.header + ETHERNET) || (message.msg_flags & MSG_TRUNC))
		return 0;
	frame.size = (size_t)size - sizeof frame.header;
	frame.tci = 0;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
		struct tpacket_auxdata aux;
		if (c->cmsg_level != SOL_PACKET || c->cmsg_type != PACKET_AUXDATA)
			continue;
		memcpy(&aux, CMSG_DATA(c), sizeof aux);
		/* the kernel takes the outer tag out of every frame before anyone sees it */
		if (aux.tp_status & TP_STATUS_VLAN_VALID)
			frame.tci = aux.tp_vlan_tci;
	}
	return 1;
}

/* A frame that the interface does not take is lost, as on any line. */
static void transmit(const struct port *out, unsigned tag)
{
	struct virtio_net_hdr header = frame.header;
	uint16_t label[2] = {htons(ETH_P_8021Q), htons((uint16_t)((frame.tci & 0xe000) | tag))};
	struct iovec plain[2] = {{&header, sizeof header}, {frame.bytes, frame.size}};
	struct iovec tagged[4] = {plain[0], {frame.bytes, 12}, {label, TAG}, {frame.bytes + 12, frame.size - 12}};
	struct msghdr message = {.msg_iov = tag ? tagged : plain, .msg_iovlen = tag ? 4 : 2};

	if (tag) {
		if (header.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM)
			header.csum_start += TAG;
		if (header.gso_type != VIRTIO_NET_HDR_GSO_NONE)
			header.hdr_len += TAG;
	}
	while (sendmsg(out->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

/* ---- what is watched ---- */

static unsigned word_at(size_t offset)
{
	return offset + 2 <= frame.size ? (unsigned)frame.bytes[offset] << 8 | frame.bytes[offset + 1] : 0;
}

static int is_dhcp(void)
{
	size_t udp = ETHERNET + (frame.bytes[ETHERNET] & 15u) * 4;

	if (word_at(12) != ETH_P_IP || frame.size < ETHERNET + 28 || frame.bytes[ETHERNET + 9] != 17 ||
	    (word_at(ETHERNET + 6) & 0x1fff))
		return 0;
	unsigned target = word_at(udp + 2);
	return target == 67 || target == 68;
}

static int is_link_local(void)
{
	static const unsigned char ieee[5] = {0x01, 0x80, 0xc2, 0, 0}, vendor[5] = {0x01, 0x00, 0x0c, 0xcc, 0xcc};

	if (!memcmp(frame.bytes, ieee, 5))
		return frame.bytes[5] < 0x10;
	return !memcmp(frame.bytes, vendor, 5) && frame.bytes[5] >= 0xcc;
}

static void hand_over(unsigned char why, int port, unsigned domain)
{
	struct handed handed = {.what = why, .port = (uint16_t)port, .domain = (uint16_t)domain, .tci = frame.tci,
				.header = frame.header};
	struct iovec iov[2] = {{&handed, sizeof handed}, {frame.bytes, frame.size}};
	struct msghdr message = {.msg_iov = iov, .msg_iovlen = 2};

	/* a controller that does not keep up loses frames, as a switch's processor does */
	while (sendmsg(control, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

/* ---- switching ---- */

static int may_leave(int from, const struct port *out, unsigned domain)
{
	return out && out != ports[from] && out->member[domain] && out->state[domain] == FORWARDING &&
	       !(out->isolated && ports[from]->isolated);
}

static void flood(int from, unsigned domain)
{
	for (int i = 0; i < PORTS; i++)
		if (may_leave(from, ports[i], domain))
			transmit(ports[i], ports[i]->tag_of[domain]);
}

static void forward(int from, unsigned domain)
{
	const unsigned char *source = frame.bytes + 6;
	struct address *entry = NULL;

	if (ports[from]->state[domain] == BLOCKING)
		return;
	if (!(source[0] & 1)) {
		struct address *known = keep(from, domain, source, 0);
		if (known && known->port != from)
			return; /* the address is fixed elsewhere */
	}
	if (ports[from]->state[domain] != FORWARDING)
		return;
	if (!(frame.bytes[0] & 1))
		entry = find(frame.bytes, domain);
	if (!entry) {
		flood(from, domain);
		return;
	}
	if (may_leave(from, ports[entry->port], domain))
		transmit(ports[entry->port], ports[entry->port]->tag_of[domain]);
}

static int is_stranger(int port, unsigned domain)
{
	const struct address *entry = find(frame.bytes + 6, domain);

	return !entry || !entry->fixed || entry->port != port;
}

static void judge(int port, unsigned domain)
{
	unsigned watch = watched[domain] & ~(unsigned)ports[port]->trusted;

	if ((watched[domain] & CONTROL) && is_link_local())
		hand_over(CONTROL, port, domain);
	else if (ports[port]->state[domain] == BLOCKING)
		return;
	else if (ports[port]->secure && is_stranger(port, domain))
		hand_over(STRANGER, port, domain);
	else if ((watch & ARP) && word_at(12) == ETH_P_ARP)
		hand_over(ARP, port, domain);
	else if ((watch & DHCP) && is_dhcp())
		hand_over(DHCP, port, domain);
	else
		forward(port, domain);
}

static void read_port(int port)
{
	for (int n = 0; n < BATCH && ports[port] && receive(ports[port]->fd); n++) {
		unsigned domain = ports[port]->domain_of[frame.tci & 0xfff];
		if (domain)
			judge(port, domain);
	}
}

/* ---- the controller ---- */

static void take_frame(const unsigned char *message, size_t size)
{
	struct handed handed;

	if (size < sizeof handed + ETHERNET || size - sizeof handed > sizeof frame.bytes)
		return;
	memcpy(&handed, message, sizeof handed);
	frame.header = handed.header;
	frame.tci = handed.tci;
	frame.size = size - sizeof handed;
	memcpy(frame.bytes, message + sizeof handed, frame.size);
	if (handed.port >= PORTS || handed.domain >= DOMAINS || !ports[handed.port])
		return;
	const struct port *port = ports[handed.port];
	if (handed.what == RAW)
		transmit(port, handed.tci & 0xfff);
	else if (handed.what == TRANSMIT && port->member[handed.domain])
		transmit(port, port->tag_of[handed.domain]);
	else if (handed.what == APPROVED)
		forward(handed.port, handed.domain);
	else if (handed.what == AGAIN)
		judge(handed.port, handed.domain);
}

static const char *open_port(int number, const char *name)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)number};
	struct port *port;

	if (ports[number])
		return "the port is open";
	if (!(port = calloc(1, sizeof *port)))
		return "no memory";
	if ((port->fd = open_socket(name)) < 0) {
		free(port);
		return strerror(errno);
	}
	ports[number] = port;
	epoll_ctl(poller, EPOLL_CTL_ADD, port->fd, &event);
	return NULL;
}

static void close_port(int number)
{
	sweep(is_of, number, 0);
	close(ports[number]->fd);
	free(ports[number]);
	ports[number] = NULL;
}

static void leave(int number, unsigned domain)
{
	struct port *port = ports[number];

	for (int tag = 0; tag < TAGS; tag++)
		if (port->domain_of[tag] == domain)
			port->domain_of[tag] = 0;
	port->member[domain] = port->state[domain] = 0;
	sweep(is_of, number, domain);
}

static void join(struct port *port, unsigned domain, unsigned tag)
{
	for (int former = 0; former < TAGS; former++)
		if (port->domain_of[former] == domain)
			port->domain_of[former] = 0;
	port->domain_of[tag] = (uint16_t)domain;
	port->tag_of[domain] = (uint16_t)tag;
	port->member[domain] = 1;
}

static void list_addresses(void)
{
	char text[32768];
	size_t used = 0;
	int64_t now = now_s();

	sweep(is_dead, -1, 0);
	for (int i = 0; i < BUCKETS; i++)
		for (const struct address *e = buckets[i]; e; e = e->next) {
			used += (size_t)snprintf(text + used, sizeof text - used,
						 "%d %d %02x:%02x:%02x:%02x:%02x:%02x %s %lld\n", e->port, e->domain,
						 e->mac[0], e->mac[1], e->mac[2], e->mac[3], e->mac[4], e->mac[5],
						 e->fixed ? "static" : "dynamic", (long long)(now - e->seen));
			if (used > sizeof text - 128) {
				say(text, used);
				used = 0;
			}
		}
	used += (size_t)snprintf(text + used, sizeof text - used, "end\n");
	say(text, used);
}

static int read_mac(const char *text, unsigned char *mac)
{
	return sscanf(text, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &mac[0], &mac[1], &mac[2], &mac[3], &mac[4], &mac[5]) == 6;
}

/* Commands about a port that is open. */
static const char *order_port(const char *verb, int number, const char *rest)
{
	struct port *port = ports[number];
	unsigned char mac[6];
	char text[64] = "";
	unsigned domain = 0;
	int value = 0;
	int read = sscanf(rest, "%u %63s", &domain, text);

	value = atoi(text);
	if (!strcmp(verb, "close"))
		close_port(number);
	else if (!strcmp(verb, "secure") && read == 1)
		port->secure = domain != 0;
	else if (!strcmp(verb, "isolate") && read == 1)
		port->isolated = domain != 0;
	else if (!strcmp(verb, "trust") && read == 1)
		port->trusted = (int)domain;
	else if (read < 1 || domain < 1 || domain >= DOMAINS)
		return "no such domain";
	else if (!strcmp(verb, "leave"))
		leave(number, domain);
	else if (read < 2)
		return "incomplete";
	else if (!strcmp(verb, "static") && read_mac(text, mac))
		keep(number, domain, mac, 1);
	else if (value < 0 || value >= TAGS)
		return "out of range";
	else if (!strcmp(verb, "join"))
		join(port, domain, (unsigned)value);
	else if (!strcmp(verb, "also"))
		port->domain_of[value] = (uint16_t)domain;
	else if (!strcmp(verb, "state") && value <= FORWARDING)
		port->state[domain] = (unsigned char)value;
	else
		return "not understood";
	return NULL;
}

/* Commands that are not about one port. */
static const char *order_switch(const char *verb, const char *rest, int *known)
{
	unsigned domain;
	int first, value;
	char text[64];
	unsigned char mac[6];

	*known = 1;
	if (!strcmp(verb, "list")) {
		list_addresses();
		return NULL;
	}
	if (!strcmp(verb, "flush")) {
		if (sscanf(rest, "%d %u", &first, &domain) != 2)
			return "incomplete";
		sweep(is_learned, first, domain);
		return NULL;
	}
	if (!strcmp(verb, "watch") || !strcmp(verb, "age")) {
		if (sscanf(rest, "%u %d", &domain, &value) != 2 || domain >= DOMAINS)
			return "no such domain";
		if (verb[0] == 'w')
			watched[domain] = (unsigned char)value;
		else
			ages[domain] = value;
		return NULL;
	}
	if (!strcmp(verb, "forget")) {
		if (sscanf(rest, "%u %63s", &domain, text) != 2 || !read_mac(text, mac))
			return "incomplete";
		struct address *entry = find(mac, domain);
		if (entry) {
			entry->fixed = 0;
			entry->seen = now_s() - ages[domain];
			find(mac, domain);
		}
		return NULL;
	}
	*known = 0;
	return NULL;
}

static void obey(char *line)
{
	char verb[16] = "", name[IFNAMSIZ] = "";
	int number = -1, at = 0, known;
	const char *why;

	if (sscanf(line, "%15s %n", verb, &at) < 1)
		return;
	why = order_switch(verb, line + at, &known);
	if (!known) {
		int past = 0;
		if (sscanf(line + at, "%d %n", &number, &past) < 1 || number < 0 || number >= PORTS)
			why = "no such port";
		else if (!strcmp(verb, "open"))
			why = sscanf(line + at + past, "%15s", name) == 1 ? open_port(number, name) : "incomplete";
		else if (!ports[number])
			why = "the port is not open";
		else
			why = order_port(verb, number, line + at + past);
	}
	if (why)
		complain(line, why);
}

static void read_control(void)
{
	static unsigned char message[sizeof(struct handed) + FRAME_MAX + 1];
	ssize_t size = recv(control, message, sizeof message - 1, 0);
	char *rest;

	if (size < 0 && errno == EINTR)
		return;
	if (size <= 0)
		exit(0);
	if (!message[0]) {
		take_frame(message, (size_t)size);
		return;
	}
	message[size] = 0;
	for (char *line = strtok_r((char *)message, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		obey(line);
}

/* An interface that went down or away says so once; what is done about it is the controller's business. */
static void clear_error(int port)
{
	int error;
	socklen_t size = sizeof error;

	getsockopt(ports[port]->fd, SOL_SOCKET, SO_ERROR, &error, &size);
}

int main(void)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = PORTS}, events[BATCH];

	prctl(PR_SET_TIMERSLACK, 1);
	for (int i = 0; i < DOMAINS; i++)
		ages[i] = DEFAULT_AGE;
	if ((poller = epoll_create1(EPOLL_CLOEXEC)) < 0 || epoll_ctl(poller, EPOLL_CTL_ADD, control, &event)) {
		perror("switch: cannot watch its controller");
		return 1;
	}
	for (;;) {
		int ready = epoll_wait(poller, events, BATCH, -1);
		if (ready < 0 && errno != EINTR) {
			perror("switch: cannot wait");
			return 1;
		}
		for (int i = 0; i < ready; i++) {
			uint32_t which = events[i].data.u32;
			if (which == PORTS) {
				read_control();
				break; /* it may have closed ports that are among the events */
			}
			if (ports[which] && (events[i].events & EPOLLERR))
				clear_error((int)which);
			if (ports[which])
				read_port((int)which);
		}
	}
}
