/*
 * adjacencies: preloaded into ospfd of an IOS router, it gives a neighbor up that does not answer database descriptions
 * (FRR repeats them for ever), and tells the log which hello packets are of the wrong area (FRR drops them silently).
 *
 * Owns: how often a description was repeated, which neighbors are ignored until when, and what hellos were sent. It knows
 * OSPF packets, and of FRR only the first fields of the description of a timer ("xref"): who sets it.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <syslog.h>
#include <time.h>

#define REPEATS "ospf_db_desc_timer"
#define STARTS "nsm_timer_set"
#define LASTS "ospf_inactivity_timer"
#define HEARS "_received" /* nsm_packet_received, or nsm_hello_received */

enum { MOST = 25, IGNORED_S = 60, GIVE_UP = 13 /* NSM_LLDown, which FRR itself does not use */ };
enum { SLOTS = 256, HELLO = 1, OSPF_HEADER = 24, HELLO_FIXED = 20 };

struct timer {
	void *data;
	int type, line;
	const char *file, *set_by, *callback;
};

struct sender {
	uint32_t address, router;
	char interface[IF_NAMESIZE];
};

typedef void *add_timer(const struct timer *, void *, void (*)(void *), void *, long, void **);
typedef void *add_event(const struct timer *, void *, void (*)(void *), void *, int, void **);
typedef void to_log(const void *, int, const char *, va_list);

static struct neighbor {
	const void *frr;
	struct sender from;
	int repeated;
} neighbors[SLOTS];

static struct ignored {
	struct sender from;
	time_t until;
} ignored[SLOTS];

static struct spoken {
	uint32_t address, mask, area;
	time_t until;
} spoken[SLOTS];

static struct sender now_from; /* of the packet that is being processed */
static unsigned next_neighbor, next_ignored, next_spoken;
static add_timer *real_add_timer;
static add_event *event;
static void (*state_machine)(void *);
static to_log *log_line;
static ssize_t (*real_receive)(int, struct msghdr *, int);
static ssize_t (*real_send)(int, const struct msghdr *, int);

static void *either(void *handle, const char *name, const char *other)
{
	void *found = dlsym(handle, name);

	return found ? found : dlsym(handle, other);
}

__attribute__((constructor)) static void find(void)
{
	real_add_timer = (add_timer *)either(RTLD_NEXT, "_thread_add_timer", "_event_add_timer");
	event = (add_event *)either(RTLD_DEFAULT, "_thread_add_event", "_event_add_event");
	state_machine = (void (*)(void *))dlsym(RTLD_DEFAULT, "ospf_nsm_event");
	log_line = (to_log *)dlsym(RTLD_DEFAULT, "vzlogx");
	real_receive = (ssize_t(*)(int, struct msghdr *, int))dlsym(RTLD_NEXT, "recvmsg");
	real_send = (ssize_t(*)(int, const struct msghdr *, int))dlsym(RTLD_NEXT, "sendmsg");
}

static time_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now); /* lab time, as ospfd's */
	return now.tv_sec;
}

static void say(const char *format, ...)
{
	va_list values;

	if (!log_line)
		return;
	va_start(values, format);
	log_line(NULL, LOG_NOTICE, format, values);
	va_end(values);
}

static void say_of(const char *what, const struct sender *from)
{
	char address[INET_ADDRSTRLEN], router[INET_ADDRSTRLEN];

	inet_ntop(AF_INET, &from->address, address, sizeof(address));
	inet_ntop(AF_INET, &from->router, router, sizeof(router));
	say("netbench: %s: router %s, address %s, interface %s", what, router, address, from->interface);
}

/* --- neighbors that do not answer --- */

static struct neighbor *neighbor_of(const void *frr)
{
	for (unsigned at = 0; at < SLOTS; at++)
		if (neighbors[at].frr == frr)
			return &neighbors[at];
	return NULL;
}

static void hear(const void *frr)
{
	struct neighbor *found = neighbor_of(frr);

	if (!found) {
		found = &neighbors[next_neighbor++ % SLOTS];
		*found = (struct neighbor){.frr = frr};
	}
	found->from = now_from;
}

static void end_ignoring(void *thread)
{
	(void)thread;
	for (unsigned at = 0; at < SLOTS; at++) {
		if (!ignored[at].until || ignored[at].until > seconds())
			continue;
		say_of("ignored long enough", &ignored[at].from);
		ignored[at].until = 0;
	}
}

static void give_up(const struct timer *timer, void *loop, void *frr, struct neighbor *found)
{
	ignored[next_ignored++ % SLOTS] = (struct ignored){.from = found->from, .until = seconds() + IGNORED_S};
	found->repeated = 0;
	event(timer, loop, state_machine, frr, GIVE_UP, NULL);
	real_add_timer(timer, loop, end_ignoring, NULL, IGNORED_S, NULL);
}

static void *add(const struct timer *timer, void *loop, void (*call)(void *), void *arg, long after, void **place)
{
	if (timer && timer->set_by && timer->callback && !(place && *place)) {
		struct neighbor *found;

		if (strstr(timer->callback, LASTS) && strstr(timer->set_by, HEARS)) {
			hear(arg);
		} else if (!strcmp(timer->set_by, STARTS) && strstr(timer->callback, REPEATS)) {
			if ((found = neighbor_of(arg)))
				found->repeated = 0;
		} else if (!strcmp(timer->set_by, REPEATS) && event && state_machine) {
			if ((found = neighbor_of(arg)) && ++found->repeated > MOST) {
				give_up(timer, loop, arg, found);
				return NULL;
			}
		}
	}
	return real_add_timer(timer, loop, call, arg, after, place);
}

/* FRR 8 and 9 */
__attribute__((visibility("default"))) void *_thread_add_timer(const struct timer *timer, void *loop,
							       void (*call)(void *), void *arg, long after,
							       void **place)
{
	return add(timer, loop, call, arg, after, place);
}

/* FRR 10 */
__attribute__((visibility("default"))) void *_event_add_timer(const struct timer *timer, void *loop,
							      void (*call)(void *), void *arg, long after,
							      void **place)
{
	return add(timer, loop, call, arg, after, place);
}

/* --- packets --- */

static uint32_t word(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static void name_interface(int socket, struct msghdr *message, char *name)
{
	struct ifreq request = {0};

	*name = 0;
	for (struct cmsghdr *one = CMSG_FIRSTHDR(message); one; one = CMSG_NXTHDR(message, one)) {
		struct in_pktinfo info;

		if (one->cmsg_level != IPPROTO_IP || one->cmsg_type != IP_PKTINFO)
			continue;
		memcpy(&info, CMSG_DATA(one), sizeof(info));
		request.ifr_ifindex = info.ipi_ifindex;
		/* of the socket's namespace, which is that of a VRF */
		if (!ioctl(socket, SIOCGIFNAME, &request))
			memcpy(name, request.ifr_name, IF_NAMESIZE);
	}
}

static int is_ignored(void)
{
	for (unsigned at = 0; at < SLOTS; at++)
		if (ignored[at].until && ignored[at].from.address == now_from.address &&
		    !strcmp(ignored[at].from.interface, now_from.interface))
			return 1;
	return 0;
}

/* Tell the log of a hello of the backbone on a network where hellos of another area are sent. */
static void check_area(const uint8_t *ospf)
{
	if (ospf[1] != HELLO || word(ospf + 8))
		return;
	for (unsigned at = 0; at < SLOTS; at++) {
		const struct spoken *own = &spoken[at];

		if (own->until > seconds() && own->area && own->address != now_from.address &&
		    (own->address & own->mask) == (now_from.address & own->mask)) {
			say_of("hello of the backbone", &now_from);
			return;
		}
	}
}

__attribute__((visibility("default"))) ssize_t recvmsg(int socket, struct msghdr *message, int flags)
{
	for (;;) {
		ssize_t size = real_receive(socket, message, flags);
		const uint8_t *ip = message->msg_iovlen ? message->msg_iov[0].iov_base : NULL;
		size_t header = ip && size > 20 ? (size_t)(ip[0] & 15) * 4 : 0;

		if (!header || ip[0] >> 4 != 4 || ip[9] != 89 || (size_t)size < header + OSPF_HEADER)
			return size;
		now_from = (struct sender){.address = word(ip + 12), .router = word(ip + header + 4)};
		name_interface(socket, message, now_from.interface);
		if (is_ignored())
			continue;
		if ((size_t)size >= header + OSPF_HEADER + HELLO_FIXED)
			check_area(ip + header);
		return size;
	}
}

static void note_spoken(uint32_t address, const uint8_t *ospf)
{
	struct spoken *slot = NULL;

	if (!word(ospf + 24)) /* no mask: a virtual link, or a line without a network */
		return;
	for (unsigned at = 0; at < SLOTS && !slot; at++)
		if (spoken[at].address == address)
			slot = &spoken[at];
	if (!slot)
		slot = &spoken[next_spoken++ % SLOTS];
	*slot = (struct spoken){.address = address,
				.mask = word(ospf + 24),
				.area = word(ospf + 8),
				.until = seconds() + (time_t)ntohl(word(ospf + 32))};
}

__attribute__((visibility("default"))) ssize_t sendmsg(int socket, const struct msghdr *message, int flags)
{
	if (message->msg_iovlen == 2 && message->msg_iov[0].iov_len >= 20 &&
	    message->msg_iov[1].iov_len >= OSPF_HEADER + HELLO_FIXED) {
		const uint8_t *ip = message->msg_iov[0].iov_base, *ospf = message->msg_iov[1].iov_base;

		if (ip[9] == 89 && ospf[1] == HELLO)
			note_spoken(word(ip + 12), ospf);
	}
	return real_send(socket, message, flags);
}
