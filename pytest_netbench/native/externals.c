/*
 * externals: preloaded into ospfd of an IOS router, it marks external routes for zebra, so that other daemons can tell
 * them from internal ones (see redistribution.c). zebra passes flags on that it does not know.
 *
 * Owns: two flags of the routes that ospfd sends. With "send-extra-data zebra", the type of its path is the end of each.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FIRST "External-1"
#define SECOND "External-2"

enum { HEADER = 10, AT_ROUTE_FLAGS = HEADER + 3, EXTRA = 64, SHORTEST = 96 };
enum { TYPE_1 = 0x80, TYPE_2 = 0x40 }; /* in the first byte of the flags */

typedef int encode(uint8_t, void *, void *);

static encode *real_encode;
static uint8_t *(*data_of)(void *);
static size_t (*begins)(void *), (*ends)(void *);

__attribute__((constructor)) static void find(void)
{
	real_encode = (encode *)dlsym(RTLD_NEXT, "zapi_route_encode");
	data_of = (uint8_t * (*)(void *)) dlsym(RTLD_DEFAULT, "stream_pnt");
	begins = (size_t(*)(void *))dlsym(RTLD_DEFAULT, "stream_get_getp");
	ends = (size_t(*)(void *))dlsym(RTLD_DEFAULT, "stream_get_endp");
}

__attribute__((visibility("default"))) int zapi_route_encode(uint8_t command, void *stream, void *route)
{
	int answer = real_encode(command, stream, route);
	uint8_t *data;
	const char *type;

	if (answer < 0 || !data_of || !begins || !ends || begins(stream) || ends(stream) < SHORTEST)
		return answer;
	data = data_of(stream);
	type = (const char *)data + ends(stream) - EXTRA;
	if (!strncmp(type, FIRST, sizeof(FIRST)))
		data[AT_ROUTE_FLAGS] |= TYPE_1;
	else if (!strncmp(type, SECOND, sizeof(SECOND)))
		data[AT_ROUTE_FLAGS] |= TYPE_2;
	return answer;
}
