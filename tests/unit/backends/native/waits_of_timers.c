#include "ways.h"

/* ---- descriptors ---- */

static int set(int clock, int flags, int is_absolute, double first, double interval)
{
	int fd = timerfd_create(clock, flags);
	struct itimerspec times = {.it_value = is_absolute ? in(clock, first) : span(first), .it_interval = span(interval)};
	return timerfd_settime(fd, is_absolute ? TFD_TIMER_ABSTIME : 0, &times, NULL) ? -1 : fd;
}

/* 0 if a timer tells what it should */
static int tells(int fd, uint64_t wanted)
{
	uint64_t times = 0;
	return !(read(fd, &times, sizeof times) == sizeof times && times == wanted);
}

static int fd_read(double s) { return tells(set(CLOCK_MONOTONIC, 0, 0, s, 0), 1); }
static int fd_boottime(double s) { return tells(set(CLOCK_BOOTTIME, 0, 0, s, 0), 1); }
static int fd_absolute(double s) { return tells(set(CLOCK_MONOTONIC, 0, 1, s, 0), 1); }
static int fd_realtime(double s) { return tells(set(CLOCK_REALTIME, 0, 0, s, 0), 1); }

static int fd_realtime_absolute(double s)
{
	int fd = set(CLOCK_REALTIME, 0, 1, s, 0);
	struct itimerspec left;
	timerfd_gettime(fd, &left);
	double left_s = left.it_value.tv_sec + left.it_value.tv_nsec / 1e9;
	return left_s <= 0 || left_s > s || tells(fd, 1);
}

static int fd_poll(double s)
{
	struct pollfd one = {set(CLOCK_MONOTONIC, TFD_NONBLOCK, 0, s, 0), POLLIN, 0};
	uint64_t times;
	if (read(one.fd, &times, sizeof times) != -1 || errno != EAGAIN) return 1;
	return poll(&one, 1, -1) != 1 || tells(one.fd, 1);
}

static int fd_poll_before_timeout(double s)
{
	struct pollfd one = {set(CLOCK_MONOTONIC, TFD_NONBLOCK, 0, s, 0), POLLIN, 0};
	return poll(&one, 1, (int)(s * 10000)) != 1 || tells(one.fd, 1);
}

static int fd_select(double s)
{
	int fd = set(CLOCK_MONOTONIC, 0, 0, s, 0);
	fd_set set;
	FD_ZERO(&set);
	FD_SET(fd, &set);
	return select(fd + 1, &set, NULL, NULL, NULL) != 1 || tells(fd, 1);
}

static int fd_epoll(double s)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), set = epoll_create1(0);
	struct epoll_event event = {EPOLLIN | EPOLLET, {.fd = fd}}, told;
	struct itimerspec times = {.it_value = span(s)};
	epoll_ctl(set, EPOLL_CTL_ADD, fd, &event);
	timerfd_settime(fd, 0, &times, NULL);
	return epoll_wait(set, &told, 1, -1) != 1 || told.data.fd != fd || tells(fd, 1);
}

static int fd_interval(double s)
{
	int fd = set(CLOCK_MONOTONIC, 0, 0, s / 4, s / 4);
	for (int i = 0; i < 4; i++)
		if (tells(fd, 1)) return 1;
	return 0;
}

static int fd_interval_missed(double s)
{
	double began = at(CLOCK_MONOTONIC), interval = s * 0.105;
	int fd = set(CLOCK_MONOTONIC, 0, 0, interval, interval);
	uint64_t times = 0;
	nap(s);
	int least = (int)((at(CLOCK_MONOTONIC) - began) / interval) - 2; /* those that a busy machine delays */
	return read(fd, &times, sizeof times) != 8 || (int)times < least || times > (at(CLOCK_MONOTONIC) - began) / interval;
}

static int fd_earlier(double s)
{
	int fd = set(CLOCK_MONOTONIC, 0, 0, s * 50, 0);
	struct itimerspec times = {.it_value = span(s)}, left;
	if (timerfd_gettime(fd, &left) || left.it_value.tv_sec < s * 40) return 1;
	timerfd_settime(fd, 0, &times, &left);
	return left.it_value.tv_sec < s * 40 || tells(fd, 1) || timerfd_gettime(fd, &left) || left.it_value.tv_sec;
}

static int fd_stopped(double s)
{
	int fd = set(CLOCK_MONOTONIC, TFD_NONBLOCK, 0, s / 2, 0);
	struct itimerspec none = {0};
	struct pollfd one = {fd, POLLIN, 0};
	timerfd_settime(fd, 0, &none, NULL);
	return poll(&one, 1, (int)(s * 1000));
}

static int fd_past(double s)
{
	int fd = set(CLOCK_MONOTONIC, TFD_NONBLOCK, 1, -1, 0);
	nap(s);
	return tells(fd, 1);
}

static int fd_copied(double s)
{
	int fd = set(CLOCK_MONOTONIC, 0, 0, s, 0), copy = dup(fd), other[2];
	close(fd);
	if (pipe(other)) return 1; /* has its number */
	return tells(copy, 1);
}

static int fd_reused(double s)
{
	int fd = set(CLOCK_MONOTONIC, 0, 0, s / 2, 0), second;
	close(fd);
	second = set(CLOCK_MONOTONIC, 0, 0, s, 0);
	return second != fd || tells(second, 1);
}

static int fd_inherited(double s)
{
	int fd = set(CLOCK_MONOTONIC, 0, 0, s, 0), status;
	pid_t child = fork();
	if (!child)
		_exit(tells(fd, 1));
	waitpid(child, &status, 0);
	return status;
}

static int fd_daemon(double s)
{
	int ends[2], fd = set(CLOCK_MONOTONIC, 0, 0, s, 0);
	char result;
	if (pipe(ends)) return 1;
	if (!fork()) { /* whoever sets it ends, and nobody waits for him */
		fd = set(CLOCK_MONOTONIC, 0, 0, s, 0);
		if (fork()) _exit(0);
		result = (char)tells(fd, 1);
		_exit(write(ends[1], &result, 1) != 1);
	}
	close(fd);
	return read(ends[0], &result, 1) != 1 || result;
}

/* ---- signals ---- */

static volatile sig_atomic_t signals;
static sem_t called;

static void count(int number) { (void)number; signals++; }

static void handle(int number, int flags)
{
	struct sigaction action = {.sa_handler = count, .sa_flags = flags};
	sigaction(number, &action, NULL);
}

static sigset_t only(int number)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, number);
	return set;
}

static timer_t made(clockid_t clock, int flags, double first, double interval, struct sigevent *event)
{
	timer_t timer;
	struct itimerspec times = {.it_value = flags ? in(clock, first) : span(first), .it_interval = span(interval)};
	if (timer_create(clock, event, &timer) || timer_settime(timer, flags, &times, NULL)) exit(1);
	return timer;
}

static int timer_signal(double s)
{
	sigset_t set = only(SIGUSR1);
	siginfo_t info;
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 7};
	struct itimerspec left;
	sigprocmask(SIG_BLOCK, &set, NULL);
	timer_t timer = made(CLOCK_MONOTONIC, 0, s, 0, &event);
	if (timer_gettime(timer, &left) || left.it_value.tv_sec + 1 < (time_t)s) return 1;
	if (sigwaitinfo(&set, &info) != SIGUSR1 || info.si_code != SI_TIMER || info.si_value.sival_int != 7) return 2;
	return timer_delete(timer) || timer_gettime(timer, &left) == 0;
}

static int timer_default(double s)
{
	handle(SIGALRM, 0);
	made(CLOCK_REALTIME, 0, s, 0, NULL);
	pause();
	return signals != 1;
}

static int timer_absolute(double s)
{
	handle(SIGALRM, SA_RESTART);
	made(CLOCK_MONOTONIC, TIMER_ABSTIME, s, 0, NULL);
	pause();
	return signals != 1;
}

static int timer_realtime_absolute(double s)
{
	struct itimerspec left;
	handle(SIGALRM, 0);
	timer_t timer = made(CLOCK_REALTIME, TIMER_ABSTIME, s, 0, NULL);
	timer_gettime(timer, &left);
	double left_s = left.it_value.tv_sec + left.it_value.tv_nsec / 1e9;
	pause();
	return left_s <= 0 || left_s > s || signals != 1;
}

static int timer_interval(double s)
{
	handle(SIGALRM, 0);
	made(CLOCK_MONOTONIC, 0, s / 5, s / 5, NULL);
	while (signals < 5)
		pause();
	return 0;
}

static int timer_overrun(double s)
{
	sigset_t set = only(SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	double began = at(CLOCK_MONOTONIC), interval = s * 0.105;
	timer_t timer = made(CLOCK_MONOTONIC, 0, interval, interval, NULL);
	nap(s);
	int least = (int)((at(CLOCK_MONOTONIC) - began) / interval) - 2; /* those that a busy machine delays */
	if (sigwaitinfo(&set, NULL) != SIGALRM) return 1;
	int times = timer_getoverrun(timer) + 1;
	return times < least || times > (at(CLOCK_MONOTONIC) - began) / interval;
}

static void call(union sigval value)
{
	signals = value.sival_int;
	nap(0.01); /* in a thread of which the pacer knows */
	sem_post(&called);
}

static int timer_thread(double s)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = call, .sigev_value.sival_int = 9};
	sem_init(&called, 0, 0);
	made(CLOCK_MONOTONIC, 0, s / 2, s / 2, &event);
	sem_wait(&called);
	sem_wait(&called);
	return signals != 9;
}

static int alarm_pause(double s)
{
	handle(SIGALRM, 0);
	if (alarm(1000)) return 1;
	if (alarm((unsigned)s) < 999) return 2;
	return pause() != -1 || errno != EINTR || signals != 1 || alarm(0);
}

static int alarm_sigsuspend(double s)
{
	sigset_t set = only(SIGALRM), none;
	sigemptyset(&none);
	sigprocmask(SIG_BLOCK, &set, NULL);
	handle(SIGALRM, 0);
	alarm((unsigned)s);
	return sigsuspend(&none) != -1 || signals != 1;
}

static int alarm_in_a_read(double s)
{
	int ends[2];
	char byte;
	handle(SIGALRM, 0);
	if (pipe(ends)) return 1;
	alarm((unsigned)s);
	return read(ends[0], &byte, 1) != -1 || errno != EINTR;
}

static sigjmp_buf out;

static void jump(int number) { (void)number; siglongjmp(out, 1); }

static int alarm_jumps(double s)
{
	struct sigaction action = {.sa_handler = jump};
	int ends[2];
	char byte;
	sigaction(SIGALRM, &action, NULL);
	if (pipe(ends)) return 1;
	if (!sigsetjmp(out, 1)) {
		alarm((unsigned)(s / 2));
		return read(ends[0], &byte, 1) + 10;
	}
	nap(s / 2);
	return 0;
}

static int itimer(double s)
{
	struct itimerval times = {.it_value = {(time_t)(s / 4), (long)(s / 4 * 1e6) % 1000000}}, left;
	times.it_interval = times.it_value;
	handle(SIGALRM, 0);
	setitimer(ITIMER_REAL, &times, NULL);
	if (getitimer(ITIMER_REAL, &left) || left.it_value.tv_sec + left.it_value.tv_usec / 1e6 > s / 4 + 0.001) return 1;
	while (signals < 4)
		pause();
	return 0;
}

/* The handler waits, too; the read goes on afterwards. */
static int ends_of_handler[2];

static void write_byte(int number) { (void)number; nap(0.05); if (++signals == 4) signals = 4 + (write(ends_of_handler[1], "x", 1) != 1); }

static int itimer_restarts_a_read(double s)
{
	struct itimerval times = {.it_value = {(time_t)(s / 4), (long)(s / 4 * 1e6) % 1000000}};
	struct sigaction action = {.sa_handler = write_byte, .sa_flags = SA_RESTART};
	char byte;
	times.it_interval = times.it_value;
	sigaction(SIGALRM, &action, NULL);
	if (pipe(ends_of_handler)) return 1;
	setitimer(ITIMER_REAL, &times, NULL);
	return read(ends_of_handler[0], &byte, 1) != 1 || signals != 4;
}

static double in_handler;

static void set_alarm(int number) { (void)number; alarm((unsigned)in_handler); }

/* The first timer of a process is set in a signal handler that has interrupted malloc, or might have. */
static int alarm_set_in_a_handler(double s)
{
	struct sigaction action = {.sa_handler = set_alarm};
	in_handler = s;
	handle(SIGALRM, 0);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	pause();
	return signals != 1;
}

static void *nap_once(void *given) { nap(*(double *)given); return NULL; }

/* A process ends with the last of its threads although there is one for timers. */
static int alarm_of_a_process_without_main(double s)
{
	pthread_t thread;
	int status;
	pid_t child = fork();
	if (!child) {
		alarm((unsigned)s * 100);
		in_handler = s;
		pthread_create(&thread, NULL, nap_once, &in_handler);
		pthread_exit(NULL);
	}
	return waitpid(child, &status, 0) != child || status;
}

/* Many threads with a timer each: whether each has got all of its expirations, and no other's. */
static void *tick(void *given)
{
	double s = *(double *)given;
	int fd = set(CLOCK_MONOTONIC, 0, 0, s / 50, s / 50);
	uint64_t times = 0, sum = 0;
	double began = at(CLOCK_MONOTONIC);
	while (sum < 50 && read(fd, &times, sizeof times) == sizeof times)
		sum += times;
	return sum >= 50 && sum <= (at(CLOCK_MONOTONIC) - began) / (s / 50) + 1 ? NULL : given;
}

static int fd_many(double s)
{
	pthread_t threads[20];
	void *wrong, *any = NULL;
	for (int i = 0; i < 20; i++)
		pthread_create(&threads[i], NULL, tick, &s);
	for (int i = 0; i < 20; i++) {
		pthread_join(threads[i], &wrong);
		any = wrong ? wrong : any;
	}
	return any != NULL;
}

static int alarm_of_a_child(double s)
{
	int status;
	alarm((unsigned)s * 2);
	pid_t child = fork();
	if (!child) {
		if (alarm((unsigned)s)) _exit(1); /* the parent's is not its own */
		pause();
	}
	waitpid(child, &status, 0);
	return !(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) || alarm(0) > s + 1;
}

const struct way ways[] = {
	{"timerfd read", fd_read},
	{"timerfd boottime", fd_boottime},
	{"timerfd absolute", fd_absolute},
	{"timerfd realtime", fd_realtime},
	{"timerfd realtime absolute", fd_realtime_absolute},
	{"timerfd poll", fd_poll},
	{"timerfd poll before timeout", fd_poll_before_timeout},
	{"timerfd select", fd_select},
	{"timerfd epoll", fd_epoll},
	{"timerfd interval", fd_interval},
	{"timerfd interval missed", fd_interval_missed},
	{"timerfd set to earlier", fd_earlier},
	{"timerfd stopped", fd_stopped},
	{"timerfd past", fd_past},
	{"timerfd copied", fd_copied},
	{"timerfd number reused", fd_reused},
	{"timerfd inherited", fd_inherited},
	{"timerfd of a daemon", fd_daemon},
	{"timer signal", timer_signal},
	{"timer default", timer_default},
	{"timer absolute", timer_absolute},
	{"timer realtime absolute", timer_realtime_absolute},
	{"timer interval", timer_interval},
	{"timer overrun", timer_overrun},
	{"timer thread", timer_thread},
	{"alarm pause", alarm_pause},
	{"alarm sigsuspend", alarm_sigsuspend},
	{"alarm in a read", alarm_in_a_read},
	{"alarm jumps", alarm_jumps},
	{"setitimer", itimer},
	{"setitimer restarts a read", itimer_restarts_a_read},
	{"alarm of a child", alarm_of_a_child},
	{"alarm set in a handler", alarm_set_in_a_handler},
	{"alarm of a process without main", alarm_of_a_process_without_main},
	{"timerfds of many threads", fd_many},
	{0},
};
