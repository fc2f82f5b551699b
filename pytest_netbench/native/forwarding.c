/*
 * forwarding: preloaded into ospfd of an IOS router, it lets external LSAs name a forwarding address only on networks
 * where IOS does. FRR names the next hop of a route on every network of OSPF, also on passive and point-to-point ones.
 *
 * Owns: the answer of prefix_match() to the origination of external LSAs, which asks it whether the next hop is on a
 * network of OSPF. The prefix list that is named below permits the next hops that count as being on none.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The origination is not exported. In ospfd it is between these two functions. */
#define BEFORE "ospf_lsa_new"
#define AFTER "ospf_lsa_new_and_data"
#define LIST "netbench-no-forwarding"

enum { AFI_IP = 1, PERMIT = 1 };

typedef int match(const void *, const void *);
typedef void *lookup(int, const char *);
typedef int apply(void *, const void **, const void *, bool);

static match *real_match;
static lookup *find_list;
static apply *apply_list;
static uintptr_t from, until;

__attribute__((constructor)) static void find(void)
{
	real_match = (match *)dlsym(RTLD_NEXT, "prefix_match");
	find_list = (lookup *)dlsym(RTLD_DEFAULT, "prefix_list_lookup");
	apply_list = (apply *)dlsym(RTLD_DEFAULT, "prefix_list_apply_ext");
	from = (uintptr_t)dlsym(RTLD_DEFAULT, BEFORE);
	until = (uintptr_t)dlsym(RTLD_DEFAULT, AFTER);
}

__attribute__((visibility("default"))) int prefix_match(const void *network, const void *next_hop)
{
	uintptr_t caller = (uintptr_t)__builtin_return_address(0);

	if (from && from < caller && caller < until && find_list && apply_list) {
		void *list = find_list(AFI_IP, LIST);

		if (list && apply_list(list, NULL, next_hop, false) == PERMIT)
			return 0;
	}
	return real_match(network, next_hop);
}
