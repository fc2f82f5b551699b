/* Does one wait and prints, in seconds: lab time passed, wall time passed, the call's result. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double at(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Seconds of the wall, which no library has a say in. */
static inline double wall_clock(void)
{
	struct timespec t;
	if (syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t)) abort();
	return t.tv_sec + t.tv_nsec / 1e9;
}

static struct timespec in(clockid_t clock, double seconds)
{
	struct timespec t;
	clock_gettime(clock, &t);
	long long ns = t.tv_sec * 1000000000LL + t.tv_nsec + (long long)(seconds * 1e9);
	return (struct timespec){ns / 1000000000, ns % 1000000000};
}

static int condition(clockid_t clock, double seconds, int with_clockwait)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_condattr_t attr;
	pthread_cond_t cond;
	int error;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, clock);
	pthread_cond_init(&cond, &attr);
	pthread_mutex_lock(&mutex);
	struct timespec until = in(clock, seconds);
	do /* a spurious wake-up is every caller's to expect */
		error = with_clockwait ? pthread_cond_clockwait(&cond, &mutex, clock, &until)
				       : pthread_cond_timedwait(&cond, &mutex, &until);
	while (error == 0);
	return error;
}

static int wait_by(const char *how, double s)
{
	struct timespec ts = {(time_t)s, (long)((s - (time_t)s) * 1e9)};
	struct timeval tv = {(time_t)s, (long)((s - (time_t)s) * 1e6)};
	struct epoll_event event;
	struct pollfd none;

	if (!strcmp(how, "poll")) return poll(&none, 0, (int)(s * 1000));
	if (!strcmp(how, "ppoll")) return ppoll(&none, 0, &ts, NULL);
	if (!strcmp(how, "select")) { int r = select(0, NULL, NULL, NULL, &tv); return r || tv.tv_sec || tv.tv_usec; }
	if (!strcmp(how, "pselect")) return pselect(0, NULL, NULL, NULL, &ts, NULL);
	if (!strcmp(how, "epoll_wait")) return epoll_wait(epoll_create1(0), &event, 1, (int)(s * 1000));
	if (!strcmp(how, "epoll_pwait")) return epoll_pwait(epoll_create1(0), &event, 1, (int)(s * 1000), NULL);
	if (!strcmp(how, "nanosleep")) return nanosleep(&ts, NULL);
	if (!strcmp(how, "clock_nanosleep")) return clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
	if (!strcmp(how, "clock_nanosleep absolute")) { ts = in(CLOCK_MONOTONIC, s); return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL); }
	if (!strcmp(how, "clock_nanosleep realtime absolute")) { ts = in(CLOCK_REALTIME, s); return clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &ts, NULL); }
	if (!strcmp(how, "usleep")) return usleep((useconds_t)(s * 1e6));
	if (!strcmp(how, "sleep")) return (int)sleep((unsigned)s);
	if (!strcmp(how, "cond monotonic")) return condition(CLOCK_MONOTONIC, s, 0) == ETIMEDOUT ? 0 : 1;
	if (!strcmp(how, "cond realtime")) return condition(CLOCK_REALTIME, s, 0) == ETIMEDOUT ? 0 : 1;
	if (!strcmp(how, "clockwait monotonic")) return condition(CLOCK_MONOTONIC, s, 1) == ETIMEDOUT ? 0 : 1;
	if (!strcmp(how, "clockwait realtime")) return condition(CLOCK_REALTIME, s, 1) == ETIMEDOUT ? 0 : 1;
	if (!strcmp(how, "sem_timedwait")) { sem_t sem; sem_init(&sem, 0, 0); ts = in(CLOCK_REALTIME, s); return !(sem_timedwait(&sem, &ts) < 0 && errno == ETIMEDOUT); }
	if (!strcmp(how, "sem_clockwait")) { sem_t sem; sem_init(&sem, 0, 0); ts = in(CLOCK_MONOTONIC, s); return !(sem_clockwait(&sem, CLOCK_MONOTONIC, &ts) < 0 && errno == ETIMEDOUT); }
	if (!strcmp(how, "futex")) { int word = 0; long r; ts = in(CLOCK_MONOTONIC, s); do r = syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, &ts, NULL, ~0u); while (!r); return errno != ETIMEDOUT; }
	if (!strcmp(how, "poll zero")) return poll(&none, 0, 0);
	if (!strcmp(how, "poll in a child")) {
		int status;
		pid_t child = fork();
		if (!child) _exit(poll(&none, 0, (int)(s * 1000)));
		waitpid(child, &status, 0);
		return status;
	}
	if (!strcmp(how, "ready descriptor")) {
		int ends[2];
		if (pipe(ends) || write(ends[1], "x", 1) != 1) return -1;
		struct pollfd fd = {ends[0], POLLIN, 0};
		return poll(&fd, 1, (int)(s * 1000));
	}
	if (!strcmp(how, "forever until a child writes")) {
		int ends[2];
		if (pipe(ends)) return -1;
		if (!fork()) { usleep((useconds_t)(s * 1e6)); _exit(write(ends[1], "x", 1) != 1); }
		struct pollfd fd = {ends[0], POLLIN, 0};
		return poll(&fd, 1, -1);
	}
	if (!strcmp(how, "backwards")) { /* how often a clock reading was before the one before it */
		int back = 0;
		double stop = wall_clock() + s, last = 0;
		while (wall_clock() < stop) {
			double now = at(CLOCK_MONOTONIC);
			back += now < last;
			last = now;
		}
		return back;
	}
	fprintf(stderr, "unknown wait %s\n", how);
	exit(2);
}

int main(int argc, char **argv)
{
	(void)argc;
	if (!strcmp(argv[1], "clocks")) {
		printf("%.6f %.6f %.6f %.6f %.6f\n", at(CLOCK_MONOTONIC), at(CLOCK_MONOTONIC_RAW),
		       at(CLOCK_MONOTONIC_COARSE), at(CLOCK_BOOTTIME), at(CLOCK_REALTIME));
		return 0;
	}
	puts("begins");
	fflush(stdout);
	double lab = at(CLOCK_MONOTONIC), wall = wall_clock();
	int result = wait_by(argv[1], atof(argv[2]));
	printf("%.6f %.6f %d\n", at(CLOCK_MONOTONIC) - lab, wall_clock() - wall, result);
	return 0;
}
