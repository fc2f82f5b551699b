#include "ways.h"

#include <linux/futex.h>
#include <mqueue.h>

/* ---- waits until a moment of the real-time clock ---- */

static int sleep_until(double s)
{
	struct timespec until = in(CLOCK_REALTIME, s);
	return clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
}

static int tai_sleep(double s)
{
	struct timespec until = in(CLOCK_TAI, s);
	return clock_nanosleep(CLOCK_TAI, TIMER_ABSTIME, &until, NULL);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;

static int condition(double s)
{
	struct timespec until = in(CLOCK_REALTIME, s);
	int error = 0;
	pthread_mutex_lock(&mutex);
	while (!error)
		error = pthread_cond_timedwait(&cond, &mutex, &until);
	return error != ETIMEDOUT;
}

static int condition_clock(double s)
{
	struct timespec until = in(CLOCK_REALTIME, s);
	int error = 0;
	pthread_mutex_lock(&mutex);
	while (!error)
		error = pthread_cond_clockwait(&cond, &mutex, CLOCK_REALTIME, &until);
	return error != ETIMEDOUT;
}

static int semaphore(double s)
{
	struct timespec until = in(CLOCK_REALTIME, s);
	sem_init(&sem, 0, 0);
	return !(sem_timedwait(&sem, &until) && errno == ETIMEDOUT);
}

static int semaphore_clock(double s)
{
	struct timespec until = in(CLOCK_REALTIME, s);
	sem_init(&sem, 0, 0);
	return !(sem_clockwait(&sem, CLOCK_REALTIME, &until) && errno == ETIMEDOUT);
}

/* What is there already, or has been over before, is told at once. */
static int semaphore_now(double s)
{
	struct timespec past = in(CLOCK_REALTIME, -s);
	sem_init(&sem, 0, 1);
	if (sem_timedwait(&sem, &past) || !sem_timedwait(&sem, &past) || errno != ETIMEDOUT) return 1;
	nap(s);
	return 0;
}

static void *hold(void *given)
{
	pthread_mutex_lock(&mutex);
	pthread_rwlock_wrlock(&lock);
	sem_post(&sem);
	nap(*(double *)given * 100);
	return NULL;
}

#define HELD(name, call)                                                                                               \
	static int name(double s)                                                                                      \
	{                                                                                                              \
		pthread_t thread;                                                                                      \
		sem_init(&sem, 0, 0);                                                                                  \
		pthread_create(&thread, NULL, hold, &s);                                                               \
		sem_wait(&sem);                                                                                        \
		struct timespec until = in(CLOCK_REALTIME, s);                                                         \
		return (call) != ETIMEDOUT;                                                                            \
	}

HELD(mutex_timed, pthread_mutex_timedlock(&mutex, &until))
HELD(mutex_clock, pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &until))
HELD(read_timed, pthread_rwlock_timedrdlock(&lock, &until))
HELD(read_clock, pthread_rwlock_clockrdlock(&lock, CLOCK_REALTIME, &until))
HELD(write_timed, pthread_rwlock_timedwrlock(&lock, &until))
HELD(write_clock, pthread_rwlock_clockwrlock(&lock, CLOCK_REALTIME, &until))
HELD(join_timed, pthread_timedjoin_np(thread, NULL, &until))
HELD(join_clock, pthread_clockjoin_np(thread, NULL, CLOCK_REALTIME, &until))

static void *take_late(void *given)
{
	struct timespec until = in(CLOCK_REALTIME, *(double *)given);
	double began = at(CLOCK_MONOTONIC);
	if (pthread_mutex_timedlock(&mutex, &until) != ETIMEDOUT) return given;
	return at(CLOCK_MONOTONIC) - began > *(double *)given * 1.05 + 5 ? given : NULL;
}

/* So many that one of them looks at the clock at any moment. */
static int mutex_of_many(double s)
{
	pthread_t threads[60];
	void *is_wrong, *any = NULL;
	pthread_mutex_lock(&mutex);
	for (int i = 0; i < 60; i++)
		pthread_create(&threads[i], NULL, take_late, &s);
	for (int i = 0; i < 60; i++) {
		pthread_join(threads[i], &is_wrong);
		any = is_wrong ? is_wrong : any;
	}
	return any != NULL;
}

static int futex(double s)
{
	struct timespec until = in(CLOCK_REALTIME, s);
	int word = 0;
	long result;
	do
		result = syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &until, NULL, ~0u);
	while (!result);
	return errno != ETIMEDOUT;
}

static mqd_t queue_of_one(void)
{
	struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = 1};
	char name[40];
	snprintf(name, sizeof name, "/netbench-test-%d", getpid());
	mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
	mq_unlink(name);
	return queue;
}

static int queue_receive(double s)
{
	mqd_t queue = queue_of_one();
	struct timespec until = in(CLOCK_REALTIME, s);
	char byte;
	return !(mq_timedreceive(queue, &byte, 1, NULL, &until) < 0 && errno == ETIMEDOUT);
}

static int queue_send(double s)
{
	mqd_t queue = queue_of_one();
	struct timespec until = in(CLOCK_REALTIME, s);
	char byte;
	if (mq_timedsend(queue, "x", 1, 0, &until)) return 1;
	if (!(mq_timedsend(queue, "y", 1, 0, &until) < 0 && errno == ETIMEDOUT)) return 2;
	return mq_timedreceive(queue, &byte, 1, NULL, &until) != 1 || byte != 'x';
}

/* ---- timers that end at a moment ---- */

static void post(union sigval value)
{
	(void)value;
	sem_post(&sem);
}

static int timer_calls(double s)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = post};
	struct itimerspec times = {.it_value = in(CLOCK_REALTIME, s)}, left;
	timer_t timer;
	sem_init(&sem, 0, 0);
	if (timer_create(CLOCK_REALTIME, &event, &timer) || timer_settime(timer, TIMER_ABSTIME, &times, NULL)) return 1;
	if (timer_gettime(timer, &left) || left.it_value.tv_sec > s) return 2;
	return sem_wait(&sem);
}

static int descriptor(double s)
{
	int fd = timerfd_create(CLOCK_REALTIME, 0);
	struct itimerspec times = {.it_value = in(CLOCK_REALTIME, s / 2), .it_interval = span(s / 2)};
	uint64_t count = 0, all = 0;
	if (timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &times, NULL)) return 1;
	for (; all < 2; all += count)
		if (read(fd, &count, 8) != 8) return 2;
	return 0;
}

/* ---- whether all ways to ask tell one time ---- */

static double of(struct timespec t)
{
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int asked(double s)
{
	struct timespec utc;
	struct timeval tv;
	struct timezone zone;
	nap(s);
	double epoch = at(CLOCK_REALTIME) - at(CLOCK_MONOTONIC), first = at(CLOCK_REALTIME);
	time_t kept, second = time(&kept);
	double coarse = at(CLOCK_REALTIME_COARSE), tai = at(CLOCK_TAI);
	timespec_get(&utc, TIME_UTC);
	gettimeofday(&tv, NULL);
	if (gettimeofday(&tv, &zone)) return 1;
	double last = at(CLOCK_REALTIME), middle[] = {coarse, tai, of(utc), tv.tv_sec + tv.tv_usec / 1e6 + 1e-6};
	if (kept != second || second < (time_t)first || second > (time_t)last) return 2;
	for (int i = 0; i < 4; i++)
		if (middle[i] < first || middle[i] > last + 1e-6) return 3 + i;
	double again = at(CLOCK_REALTIME) - at(CLOCK_MONOTONIC) - epoch;
	return again < -0.5 || again > 0.5 ? 7 : 0;
}

const struct way ways[] = {
	{"sleep", sleep_until},
	{"sleep in TAI", tai_sleep},
	{"condition", condition},
	{"condition, clock given", condition_clock},
	{"semaphore", semaphore},
	{"semaphore, clock given", semaphore_clock},
	{"semaphore that does not wait", semaphore_now},
	{"mutex", mutex_timed},
	{"mutex, clock given", mutex_clock},
	{"lock to read", read_timed},
	{"lock to read, clock given", read_clock},
	{"lock to write", write_timed},
	{"lock to write, clock given", write_clock},
	{"join", join_timed},
	{"join, clock given", join_clock},
	{"mutex of many threads", mutex_of_many},
	{"futex", futex},
	{"queue, receiving", queue_receive},
	{"queue, sending", queue_send},
	{"timer that calls", timer_calls},
	{"timer descriptor", descriptor},
	{"asked in all ways", asked},
	{0},
};
