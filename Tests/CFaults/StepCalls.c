// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Replaces clocks, pauses and file locks of the system for simulated processes; other threads get the system's.

#define _GNU_SOURCE
#include "Steps.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

// Sanitizers replace the same calls.
#if defined(__GLIBC__) && !defined(SANITIZED)

#include <dlfcn.h>
#include <errno.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/// The simulated time of clocks that count from the start of the machine.
static const int64_t uptime = 1000000000000;

static int (*real_clock)(clockid_t, struct timespec *);

__attribute__((constructor)) static void find_clock(void) {
    real_clock = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
}

static void split(int64_t nanoseconds, struct timespec *result) {
    result->tv_sec = nanoseconds / 1000000000;
    result->tv_nsec = nanoseconds % 1000000000;
}

int clock_gettime(clockid_t clock, struct timespec *result) {
    if (!ocd_self) {
        return real_clock ? real_clock(clock, result) : (int)syscall(SYS_clock_gettime, clock, result);
    }
    bool is_calendar = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
    split(is_calendar ? ocd_step_calendar() : uptime + ocd_step_now(), result);
    return 0;
}

int gettimeofday(struct timeval *result, void *zone) {
    (void)zone;
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    result->tv_sec = time.tv_sec;
    result->tv_usec = time.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    if (result) *result = time.tv_sec;
    return time.tv_sec;
}

/// A pause lasts as many steps as any other, since stores draw the lengths of some pauses at random.
int nanosleep(const struct timespec *wanted, struct timespec *left) {
    if (!ocd_self) return (int)syscall(SYS_nanosleep, wanted, left);
    ocd_step_sleep();
    return 0;
}

int usleep(useconds_t microseconds) {
    struct timespec wanted;
    split((int64_t)microseconds * 1000, &wanted);
    return nanosleep(&wanted, NULL);
}

/// Another simulated process may hold the lock, so this thread must not wait for it in the system.
int flock(int descriptor, int operation) {
    if (!ocd_self) return (int)syscall(SYS_flock, descriptor, operation);
    while (true) {
        if (ocd_step("flock", "", operation, 0, OCD_NEEDS_DISK, 4) != OCD_GO) {
            errno = EIO;
            return -1;
        }
        int code = (int)syscall(SYS_flock, descriptor, operation | LOCK_NB);
        if (code == 0 || operation & (LOCK_NB | LOCK_UN) || errno != EWOULDBLOCK) return code;
        ocd_step_sleep();
    }
}

#endif
