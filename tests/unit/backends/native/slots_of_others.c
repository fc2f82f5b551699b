/*
 * Whether the pacer frees a place whose thread has ended, and leaves it to a thread that took it while it was looked at.
 * Built together with the pacer's other files. Prints two numbers: the state of each place afterwards.
 */
#define main pacer_main
#include "pacer.c"
#undef main

int main(void)
{
	static struct slot own, anothers;
	struct task ended = {.pid = getpid(), .tid = 1000000};

	for (int i = 0; i < MOST_SLOTS; i++)
		threads[i].stat = threads[i].wchan = -1;
	own = (struct slot){.state = BUSY, .pid = ended.pid, .tid = ended.tid};
	anothers = (struct slot){.state = BUSY, .pid = ended.pid, .tid = getpid()};
	forget(&own, &threads[0], ended, BUSY);
	forget(&anothers, &threads[1], ended, BUSY);
	printf("%u %u\n", own.state, anothers.state);
	return 0;
}
