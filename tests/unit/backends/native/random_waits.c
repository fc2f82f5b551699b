/*
 * Threads and processes that wait in drawn ways, for drawn times, over and over.
 *
 *   random_waits SEED PROCESSES THREADS SECONDS
 *
 * Each wait is checked: not early, and not lost. Each process prints a line when all
 * of its threads have passed SECONDS of lab time: waits done, the latest (lab seconds), and errors.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST 16
#define ROUNDING 1e-9 /* times are kept as floating-point numbers */
#define INTERRUPTED 99 /* some calls are when their process is stopped and continued */

static double seconds, latest;
static long done, errors;
static pthread_mutex_t tally = PTHREAD_MUTEX_INITIALIZER;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static struct timespec span(double s)
{
	return (struct timespec){(time_t)s, (long)((s - (time_t)s) * 1e9)};
}

static struct timespec in(double s)
{
	return span(now() + s);
}

static void nap(double s)
{
	struct timespec ts = span(s);
	while (nanosleep(&ts, &ts))
		;
}

static int by_poll(double s) { return poll(NULL, 0, (int)(s * 1000 + 1)); }
static int by_ppoll(double s) { struct timespec ts = span(s); return ppoll(NULL, 0, &ts, NULL); }
static int by_nanosleep(double s) { nap(s); return 0; }
static int by_select(double s) { struct timeval tv = {(time_t)s, (long)((s - (time_t)s) * 1e6) + 1}; return select(0, NULL, NULL, NULL, &tv); }
static int by_absolute(double s) { struct timespec ts = in(s); return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL); }

static int by_epoll(double s)
{
	struct epoll_event event;
	int fd = epoll_create1(0), result = epoll_wait(fd, &event, 1, (int)(s * 1000 + 1));
	close(fd);
	return result < 0 && errno == EINTR ? INTERRUPTED : result;
}

static int by_condition(double s)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	struct timespec until = in(s);
	int error = 0;
	pthread_mutex_lock(&mutex);
	while (!error)
		error = pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &until);
	pthread_mutex_unlock(&mutex);
	return error != ETIMEDOUT;
}

static int by_semaphore(double s)
{
	sem_t sem;
	struct timespec until = in(s);
	sem_init(&sem, 0, 0);
	return !(sem_clockwait(&sem, CLOCK_MONOTONIC, &until) && errno == ETIMEDOUT);
}

static int armed(double first, double interval)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	struct itimerspec times = {.it_value = span(first), .it_interval = span(interval)};
	return timerfd_settime(fd, 0, &times, NULL) ? -1 : fd;
}

static int by_timer_read(double s)
{
	uint64_t times = 0;
	int fd = armed(s, 0), result = read(fd, &times, 8) != 8 || times != 1;
	close(fd);
	return result;
}

static int by_timer_poll(double s)
{
	uint64_t times, sum = 0;
	struct pollfd one = {armed(s / 3 + 1e-9, s / 3 + 1e-9), POLLIN, 0};
	while (sum < 3) {
		if (poll(&one, 1, -1) != 1 || read(one.fd, &times, 8) != 8) return 1;
		sum += times;
	}
	close(one.fd);
	return 0;
}

static int by_timer_signal(double s)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 1, ._sigev_un._tid = gettid()};
	struct itimerspec times = {.it_value = span(s)};
	timer_t timer;
	sigset_t set;
	siginfo_t info;
	int result;
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 1);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &times, NULL)) return 1;
	do
		result = sigwaitinfo(&set, &info);
	while (result < 0 && errno == EINTR);
	result = result != SIGRTMIN + 1 || info.si_code != SI_TIMER;
	timer_delete(timer);
	return result;
}

static int by_sigtimedwait(double s)
{
	struct timespec ts = span(s);
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 2);
	int result = sigtimedwait(&set, NULL, &ts);
	return result == -1 && errno == EINTR ? INTERRUPTED : !(result == -1 && errno == EAGAIN);
}

static int by_socket_timeout(double s)
{
	struct timeval tv = {(time_t)s, (long)((s - (time_t)s) * 1e6) + 1};
	int fds[2], result;
	char byte;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds)) return 1;
	setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
	result = !(recv(fds[0], &byte, 1, 0) == -1 && errno == EAGAIN);
	close(fds[0]);
	close(fds[1]);
	return result;
}

static int by_child(double s)
{
	int status = 0;
	pid_t child = fork();
	if (!child) { nap(s); _exit(5); }
	return waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 5;
}

static int by_killed_child(double s)
{
	int status = 0;
	pid_t child = fork();
	if (!child) { prctl(PR_SET_PDEATHSIG, SIGKILL); nap(1e6); _exit(0); } /* also if its parent is killed */
	nap(s);
	kill(child, SIGKILL);
	return waitpid(child, &status, 0) != child || !WIFSIGNALED(status);
}

static int by_pipe_of_child(double s)
{
	int ends[2], result;
	char byte;
	if (pipe2(ends, O_CLOEXEC)) return 1;
	pid_t child = fork();
	if (!child) { nap(s); _exit(write(ends[1], "x", 1) != 1); }
	close(ends[1]);
	result = read(ends[0], &byte, 1) != 1 || waitpid(child, NULL, 0) != child;
	close(ends[0]);
	return result;
}

static void *nap_once(void *given) { nap(*(double *)given); return NULL; }

static int by_thread(double s)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, nap_once, &s)) return 1;
	return pthread_join(thread, NULL);
}

struct held { pthread_mutex_t mutex; sem_t taken; double s; };

static void *hold(void *given)
{
	struct held *held = given;
	pthread_mutex_lock(&held->mutex);
	sem_post(&held->taken);
	nap(held->s);
	pthread_mutex_unlock(&held->mutex);
	return NULL;
}

static int by_mutex(double s)
{
	struct held held = {.mutex = PTHREAD_MUTEX_INITIALIZER, .s = s};
	struct timespec until;
	pthread_t thread;
	sem_init(&held.taken, 0, 0);
	if (pthread_create(&thread, NULL, hold, &held)) return 1;
	sem_wait(&held.taken);
	until = in(s / 2);
	if (pthread_mutex_clocklock(&held.mutex, CLOCK_MONOTONIC, &until) == ETIMEDOUT)
		pthread_mutex_lock(&held.mutex); /* else this thread had no processor for so long */
	pthread_mutex_unlock(&held.mutex);
	return pthread_join(thread, NULL);
}

static const struct { const char *name; int (*wait)(double); } ways[] = {
	{"poll", by_poll}, {"ppoll", by_ppoll}, {"nanosleep", by_nanosleep}, {"select", by_select},
	{"clock_nanosleep", by_absolute}, {"epoll", by_epoll}, {"condition", by_condition}, {"semaphore", by_semaphore},
	{"timerfd read", by_timer_read}, {"timerfd poll", by_timer_poll}, {"timer", by_timer_signal},
	{"sigtimedwait", by_sigtimedwait}, {"socket timeout", by_socket_timeout}, {"child", by_child},
	{"killed child", by_killed_child}, {"pipe of a child", by_pipe_of_child}, {"thread", by_thread}, {"mutex", by_mutex},
};

static void note(const char *name, double s, double passed, int result)
{
	pthread_mutex_lock(&tally);
	done++;
	latest = passed - s > latest ? passed - s : latest;
	if (result != INTERRUPTED && (result || passed < s - ROUNDING)) {
		errors++;
		dprintf(2, "%s: asked %.6f, passed %.6f, result %d\n", name, s, passed, result);
	}
	pthread_mutex_unlock(&tally);
}

static void *live(void *given)
{
	unsigned seed = (unsigned)(long)given;
	double end = now() + seconds;

	while (now() < end) {
		int way = rand_r(&seed) % (int)(sizeof ways / sizeof *ways);
		double draw = rand_r(&seed) / (double)RAND_MAX, s = 0.01 + draw * draw * draw * 30, began = now();
		int result = ways[way].wait(s);
		note(ways[way].name, s, now() - began, result);
	}
	return NULL;
}

static int run(long seed, int threads)
{
	pthread_t ids[MOST];
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 1);
	sigaddset(&set, SIGRTMIN + 2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (long i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, live, (void *)(seed * 1000 + i));
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	printf("%ld %.6f %ld\n", done, latest, errors);
	return 0;
}

int main(int argc, char **argv)
{
	long seed = atol(argv[1]);
	int processes = atoi(argv[2]), threads = atoi(argv[3]);

	if (argc != 5 || threads > MOST) return 2;
	seconds = atof(argv[4]);
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("begins");
	for (int i = 1; i < processes; i++)
		if (!fork())
			return run(seed * 100 + i, threads);
	run(seed * 100, threads);
	while (wait(NULL) > 0)
		;
	return 0;
}
