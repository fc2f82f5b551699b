#include "ways.h"

/* ---- until a deadline ---- */

static int signal_timed(double s)
{
	sigset_t set;
	struct timespec ts = span(s);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return !(sigtimedwait(&set, NULL, &ts) == -1 && errno == EAGAIN);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t held;

/* Holds both locks for a while. */
static void *hold(void *given)
{
	pthread_mutex_lock(&mutex);
	pthread_rwlock_wrlock(&lock);
	sem_post(&held);
	nap(*(double *)given);
	pthread_rwlock_unlock(&lock);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static pthread_t holder(double *seconds)
{
	pthread_t thread;
	sem_init(&held, 0, 0);
	pthread_create(&thread, NULL, hold, seconds);
	sem_wait(&held);
	return thread;
}

#define TIMED(name, call)                                                                                              \
	static int name(double s)                                                                                      \
	{                                                                                                              \
		double longer = s * 10000;                                                                              \
		pthread_t thread = holder(&longer);                                                                    \
		struct timespec until = in(CLOCK_MONOTONIC, s);                                                        \
		(void)thread;                                                                                          \
		return (call) != ETIMEDOUT;                                                                            \
	}

TIMED(mutex_clocklock, pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until))
TIMED(rwlock_clockrdlock, pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &until))
TIMED(rwlock_clockwrlock, pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &until))
TIMED(clockjoin, pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &until))

#define TIMED_REAL(name, call)                                                                                         \
	static int name(double s)                                                                                      \
	{                                                                                                              \
		double longer = s * 10000;                                                                              \
		pthread_t thread = holder(&longer);                                                                    \
		struct timespec until = in(CLOCK_REALTIME, s);                                                         \
		(void)thread;                                                                                          \
		return (call) != ETIMEDOUT;                                                                            \
	}

TIMED_REAL(mutex_timedlock, pthread_mutex_timedlock(&mutex, &until))
TIMED_REAL(rwlock_timedrdlock, pthread_rwlock_timedrdlock(&lock, &until))
TIMED_REAL(rwlock_timedwrlock, pthread_rwlock_timedwrlock(&lock, &until))
TIMED_REAL(timedjoin, pthread_timedjoin_np(thread, NULL, &until))

static int timeout(int type, int option, double s, int fds[2])
{
	struct timeval tv = {(time_t)s, (long)((s - (time_t)s) * 1e6)};
	return socketpair(AF_UNIX, type, 0, fds) || setsockopt(fds[0], SOL_SOCKET, option, &tv, sizeof tv);
}

static char bytes[65536];

static int recv_timed(double s)
{
	int fds[2];
	if (timeout(SOCK_STREAM, SO_RCVTIMEO, s, fds)) return 1;
	return !(recv(fds[0], bytes, 1, 0) == -1 && errno == EAGAIN);
}

static int read_timed(double s)
{
	int fds[2];
	if (timeout(SOCK_STREAM, SO_RCVTIMEO, s, fds)) return 1;
	return !(read(fds[0], bytes, 1) == -1 && errno == EAGAIN);
}

static int send_timed(double s)
{
	int fds[2];
	if (timeout(SOCK_DGRAM, SO_SNDTIMEO, s, fds)) return 1;
	while (send(fds[0], bytes, 1000, 0) == 1000)
		;
	return errno != EAGAIN;
}

static int listening(struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	sprintf(address->sun_path + 1, "netbench-%d", (int)getpid());
	return bind(fd, (struct sockaddr *)address, sizeof *address) || listen(fd, 1) ? -1 : fd;
}

static int accept_timed(double s)
{
	struct sockaddr_un address;
	struct timeval tv = {(time_t)s, (long)((s - (time_t)s) * 1e6)};
	int fd = listening(&address);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
	return !(accept(fd, NULL, NULL) == -1 && errno == EAGAIN);
}

/* A socket without a timeout in a process that has one: everything is sent, and who does not want to wait does not. */
static void take_all(int fd);
static int from_child(double s, void (*does)(int fd));

static int send_beside_timeouts(double s)
{
	int fds[2], all = 40 * sizeof bytes;
	struct sockaddr_un address;
	struct timeval tv = {1, 0};
	char *much = calloc(1, all);
	if (timeout(SOCK_STREAM, SO_SNDTIMEO, 1, fds)) return 1;
	int fd = listening(&address);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	if (accept(fd, NULL, NULL) != -1 || errno != EAGAIN) return 2;
	int client = socket(AF_UNIX, SOCK_STREAM, 0);
	if (connect(client, (struct sockaddr *)&address, sizeof address) || accept(fd, NULL, NULL) < 0) return 3;
	if (recv(client, bytes, 1, MSG_DONTWAIT) != -1 || errno != EAGAIN) return 4;
	return send(from_child(s, take_all), much, all, 0) != all;
}

static int send_all_before_a_timeout(double s)
{
	int fd = from_child(s, take_all), all = 40 * sizeof bytes;
	struct timeval tv = {(time_t)s * 2, 0};
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof tv);
	return send(fd, calloc(1, all), all, 0) != all;
}

static void *raise_later(void *given) { nap(*(double *)given); kill(getpid(), SIGUSR1); return NULL; }

/* All signals are waited for: none is another's. */
static int sigwait_all(double s)
{
	sigset_t set;
	pthread_t thread;
	int number;
	sigfillset(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	s /= 2;
	nap(s);
	pthread_create(&thread, NULL, raise_later, &s);
	return sigwait(&set, &number) || number != SIGUSR1;
}

/* ---- until another process or thread does something ---- */

/* A child that naps, then does something with one end of a pair of sockets. */
static int from_child(double s, void (*does)(int fd))
{
	int fds[2];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds)) exit(1);
	if (!fork()) {
		close(fds[0]);
		nap(s);
		does(fds[1]);
		nap(0.5);
		_exit(0);
	}
	close(fds[1]);
	return fds[0];
}

static void give(int fd) { if (write(fd, "x", 1) != 1) _exit(1); }
static void take_all(int fd) { while (read(fd, bytes, sizeof bytes) > 0) ; }

static int read_(double s) { return read(from_child(s, give), bytes, 1) != 1; }
static int recv_(double s) { return recv(from_child(s, give), bytes, 1, 0) != 1; }
static int recv_all(double s) { return recv(from_child(s, give), bytes, 2, MSG_WAITALL) != 1; }
static int recvfrom_(double s) { return recvfrom(from_child(s, give), bytes, 1, 0, NULL, NULL) != 1; }
static int readv_(double s) { struct iovec one = {bytes, 1}; return readv(from_child(s, give), &one, 1) != 1; }

static int recvmsg_(double s)
{
	struct iovec one = {bytes, 1};
	struct msghdr message = {.msg_iov = &one, .msg_iovlen = 1};
	return recvmsg(from_child(s, give), &message, 0) != 1;
}

static int write_(double s)
{
	int fd = from_child(s, take_all);
	for (int i = 0; i < 40; i++)
		if (write(fd, bytes, sizeof bytes) != sizeof bytes) return 1;
	return 0;
}

static int send_(double s)
{
	int fd = from_child(s, take_all);
	for (int i = 0; i < 40; i++)
		if (send(fd, bytes, sizeof bytes, MSG_NOSIGNAL) != sizeof bytes) return 1;
	return 0;
}

static int accept_(double s)
{
	struct sockaddr_un address;
	int fd = listening(&address);
	if (!fork()) {
		nap(s);
		fd = socket(AF_UNIX, SOCK_STREAM, 0);
		_exit(connect(fd, (struct sockaddr *)&address, sizeof address) != 0);
	}
	return accept(fd, NULL, NULL) < 0;
}

/* The third waits for a place in the queue. */
static int connect_(double s)
{
	struct sockaddr_un address;
	int fd = listening(&address), one;
	if (!fork()) {
		nap(s);
		for (int i = 0; i < 3; i++)
			accept(fd, NULL, NULL);
		_exit(0);
	}
	for (int i = 0; i < 3; i++) {
		one = socket(AF_UNIX, SOCK_STREAM, 0);
		if (connect(one, (struct sockaddr *)&address, sizeof address)) return 1;
	}
	return 0;
}

static int locked_file(double s, int (*take)(int fd))
{
	char path[] = "/tmp/netbench-lock-XXXXXX";
	int fd = mkstemp(path), ready[2];
	char byte;
	if (pipe(ready)) return 1;
	if (!fork()) {
		fd = open(path, O_RDWR);
		if (take(fd) || write(ready[1], "x", 1) != 1) _exit(1);
		nap(s);
		_exit(0);
	}
	if (read(ready[0], &byte, 1) != 1) return 1;
	unlink(path);
	return take(fd);
}

static int by_flock(int fd) { return flock(fd, LOCK_EX); }
static int by_lockf(int fd) { return lockf(fd, F_LOCK, 0); }
static int by_fcntl(int fd) { struct flock all = {.l_type = F_WRLCK}; return fcntl(fd, F_SETLKW, &all); }
static int flock_(double s) { return locked_file(s, by_flock); }
static int lockf_(double s) { return locked_file(s, by_lockf); }
static int fcntl_(double s) { return locked_file(s, by_fcntl); }

static int mutex_(double s) { holder(&s); return pthread_mutex_lock(&mutex); }
static int rwlock_rd(double s) { holder(&s); return pthread_rwlock_rdlock(&lock); }
static int rwlock_wr(double s) { holder(&s); return pthread_rwlock_wrlock(&lock); }
static int join(double s) { return pthread_join(holder(&s), NULL); }

static void *meet(void *given) { pthread_barrier_wait(given); return NULL; }

static int barrier(double s)
{
	pthread_barrier_t both;
	pthread_t thread;
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&thread, NULL, meet, &both);
	nap(s);
	pthread_barrier_wait(&both);
	return pthread_join(thread, NULL);
}

static pid_t napping(double s)
{
	pid_t child = fork();
	if (!child) { nap(s); _exit(7); }
	return child;
}

static int waitpid_(double s)
{
	int status;
	pid_t child = napping(s);
	return waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7 || waitpid(child, &status, 0) != -1;
}

static int wait_(double s)
{
	int status;
	pid_t child = napping(s);
	return wait(&status) != child || WEXITSTATUS(status) != 7;
}

static int wait_group(double s)
{
	int status;
	pid_t child = napping(s);
	return waitpid(0, &status, 0) != child || waitpid(-getpgrp(), &status, 0) != -1 || errno != ECHILD;
}

static int wait_stopped(double s)
{
	int status;
	pid_t child = napping(s * 3), other = fork();
	if (!other) { nap(s); kill(child, SIGSTOP); _exit(0); }
	if (waitpid(child, &status, WUNTRACED) != child || !WIFSTOPPED(status)) return 1;
	kill(child, SIGKILL);
	return waitpid(child, &status, 0) != child || !WIFSIGNALED(status);
}

static int waitid_(double s)
{
	siginfo_t info;
	pid_t child = napping(s);
	return waitid(P_PID, (id_t)child, &info, WEXITED) || info.si_pid != child || info.si_status != 7;
}

static int sigwait_(double s)
{
	sigset_t set;
	int number;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (!fork()) { nap(s); _exit(0); }
	return sigwait(&set, &number) || number != SIGCHLD;
}

const struct way ways[] = {
	{"sigtimedwait", signal_timed},
	{"mutex clocklock", mutex_clocklock},
	{"rwlock clockrdlock", rwlock_clockrdlock},
	{"rwlock clockwrlock", rwlock_clockwrlock},
	{"clockjoin", clockjoin},
	{"mutex timedlock", mutex_timedlock},
	{"rwlock timedrdlock", rwlock_timedrdlock},
	{"rwlock timedwrlock", rwlock_timedwrlock},
	{"timedjoin", timedjoin},
	{"recv with a timeout", recv_timed},
	{"read with a timeout", read_timed},
	{"send with a timeout", send_timed},
	{"accept with a timeout", accept_timed},
	{"send beside timeouts", send_beside_timeouts},
	{"send before a timeout", send_all_before_a_timeout},
	{"sigwait for all", sigwait_all},
	{"read", read_},
	{"recv", recv_},
	{"recv all", recv_all},
	{"recvfrom", recvfrom_},
	{"recvmsg", recvmsg_},
	{"readv", readv_},
	{"write", write_},
	{"send", send_},
	{"accept", accept_},
	{"connect", connect_},
	{"flock", flock_},
	{"lockf", lockf_},
	{"fcntl", fcntl_},
	{"mutex", mutex_},
	{"rwlock rdlock", rwlock_rd},
	{"rwlock wrlock", rwlock_wr},
	{"join", join},
	{"barrier", barrier},
	{"sigwait", sigwait_},
	{"waitpid", waitpid_},
	{"wait", wait_},
	{"wait for a group", wait_group},
	{"wait for a stop", wait_stopped},
	{"waitid", waitid_},
	{0},
};
