// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Informs ThreadSanitizer of the order that a contended Mutex of Synchronization makes. Empty in all other builds.

#if defined(__linux__) && defined(__has_feature)
#if __has_feature(thread_sanitizer)

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

// A `Mutex` takes its lock by an atomic exchange in the code of its user, which is instrumented. When two threads
// compete, the library takes it, which is not. These functions have the names of the library's and come before them:
// they call them, and report the order.

extern void __tsan_acquire(void *address);
extern void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void ocd_lock_slow(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT bool ocd_try_lock_slow(SELF void *mutex) __asm__(TRY_LOCK);
SWIFT void ocd_unlock_slow(SELF void *mutex) __asm__(UNLOCK);

static void *library(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) abort();
    return function;
}

SWIFT void ocd_lock_slow(uint32_t thread, SELF void *mutex) {
    ((SWIFT void (*)(uint32_t, SELF void *))library(LOCK))(thread, mutex);
    __tsan_acquire(mutex);
}

SWIFT bool ocd_try_lock_slow(SELF void *mutex) {
    bool taken = ((SWIFT bool (*)(SELF void *))library(TRY_LOCK))(mutex);
    if (taken) __tsan_acquire(mutex);
    return taken;
}

SWIFT void ocd_unlock_slow(SELF void *mutex) {
    __tsan_release(mutex);
    ((SWIFT void (*)(SELF void *))library(UNLOCK))(mutex);
}

#endif
#endif
