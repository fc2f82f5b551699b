/*
 * labtime: calls that wait for a descriptor by themselves: reading, writing, accepting, connecting, locking files.
 *
 * Most of these calls do not wait. Each says before that the thread is idle, which costs two stores and is true only if
 * the thread sleeps in it, as the pacer asks the kernel. Timeouts of sockets (SO_RCVTIMEO and SO_SNDTIMEO) are measured
 * in lab time: in a process that has set one a call is tried without waiting, and waits like poll.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "timers.h"

static int have_timeouts; /* a socket of this process has had one */

/* Functions that a signal handler may be the first to call are looked up before. */
#define EACH(x) x(read) x(write) x(readv) x(writev) x(recv) x(send) x(recvmsg) x(sendmsg)
#define HOLD(name) static void *next_##name;
#define FIND(name) look_up(#name, &next_##name);
EACH(HOLD)

void find_descriptor_calls(void)
{
	EACH(FIND)
}

#define NEXT(name)                                                                                                     \
	((__typeof__(&name))(__builtin_expect(next_##name != NULL, 1) ? next_##name : look_up(#name, &next_##name)))

/* ---- timeouts of sockets ---- */

EXPORT int setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
	if (level == SOL_SOCKET && (name == SO_RCVTIMEO || name == SO_SNDTIMEO))
		have_timeouts = has_page();
	return REAL(setsockopt)(fd, level, name, value, size);
}

static int64_t timeout_of(int fd, int option)
{
	struct timeval time = {0, 0};
	socklen_t size = sizeof time;

	if (getsockopt(fd, SOL_SOCKET, option, &time, &size) != 0)
		return 0;
	return (int64_t)time.tv_sec * NS + (int64_t)time.tv_usec * 1000;
}

/* Whether a descriptor is a socket that has a timeout, in a process that has had some. */
static int has_timeout(int fd, int option)
{
	return __builtin_expect(have_timeouts, 0) && timeout_of(fd, option);
}

enum next { FAIL, AGAIN, WAIT };

/* What follows for a call that would wait: failure, another try, or a wait without a timeout. `deadline` is 0 first. */
static enum next next_try(int fd, int option, int64_t *deadline)
{
	struct pollfd one = {.fd = fd, .events = option == SO_RCVTIMEO ? POLLIN : POLLOUT};
	int64_t timeout, left;
	struct timespec ts;
	int ready;

	if (!*deadline) {
		if (REAL(fcntl)(fd, F_GETFL) & O_NONBLOCK) {
			errno = EAGAIN;
			return FAIL;
		}
		timeout = timeout_of(fd, option);
		if (!timeout)
			return WAIT;
		*deadline = later(lab_now(), timeout);
	}
	left = *deadline - lab_now();
	ts = to_timespec(left > 0 ? left : 0);
	ready = ppoll(&one, 1, &ts, NULL);
	if (ready == 0)
		errno = EAGAIN;
	return ready > 0 ? AGAIN : FAIL;
}

/* A call on a socket with its flags in `flags`, tried until it waits no more. The kernel's timeouts pass in wall time. */
#define TRIED(fd, flags, option, next, call)                                                                           \
	({                                                                                                             \
		const int asked_ = (flags);                                                                            \
		int64_t deadline_ = 0;                                                                                 \
		ssize_t done_ = -1;                                                                                    \
		next = AGAIN;                                                                                          \
		flags = asked_ | MSG_DONTWAIT;                                                                         \
		while (next == AGAIN) {                                                                                \
			done_ = (call);                                                                                \
			next = done_ < 0 && errno == EAGAIN ? next_try(fd, option, &deadline_) : FAIL;                 \
		}                                                                                                      \
		flags = asked_;                                                                                        \
		done_;                                                                                                 \
	})

/* A call that receives. Where a socket may have a timeout it is tried first, as most of these calls do not wait. */
#define RECEIVED(fd, flags, call)                                                                                      \
	({                                                                                                             \
		enum next next_ = WAIT;                                                                                \
		ssize_t received_ = -1;                                                                                \
		if (__builtin_expect(have_timeouts, 0) && !((flags) & (MSG_DONTWAIT | MSG_WAITALL)))                   \
			received_ = TRIED(fd, flags, SO_RCVTIMEO, next_, call);                                        \
		if (next_ != WAIT)                                                                                     \
			;                                                                                              \
		else if ((flags) & MSG_WAITALL && has_timeout(fd, SO_RCVTIMEO))                                        \
			received_ = (call);                                                                            \
		else                                                                                                   \
			received_ = IDLE_IN(call);                                                                     \
		received_;                                                                                             \
	})

/* A call that sends; one that waits sends everything, so only those with a timeout are tried. */
#define SENT(fd, flags, call)                                                                                          \
	({                                                                                                             \
		enum next next_;                                                                                       \
		int tries_ = !((flags) & MSG_DONTWAIT) && has_timeout(fd, SO_SNDTIMEO);                                \
		tries_ ? TRIED(fd, flags, SO_SNDTIMEO, next_, call) : IDLE_IN(call);                                   \
	})

EXPORT ssize_t recv(int fd, void *to, size_t size, int flags)
{
	return RECEIVED(fd, flags, NEXT(recv)(fd, to, size, flags));
}

EXPORT ssize_t recvfrom(int fd, void *to, size_t size, int flags, __SOCKADDR_ARG from, socklen_t *length)
{
	return RECEIVED(fd, flags, REAL(recvfrom)(fd, to, size, flags, from, length));
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	return RECEIVED(fd, flags, NEXT(recvmsg)(fd, message, flags));
}

EXPORT ssize_t send(int fd, const void *from, size_t size, int flags)
{
	size_t sent = 0;
	ssize_t more;

	do {
		more = SENT(fd, flags, NEXT(send)(fd, (const char *)from + sent, size - sent, flags));
		sent += more > 0 ? (size_t)more : 0;
	} while (more > 0 && sent < size && have_timeouts && !(flags & MSG_DONTWAIT));
	return sent ? (ssize_t)sent : more;
}

EXPORT ssize_t sendto(int fd, const void *from, size_t size, int flags, __CONST_SOCKADDR_ARG to, socklen_t length)
{
	if (!to.__sockaddr__)
		return send(fd, from, size, flags);
	return SENT(fd, flags, REAL(sendto)(fd, from, size, flags, to, length));
}

/* One that waits sends all parts, which no try does: so a timeout is the kernel's, and the clock passes like the wall. */
EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	if (has_timeout(fd, SO_SNDTIMEO))
		return NEXT(sendmsg)(fd, message, flags);
	return IDLE_IN(NEXT(sendmsg)(fd, message, flags));
}

EXPORT ssize_t __recv_chk(int fd, void *to, size_t size, size_t room, int flags)
{
	if (size > room)
		abort();
	return recv(fd, to, size, flags);
}

EXPORT ssize_t __recvfrom_chk(int fd, void *to, size_t size, size_t room, int flags, __SOCKADDR_ARG from,
			      socklen_t *length)
{
	if (size > room)
		abort();
	return recvfrom(fd, to, size, flags, from, length);
}

/* ---- reading and writing ---- */

static ssize_t read_carefully(int fd, void *to, size_t size)
{
	if (is_timer_descriptor(fd))
		return read_timer(fd, to, size);
	if (has_timeout(fd, SO_RCVTIMEO))
		return recv(fd, to, size, 0);
	return IDLE_IN(NEXT(read)(fd, to, size));
}

EXPORT ssize_t read(int fd, void *to, size_t size)
{
	if (__builtin_expect(have_timeouts | have_timer_descriptors, 0))
		return read_carefully(fd, to, size);
	return IDLE_IN(NEXT(read)(fd, to, size));
}

EXPORT ssize_t __read_chk(int fd, void *to, size_t size, size_t room)
{
	if (size > room)
		abort();
	return read(fd, to, size);
}

EXPORT ssize_t write(int fd, const void *from, size_t size)
{
	if (has_timeout(fd, SO_SNDTIMEO))
		return send(fd, from, size, 0);
	return IDLE_IN(NEXT(write)(fd, from, size));
}

EXPORT ssize_t readv(int fd, const struct iovec *parts, int count)
{
	struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = (size_t)count};

	if (has_timeout(fd, SO_RCVTIMEO))
		return recvmsg(fd, &message, 0);
	return IDLE_IN(NEXT(readv)(fd, parts, count));
}

EXPORT ssize_t writev(int fd, const struct iovec *parts, int count)
{
	if (has_timeout(fd, SO_SNDTIMEO))
		return NEXT(writev)(fd, parts, count);
	return IDLE_IN(NEXT(writev)(fd, parts, count));
}

/* ---- connections ---- */

/* Tell the pacer to look at TCP in this network namespace. */
static void note_tcp(int fd)
{
	int domain = 0, type = 0, error = errno;
	socklen_t size = sizeof domain;

	if (!mine || mine->has_tcp)
		return;
	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 &&
	    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM &&
	    (domain == AF_INET || domain == AF_INET6))
		mine->has_tcp = 1;
	errno = error;
}

/* A timeout of the kernel passes in wall time: the clock then passes so, too. */
EXPORT int connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t size)
{
	note_tcp(fd);
	if (has_timeout(fd, SO_SNDTIMEO))
		return REAL(connect)(fd, address, size);
	return IDLE_IN(REAL(connect)(fd, address, size));
}

/* Wait in lab time for what an accepting socket with a timeout waits for; whether there is something. */
static int may_accept(int fd)
{
	int64_t deadline = 0;

	note_tcp(fd);
	if (!has_timeout(fd, SO_RCVTIMEO) || REAL(fcntl)(fd, F_GETFL) & O_NONBLOCK)
		return 1;
	return next_try(fd, SO_RCVTIMEO, &deadline) == AGAIN;
}

EXPORT int accept(int fd, __SOCKADDR_ARG address, socklen_t *size)
{
	return may_accept(fd) ? IDLE_IN(REAL(accept)(fd, address, size)) : -1;
}

EXPORT int accept4(int fd, __SOCKADDR_ARG address, socklen_t *size, int flags)
{
	return may_accept(fd) ? IDLE_IN(REAL(accept4)(fd, address, size, flags)) : -1;
}

/* ---- locks on files ---- */

EXPORT int flock(int fd, int operation)
{
	if (operation & LOCK_NB)
		return REAL(flock)(fd, operation);
	return IDLE_IN(REAL(flock)(fd, operation));
}

EXPORT int lockf(int fd, int command, off_t size)
{
	return command == F_LOCK ? IDLE_IN(REAL(lockf)(fd, command, size)) : REAL(lockf)(fd, command, size);
}

EXPORT int lockf64(int fd, int command, off64_t size)
{
	return command == F_LOCK ? IDLE_IN(REAL(lockf64)(fd, command, size)) : REAL(lockf64)(fd, command, size);
}

#define ARGUMENT(command)                                                                                              \
	({                                                                                                             \
		va_list list_;                                                                                         \
		va_start(list_, command);                                                                              \
		void *argument_ = va_arg(list_, void *);                                                               \
		va_end(list_);                                                                                         \
		argument_;                                                                                             \
	})

static int is_waiting_lock(int command)
{
	return command == F_SETLKW || command == F_OFD_SETLKW;
}

EXPORT int fcntl(int fd, int command, ...)
{
	void *argument = ARGUMENT(command);

	return is_waiting_lock(command) ? IDLE_IN(REAL(fcntl)(fd, command, argument)) : REAL(fcntl)(fd, command, argument);
}

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 28)
EXPORT int fcntl64(int fd, int command, ...)
{
	void *argument = ARGUMENT(command);

	return is_waiting_lock(command) ? IDLE_IN(REAL(fcntl64)(fd, command, argument))
					: REAL(fcntl64)(fd, command, argument);
}
#endif
