/* labtime: calls of the kernel that leave errno alone, for code that runs beside the threads of libc. */
#ifndef NETBENCH_RAW_H
#define NETBENCH_RAW_H

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define HAS_RAW 1
static inline long raw6(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

static inline void *thread_pointer(void)
{
	void *at;

	__asm__("mov %%fs:0, %0" : "=r"(at));
	return at;
}
#elif defined(__aarch64__)
#define HAS_RAW 1
static inline long raw6(long number, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
}

static inline void *thread_pointer(void)
{
	void *at;

	__asm__("mrs %0, tpidr_el0" : "=r"(at));
	return at;
}
#else
#define HAS_RAW 0 /* timers then go by the wall */
static inline long raw6(long number, long a, long b, long c, long d, long e, long f)
{
	(void)number, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
	return -ENOSYS;
}

static inline void *thread_pointer(void)
{
	return 0;
}
#endif

#define RAW_(number, a, b, c, d, ...) raw6(number, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
/* Up to four arguments. Returns what the kernel returns: a negative error number for an error. */
#define RAW(...) RAW_(__VA_ARGS__, 0, 0, 0, 0)

#endif
