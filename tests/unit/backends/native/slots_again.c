/*
 * A thread forks; before it runs again, the child has ended and another thread begins, which may take the child's place.
 *
 *   slots_again SECONDS
 *
 * Prints lab seconds that the other thread has slept.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds, slept;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void pause_by_wall(long ms)
{
	struct timespec pause = {.tv_nsec = ms * 1000000};
	syscall(SYS_nanosleep, &pause, NULL);
}

static void *fork_once(void *unused)
{
	pid_t child = fork();
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	return unused;
}

static void *sleep_long(void *unused)
{
	struct timespec wanted = {.tv_sec = (time_t)seconds};
	double began = now();
	while (nanosleep(&wanted, &wanted))
		;
	slept = now() - began;
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t forks, sleeps;

	if (argc != 2) return 2;
	seconds = atof(argv[1]);
	puts("begins");
	fflush(stdout);
	pause_by_wall(200); /* until the pacer runs */
	pthread_create(&forks, NULL, fork_once, NULL);
	pause_by_wall(200);
	pthread_create(&sleeps, NULL, sleep_long, NULL);
	pthread_join(sleeps, NULL);
	pthread_join(forks, NULL);
	printf("%.6f\n", slept);
	return 0;
}
