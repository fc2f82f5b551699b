/*
 * redistribution: preloaded into bgpd of an IOS router, it redistributes as IOS does what FRR cannot:
 *
 * - with "auto-summary", all subnets of a network of class A, B or C are one route to this network;
 * - of OSPF's routes, only some kinds, which externals.c marks.
 *
 * Prefix lists that are named after a VRF switch this on there.
 *
 * Owns: the prefixes of redistributed routes that bgpd reads from zebra, and which of their subnets are permitted. Route
 * maps still see the subnet. bgpd keeps one redistributed path for each prefix, of the source that it heard of last; it
 * must not hear of the end of a subnet while another one is permitted.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define SUMMARIES "netbench-auto-summary-%s"
#define NO_INTERNAL "netbench-no-internal-%s"
#define NO_EXTERNAL_1 "netbench-no-external-1-%s"
#define NO_EXTERNAL_2 "netbench-no-external-2-%s"
#define OSPF "ospf"
#define ASKING "bgp_redistribute_add"
#define ADD "ZEBRA_REDISTRIBUTE_ROUTE_ADD"
#define DEL "ZEBRA_REDISTRIBUTE_ROUTE_DEL"

enum { AFI_IP = 1, DENY = 0, PROTOCOL = 6, LONGEST = 128 };
/* a message of zebra: where its parts are */
enum { AT_VERSION = 3, AT_VRF = 4, AT_COMMAND = 8, AT_BODY = 10 };
/* its body, and a "struct prefix" */
enum { AT_TYPE = 0, AT_INSTANCE = 1, AT_ROUTE_FLAGS = 3, AT_MESSAGE = 10, AT_FAMILY = 12, AT_LENGTH = 13, AT_PREFIX = 14, SHORTEST = 18 };
enum { TYPE_1 = 0x80, TYPE_2 = 0x40 }; /* in the first byte of the flags */
enum { HAS_NEXT_HOP = 0x01, HAS_GROUP = 0x80, HAS_SOURCE = 0x20 }; /* in the last byte of the message's flags */
enum { HOP_TYPE = 6, HOP_ADDRESS = 8, IPV4 = 2, IPV4_INTERFACE = 3 }; /* behind the prefix */
enum { PREFIX_LENGTH = 2, PREFIX_ADDRESS = 8, PREFIX_SIZE = 56 };

struct subnet {
	struct subnet *next;
	uint32_t vrf, address;
	uint16_t instance;
	uint8_t type, length;
	bool summed, wanted, permitted;
	char map[LONGEST];
};

struct source {
	uint8_t type;
	uint16_t instance;
};

typedef int decode(void *, void *);
typedef int apply_map(void *, const void *, void *, void *, int *);
typedef int redistribute(int, void *, int, int, unsigned short, uint32_t);

static decode *real_decode;
static apply_map *real_apply;
static redistribute *real_redistribute;
static void *(*find_list)(int, const char *), *(*find_map)(const char *);
static uint8_t *(*body_of)(void *);
static size_t (*begins)(void *), (*ends)(void *);
static void (*end_at)(void *, size_t);
static uint8_t (*byte_at)(void *, size_t);
static uint16_t (*word_at)(void *, size_t);
static uint32_t (*long_at)(void *, size_t);
static const char *(*command_name)(unsigned int), *(*vrf_name)(uint32_t), *(*source_name)(unsigned int);
static uintptr_t from, until;
static bool usable;

static struct subnet *subnets;
static struct subnet *current; /* what bgpd handles at the moment */

static void *known(const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	usable = usable && found;
	return found;
}

__attribute__((constructor)) static void find(void)
{
	void *asking;
	ElfW(Sym) *symbol = NULL;
	Dl_info info;

	usable = true;
	real_decode = (decode *)dlsym(RTLD_NEXT, "zapi_route_decode");
	real_apply = (apply_map *)dlsym(RTLD_NEXT, "route_map_apply_ext");
	real_redistribute = (redistribute *)dlsym(RTLD_NEXT, "zebra_redistribute_send");
	find_list = known("prefix_list_lookup");
	find_map = known("route_map_lookup_by_name");
	body_of = known("stream_pnt");
	begins = known("stream_get_getp");
	ends = known("stream_get_endp");
	end_at = known("stream_set_endp");
	byte_at = known("stream_getc_from");
	word_at = known("stream_getw_from");
	long_at = known("stream_getl_from");
	command_name = known("zserv_command_string");
	vrf_name = known("vrf_id_to_name");
	source_name = known("zebra_route_string");
	asking = known(ASKING);
	if (asking && dladdr1(asking, &info, (void **)(void *)&symbol, RTLD_DL_SYMENT) && symbol) {
		from = (uintptr_t)asking;
		until = from + symbol->st_size;
	}
}

static uint8_t class_length(uint32_t address)
{
	uint8_t first = address >> 24;

	return first < 128 ? 8 : first < 192 ? 16 : first < 224 ? 24 : 32;
}

static uint32_t network(uint32_t address, uint8_t length)
{
	return length ? address & (UINT32_MAX << (32 - length)) : 0;
}

static uint32_t classful(uint32_t address)
{
	return network(address, class_length(address));
}

static bool is_on(const char *what, uint32_t vrf)
{
	char name[LONGEST];

	snprintf(name, sizeof(name), what, vrf_name(vrf));
	return find_list(AFI_IP, name) != NULL;
}

static bool is_wanted(const struct subnet *route, uint8_t flags)
{
	if (strcmp(source_name(route->type), OSPF))
		return true;
	return !is_on(flags & TYPE_1 ? NO_EXTERNAL_1 : flags & TYPE_2 ? NO_EXTERNAL_2 : NO_INTERNAL, route->vrf);
}

/* -- the subnets of each network ------------------------------------------------------------------------------------ */

static bool same_network(const struct subnet *one, const struct subnet *other)
{
	return one->vrf == other->vrf && classful(one->address) == classful(other->address);
}

static bool same_source(const struct subnet *one, const struct subnet *other)
{
	return one->vrf == other->vrf && one->type == other->type && one->instance == other->instance;
}

static bool same(const struct subnet *one, const struct subnet *other)
{
	return same_source(one, other) && one->address == other->address && one->length == other->length;
}

static struct subnet *put(const struct subnet *wanted)
{
	struct subnet *one = subnets;

	while (one && !same(one, wanted))
		one = one->next;
	if (!one && (one = malloc(sizeof(*one)))) {
		*one = *wanted;
		one->next = subnets;
		subnets = one;
	}
	if (one) {
		one->wanted = wanted->wanted;
		one->permitted = wanted->wanted; /* until a route map denies it */
	}
	return one;
}

static void drop(const struct subnet *like, bool (*is)(const struct subnet *, const struct subnet *))
{
	struct subnet **at = &subnets, *gone;

	while ((gone = *at)) {
		if (!is(gone, like)) {
			at = &gone->next;
			continue;
		}
		*at = gone->next;
		if (gone == current)
			current = NULL;
		free(gone);
	}
}

static const struct subnet *another(const struct subnet *than, const struct subnet *after)
{
	const struct subnet *one = after ? after->next : subnets;

	while (one && (one == than || !one->permitted || !same_network(one, than)))
		one = one->next;
	return one;
}

/* -- what bgpd calls ------------------------------------------------------------------------------------------------- */

static struct source *path_of(const struct subnet *subnet)
{
	/* the source that bgpd heard of last, by network */
	static struct path {
		struct path *next;
		uint32_t vrf, network;
		struct source source;
	} *paths;
	struct path *one = paths;

	while (one && (one->vrf != subnet->vrf || one->network != classful(subnet->address)))
		one = one->next;
	if (!one && (one = calloc(1, sizeof(*one)))) {
		one->vrf = subnet->vrf;
		one->network = classful(subnet->address);
		one->next = paths;
		paths = one;
	}
	return one ? &one->source : NULL;
}

/* Make this router the next hop, as it is of all summaries. */
static void own(const uint8_t *body, uint8_t *rest)
{
	uint8_t has = body[AT_MESSAGE];

	if ((has & HAS_NEXT_HOP) && !(has & (HAS_GROUP | HAS_SOURCE)) &&
	    (rest[HOP_TYPE] == IPV4 || rest[HOP_TYPE] == IPV4_INTERFACE))
		memset(rest + HOP_ADDRESS, 0, sizeof(uint32_t));
}

/* Put the classful network into a message; its prefix has as many bytes as its length needs. */
static void widen(void *stream, uint8_t *body, const struct subnet *subnet)
{
	uint8_t length = class_length(subnet->address), bytes = (length + 7) / 8, had = (subnet->length + 7) / 8;
	size_t end = ends(stream), rest = end - begins(stream) - AT_PREFIX - had;
	uint32_t address = htonl(classful(subnet->address));

	body[AT_LENGTH] = length;
	memcpy(body + AT_PREFIX, &address, bytes);
	memmove(body + AT_PREFIX + bytes, body + AT_PREFIX + had, rest);
	end_at(stream, end - (had - bytes));
	own(body, body + AT_PREFIX + bytes);
}

static bool read_subnet(void *stream, const uint8_t *body, struct subnet *found)
{
	size_t size = ends(stream) - begins(stream);
	uint32_t address = 0;

	if (begins(stream) != AT_BODY || byte_at(stream, AT_VERSION) != PROTOCOL || size < SHORTEST)
		return false;
	if (body[AT_FAMILY] != AF_INET || body[AT_LENGTH] > 32)
		return false;
	memcpy(&address, body + AT_PREFIX, (body[AT_LENGTH] + 7) / 8);
	*found = (struct subnet){
		.vrf = long_at(stream, AT_VRF),
		.address = ntohl(address),
		.length = body[AT_LENGTH],
		.type = body[AT_TYPE],
		.instance = (uint16_t)(body[AT_INSTANCE] << 8 | body[AT_INSTANCE + 1]),
	};
	found->summed = found->length >= class_length(found->address) && is_on(SUMMARIES, found->vrf);
	found->wanted = is_wanted(found, body[AT_ROUTE_FLAGS]);
	return true;
}

__attribute__((visibility("default"))) int zapi_route_decode(void *stream, void *route)
{
	static struct subnet alone;
	struct subnet subnet;
	struct source *path = NULL;
	uint8_t *body;
	const char *command;

	current = NULL;
	if (!usable)
		return real_decode(stream, route);
	body = body_of(stream);
	command = command_name(word_at(stream, AT_COMMAND));
	if (!read_subnet(stream, body, &subnet) || (subnet.summed && !(path = path_of(&subnet))))
		return real_decode(stream, route);
	if (!subnet.summed) {
		alone = subnet;
		current = &alone;
		return real_decode(stream, route);
	}
	if (!strcmp(command, ADD)) {
		current = put(&subnet);
		*path = (struct source){ .type = subnet.type, .instance = subnet.instance };
	} else if (!strcmp(command, DEL)) {
		drop(&subnet, same);
		if (another(&subnet, NULL))
			return -1;
		body[AT_TYPE] = path->type;
		body[AT_INSTANCE] = path->instance >> 8;
		body[AT_INSTANCE + 1] = path->instance & 0xFF;
	}
	widen(stream, body, &subnet);
	return real_decode(stream, route);
}

/* Apply a map to a subnet instead of its network. */
static int apply_to(void *map, const struct subnet *subnet, const void *prefix, void *match, void *set, int *pref)
{
	uint64_t copy[PREFIX_SIZE / sizeof(uint64_t)];
	uint16_t length = subnet->length;
	uint32_t address = htonl(subnet->address);

	memcpy(copy, prefix, sizeof(copy));
	memcpy((char *)copy + PREFIX_LENGTH, &length, sizeof(length));
	memcpy((char *)copy + PREFIX_ADDRESS, &address, sizeof(address));
	return real_apply(map, copy, match, set, pref);
}

__attribute__((visibility("default"))) int route_map_apply_ext(void *map, const void *prefix, void *match, void *set,
							      int *pref)
{
	uintptr_t caller = (uintptr_t)__builtin_return_address(0);
	const struct subnet *other = NULL;
	int answer;

	if (!current || caller <= from || until < caller)
		return real_apply(map, prefix, match, set, pref);
	if (map) /* its name is its first member */
		snprintf(current->map, sizeof(current->map), "%s", *(char **)map);
	answer = current->wanted ? apply_to(map, current, prefix, match, set, pref) : DENY;
	current->permitted = answer != DENY;
	while (answer == DENY && current->summed && (other = another(current, other)))
		if ((map = find_map(other->map)))
			answer = apply_to(map, other, prefix, match, set, pref);
	return answer;
}

/* zebra sends all routes of a source again, or none any more. */
__attribute__((visibility("default"))) int zebra_redistribute_send(int command, void *client, int afi, int type,
								  unsigned short instance, uint32_t vrf)
{
	struct subnet like = { .vrf = vrf, .type = (uint8_t)type, .instance = instance };

	if (afi == AFI_IP)
		drop(&like, same_source);
	return real_redistribute(command, client, afi, type, instance, vrf);
}
