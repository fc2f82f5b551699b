/*
 * pacer: moves the clock of a lab by events. When every thread that goes by the clock sleeps and nothing is on its way
 * to one, it moves the clock to the next deadline and ends the waits whose time has come.
 *
 *   pacer CLOCK PROC SLOTS SECONDS GRAIN SHARE [NAMESPACE…]
 *     CLOCK      the clock page
 *     PROC       a proc file system of the threads' pid namespace
 *     SLOTS      descriptor of the slots
 *     SECONDS    lab seconds to pass
 *     GRAIN      seconds by which a deadline may be late, so that waits end together; 0: nothing that is measured counts
 *     SHARE      by what part of its wait it may be late at most, e.g. 0.05
 *     NAMESPACE  descriptors of the network namespaces whose links and addresses are waited for
 *
 * It ends when the time has passed or at SIGTERM, and prints one line: lab nanoseconds passed, moves of the clock, looks,
 * wall nanoseconds that the clock passed like the wall, and the id of the last process that was awake, or 0.
 *
 * While a thread is awake, lab time passes by the processor time that the lab's processes use, so waiting for a
 * processor costs no lab time. After a second of that, and while something is on its way, it passes like the wall.
 *
 * With a grain of 0 nothing that is measured moves the clock, so that what a daemon does follows from lab time alone. It
 * only shows whole milliseconds, and stands while a thread is awake or something is on its way. FRR cuts its waits to
 * whole milliseconds and then asks again and again: a thread that has worked for long has a millisecond passed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pacer.h"

#define LONGEST_AWAKE_NS NS
#define KICK_AGAIN_NS 200000
#define PAUSE_US 10
#define LONGEST_PAUSE_US 250
#define PAUSE_SHARE 16 /* while threads work, look again after such a part of the time that they have worked */
#define COUNT_AGAIN_NS 500000
#define MS 1000000LL
#define LONGEST_HELD_NS (5 * NS) /* then the wall takes over, if the grain is 0 */
#define WORKED_LONG_NS (100 * MS)
#define ASKED_NS (3 * NS) /* after so long the kernel gives a neighbor up */

enum look { ASLEEP, AWAKE, ON_ITS_WAY };

static struct page *page;
static struct slots *slots;
static struct thread threads[MOST_SLOTS];
static int64_t lab_ns, grain_ns, looks, moves, held_ns;
static double share;
static int culprit;
static uint32_t last_awake;
static volatile sig_atomic_t is_over;

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	return clock_gettime(clock, &now) == 0 ? now.tv_sec * NS + now.tv_nsec : 0;
}

static int64_t wall_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static void set_clock(int64_t lab)
{
	__atomic_fetch_add(&page->sequence, 1, __ATOMIC_SEQ_CST);
	page->base_real_ns = wall_ns();
	page->base_line_ns += lab - lab_ns;
	page->base_lab_ns = lab_ns = lab;
	page->factor = 0;
	__atomic_fetch_add(&page->sequence, 1, __ATOMIC_SEQ_CST);
}

/* Stop the clock where it is; returns what it shows. */
static int64_t take_over(void)
{
	int64_t now, passed;

	__atomic_fetch_add(&page->sequence, 1, __ATOMIC_SEQ_CST);
	now = wall_ns();
	passed = passing_ns(page, now - page->base_real_ns);
	page->base_real_ns = now;
	page->base_line_ns += passed;
	page->base_lab_ns = lab_ns = page->base_lab_ns + (int64_t)((double)passed * page->factor);
	page->factor = 0;
	page->most_lab_ns = NEVER;
	__atomic_fetch_add(&page->sequence, 1, __ATOMIC_SEQ_CST);
	return lab_ns;
}

static uint32_t used_slots(void)
{
	uint32_t count = __atomic_load_n(&slots->count, __ATOMIC_ACQUIRE);

	return count < MOST_SLOTS ? count : MOST_SLOTS;
}

/* ---- looking ---- */

/* Free a slot whose thread has ended, unless it is another's by now: its process may have given it to a thread that begins
 * while this one was looked at, and such a one says the same. */
static void forget(struct slot *slot, struct thread *thread, struct task task, uint32_t said)
{
	uint32_t taken = TAKEN, same = said;

	close_files(thread);
	if (!__atomic_compare_exchange_n(&slot->state, &same, TAKEN, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	if (slot->pid != task.pid || __atomic_load_n(&slot->tid, __ATOMIC_ACQUIRE) != task.tid) {
		__atomic_compare_exchange_n(&slot->state, &taken, said, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
		return;
	}
	slot->pid = 0;
	__atomic_store_n(&slot->tid, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&slot->state, GONE, __ATOMIC_RELEASE);
}

static int is_stopped(char state)
{
	return state == 'T' || state == 't';
}

/* Whether a slot's thread is awake. One that is stopped is not: it takes up nothing before it is continued. When it has
 * been, it is awake once: its deadline was not looked at. */
static int is_awake(uint32_t index)
{
	struct slot *slot = &slots->slot[index];
	uint32_t said = __atomic_load_n(&slot->state, __ATOMIC_SEQ_CST);
	struct task task = {slot->pid, __atomic_load_n(&slot->tid, __ATOMIC_ACQUIRE)};
	int was_stopped = is_stopped(threads[index].seen), is_beginning = task.pid < 0 || !task.tid;
	char state;

	if (said == UNUSED || said == GONE)
		return 0;
	state = is_beginning ? starters_state(task.pid) : kernel_state(task, &threads[index]);
	if (state == 0 || state == 'Z' || state == 'X')
		forget(slot, &threads[index], task, said);
	else if (is_beginning || (!is_stopped(state) && (said != IDLE || state != 'S' || was_stopped)))
		return 1;
	return 0;
}

static int is_awake_still(void)
{
	if (last_awake >= used_slots() || !is_awake(last_awake))
		return 0;
	culprit = slots->slot[last_awake].pid;
	return 1;
}

static int is_any_awake(int idle)
{
	uint32_t count = used_slots();

	for (uint32_t i = 0; i < count; i++)
		if ((__atomic_load_n(&slots->slot[i].state, __ATOMIC_SEQ_CST) == IDLE) == idle && is_awake(i)) {
			last_awake = i;
			culprit = slots->slot[i].pid;
			return 1;
		}
	return 0;
}

/* Look at all threads once, at those first that say that they work, as this costs least. */
static enum look look_at_threads(void)
{
	return is_awake_still() || is_any_awake(0) || is_any_awake(1) ? AWAKE : ASLEEP;
}

static uint64_t waits_begun(void)
{
	uint32_t count = used_slots();
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += __atomic_load_n(&slots->slot[i].begun, __ATOMIC_ACQUIRE);
	return sum + count;
}

/* ---- one look at everything ---- */

static void find_connections(void)
{
	uint32_t used = used_slots();

	for (uint32_t i = 0; i < used; i++) {
		struct slot *slot = &slots->slot[i];
		if (slot->has_tcp && slot->pid > 0 && !threads[i].has_tcp) {
			threads[i].has_tcp = 1;
			watch_connections(slot->pid);
		}
	}
}

static int is_exact(void)
{
	return grain_ns == 0;
}

/* The first whole millisecond that is not before a moment. */
static int64_t whole(int64_t moment)
{
	return (moment + MS - 1) / MS * MS;
}

/* The latest moment at which no deadline is late by more than it may be. */
static int64_t next_moment(int64_t end)
{
	uint32_t count = used_slots();
	int64_t moment = end;

	for (uint32_t i = 0; i < count; i++) {
		struct slot *slot = &slots->slot[i];
		int64_t deadline = slot->deadline_ns, slack = (int64_t)((double)slot->wait_ns * share);
		if (__atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) != IDLE || deadline >= end)
			continue;
		if (is_stopped(threads[i].seen))
			continue;
		deadline += slack < grain_ns ? slack : grain_ns;
		moment = deadline < moment ? deadline : moment;
	}
	if (is_exact())
		moment = whole(moment) < end ? whole(moment) : end;
	return moment > lab_ns ? moment : lab_ns;
}

/* Two looks: a thread that was seen asleep may have been woken by one that was awake then and sleeps now. The deadlines are
 * read in between: those of waits that have not begun again since are the ones of all that sleep. */
static enum look look(int64_t end, int64_t *moment)
{
	uint64_t begun = waits_begun();

	looks++;
	if (slots->overflown) /* there are threads of which nobody knows */
		return ON_ITS_WAY;
	if (look_at_threads() != ASLEEP)
		return AWAKE;
	find_connections();
	if (has_on_its_way())
		return ON_ITS_WAY;
	*moment = next_moment(end);
	if (look_at_threads() != ASLEEP || waits_begun() != begun)
		return AWAKE;
	return ASLEEP;
}

/* ---- moving ---- */

/* End the waits whose time has come; whether there are any. */
static int end_waits(int64_t wall)
{
	uint32_t count = used_slots();
	int are_due = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct slot *slot = &slots->slot[i];
		if (__atomic_load_n(&slot->state, __ATOMIC_SEQ_CST) != IDLE || slot->deadline_ns > lab_ns)
			continue;
		are_due |= !is_stopped(threads[i].seen);
		if (wall - threads[i].kicked_ns < KICK_AGAIN_NS)
			continue;
		threads[i].kicked_ns = wall;
		syscall(SYS_tgkill, slot->pid, slot->tid, KICK);
	}
	return are_due;
}

/* The most processor time that a process of the lab has used since the last call. */
static int64_t processor_time(void)
{
	uint32_t count = used_slots();
	int64_t most = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct slot *slot = &slots->slot[i];
		int is_main = slot->pid && slot->pid == slot->tid;
		if (!is_main || __atomic_load_n(&slot->state, __ATOMIC_RELAXED) == GONE)
			continue;
		int64_t used = clock_ns((clockid_t)(~(unsigned)slot->pid << 3 | 2));
		int64_t more = threads[i].used_ns ? used - threads[i].used_ns : 0;
		threads[i].used_ns = used;
		most = more > most ? more : most;
	}
	return most;
}

static void stop(int number)
{
	(void)number;
	is_over = 1;
}

/* By how much lab time passes while threads work, if nothing that is measured may count. */
static int64_t worked_long(int64_t *used)
{
	*used += processor_time();
	if (*used < WORKED_LONG_NS)
		return 0;
	*used = 0;
	return whole(lab_ns + 1) - lab_ns;
}

/* By how much lab time passes while threads work. Asking all processes costs much, so it is done every half millisecond:
 * work that takes less takes no lab time. */
static int64_t worked(int64_t wall, int64_t *counted)
{
	int64_t passed = wall - *counted, used;

	if (passed < COUNT_AGAIN_NS)
		return 0;
	*counted = wall;
	used = processor_time();
	return used < passed ? used : passed;
}

/* Whether the wall takes over. */
static int is_late(enum look seen, int64_t awake_ns)
{
	if (is_exact())
		return awake_ns > LONGEST_HELD_NS;
	return seen == ON_ITS_WAY || awake_ns > LONGEST_AWAKE_NS;
}

/* By how much lab time passes at a look that found not all asleep. */
static int64_t step_of(enum look seen, int64_t wall, int64_t *counted, int64_t *used)
{
	if (!is_exact())
		return worked(wall, counted);
	return seen == AWAKE ? worked_long(used) : 0;
}

static void pause_for(int64_t awake_ns)
{
	int64_t us = awake_ns / 1000 / PAUSE_SHARE;

	usleep((useconds_t)(us < PAUSE_US ? PAUSE_US : us < LONGEST_PAUSE_US ? us : LONGEST_PAUSE_US));
}

static void run(int64_t end)
{
	int64_t slept = wall_ns(), before = slept, counted = slept, used = 0;
	int are_due = is_exact(); /* what is due at the end belongs to it */

	processor_time();
	while ((lab_ns < end || are_due) && !is_over) {
		int64_t moment = lab_ns;
		enum look seen = look(end, &moment);
		int64_t wall = wall_ns(), passed = wall - before;
		before = wall;
		if (seen == ASLEEP) {
			slept = counted = wall;
			used = 0;
			moves++;
			set_clock(moment);
			are_due = end_waits(wall) && is_exact();
		} else {
			int is_over_due = is_late(seen, wall - slept);
			int64_t step = is_over_due ? passed : step_of(seen, wall, &counted, &used);
			held_ns += seen == ON_ITS_WAY || is_over_due ? passed : 0;
			set_clock(lab_ns + step < end ? lab_ns + step : end);
			end_waits(wall);
			are_due = is_exact() && step == 0; /* who works on would do so for ever */
			pause_for(wall - slept);
		}
	}
}

/* From now on each thread looks at the clock by himself again. */
static void let_go(void)
{
	uint32_t count = used_slots();

	__atomic_store_n(&slots->paced, 0, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < count; i++) {
		struct slot *slot = &slots->slot[i];
		if (__atomic_load_n(&slot->state, __ATOMIC_SEQ_CST) != IDLE || slot->deadline_ns == NEVER)
			continue;
		syscall(SYS_tgkill, slot->pid, slot->tid, KICK);
	}
}

static void *mapped(int fd, size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED) {
		perror("pacer");
		exit(2);
	}
	return at;
}

int main(int argc, char **argv)
{
	int64_t began, end;

	if (argc < 7) {
		fprintf(stderr, "usage: pacer CLOCK PROC SLOTS SECONDS GRAIN SHARE [NAMESPACE...]\n");
		return 2;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGTERM, stop);
	prctl(PR_SET_TIMERSLACK, 1);
	ask_for_short_slices();
	page = mapped(open(argv[1], O_RDWR | O_CLOEXEC), sizeof *page);
	open_sleepers(argv[2]);
	slots = mapped(atoi(argv[3]), sizeof *slots);
	grain_ns = (int64_t)(atof(argv[5]) * 1e9);
	share = atof(argv[6]);
	open_kernel(argv[2], argc - 7, argv + 7);
	for (uint32_t i = 0; i < MOST_SLOTS; i++)
		threads[i].stat = threads[i].wchan = -1;
	end = (began = take_over()) + (int64_t)(atof(argv[4]) * 1e9);
	if (is_exact()) /* it was told as a fraction */
		end = (end + MS / 2) / MS * MS;
	__atomic_store_n(&slots->paced, 1, __ATOMIC_SEQ_CST);
	run(end);
	let_go();
	if (lab_ns - began >= ASKED_NS)
		visit_namespaces(forget_unresolved);
	printf("%lld %lld %lld %lld %d\n", (long long)(lab_ns - began), (long long)moves, (long long)looks,
	       (long long)held_ns, culprit);
	return 0;
}
