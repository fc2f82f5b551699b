/*
 * hostroutes: preloaded into bgpd of an IOS router, it lets a path be valid whose prefix is the host route of its own
 * next hop, as on IOS: the next hop may be known from another protocol. FRR calls every such path inaccessible ("prefix
 * loops through itself") without a look at the routing table.
 *
 * Owns: the answer of prefix_same() to bgp_find_or_add_nexthop(), which asks it for this check only.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

#define ASKING "bgp_find_or_add_nexthop"

typedef int same(const void *, const void *);

static same *real_same;
static uintptr_t from, until;

__attribute__((constructor)) static void find(void)
{
	void *asking = dlsym(RTLD_DEFAULT, ASKING);
	ElfW(Sym) *symbol = NULL;
	Dl_info info;

	real_same = (same *)dlsym(RTLD_NEXT, "prefix_same");
	if (asking && dladdr1(asking, &info, (void **)(void *)&symbol, RTLD_DL_SYMENT) && symbol) {
		from = (uintptr_t)asking;
		until = from + symbol->st_size;
	}
}

__attribute__((visibility("default"))) int prefix_same(const void *one, const void *other)
{
	uintptr_t caller = (uintptr_t)__builtin_return_address(0);

	if (from < caller && caller <= until)
		return 0;
	return real_same(one, other);
}
