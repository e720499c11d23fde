// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Waits for contended locks, stores the thread-local state of the runtime, and renames files to unused names.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CRuntime.h"

#include <errno.h>
#include <stdio.h>
#if defined(_WIN32)
#include <windows.h>
#else
#include <fcntl.h>
#include <time.h>
#include <unistd.h>
#endif
#if defined(__linux__)
#include <sys/syscall.h>
#endif

// Waiting for a lock (ocd_lock). A waiter spins for as long as a running holder needs, then it sleeps: the holder may
// have been descheduled, and a spinning thread would keep the processor from it.
#if defined(__linux__) && !defined(OCD_PORTABLE)
#include <linux/futex.h>

// Sleeps until the holder wakes it. `ocd_release` may miss a waiter that arrives between its load and its store, so a
// waiter checks again after a millisecond.
static void wait_for_release(ocd_lock *lock, uint32_t round) {
    (void)round;
    struct timespec most = {0, 1000000};
    syscall(SYS_futex, &lock->state, FUTEX_WAIT_PRIVATE, OCD_LOCK_CONTENDED, &most, 0, 0);
}

static void wake_one(ocd_lock *lock) { syscall(SYS_futex, &lock->state, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0); }
#else
// Sleeps 50 microseconds at first, later up to a millisecond.
static void wait_for_release(ocd_lock *lock, uint32_t round) {
    (void)lock;
#if defined(_WIN32)
    Sleep(round < 4 ? 0 : 1);
#else
    struct timespec step = {0, round < 20 ? 50000 * (long)(round + 1) : 1000000};
    nanosleep(&step, 0);
#endif
}

static void wake_one(ocd_lock *lock) { (void)lock; }
#endif

void ocd_acquire_contended(ocd_lock *lock) {
    for (uint32_t spin = 0; spin < 64; spin++) {
        uint32_t free = OCD_LOCK_FREE;
        if (atomic_load_explicit(&lock->state, memory_order_relaxed) == OCD_LOCK_FREE
            && atomic_compare_exchange_weak_explicit(&lock->state, &free, OCD_LOCK_HELD, memory_order_acquire,
                                                     memory_order_relaxed))
            return;
    }
    for (uint32_t round = 0;; round++) {
        // A thread that acquires the lock here leaves it marked as contended, because other threads may be sleeping as
        // well.
        if (atomic_exchange_explicit(&lock->state, OCD_LOCK_CONTENDED, memory_order_acquire) == OCD_LOCK_FREE) return;
        wait_for_release(lock, round);
    }
}

void ocd_release_contended(ocd_lock *lock) {
    atomic_store_explicit(&lock->state, OCD_LOCK_FREE, memory_order_release);
    wake_one(lock);
}

static _Thread_local void *current_context;

void *ocd_current_context(void) { return current_context; }
void ocd_set_current_context(void *context) { current_context = context; }

static _Thread_local void *current_operation;

void *ocd_current_operation(void) { return current_operation; }
void ocd_set_current_operation(void *operation) { current_operation = operation; }

static _Thread_local void *block_origin;

void *ocd_block_origin(void) { return block_origin; }
void ocd_set_block_origin(void *origin) { block_origin = origin; }

static _Thread_local void *creation_ticket;

void *ocd_creation_ticket(void) { return creation_ticket; }

void *ocd_exchange_creation_ticket(void *ticket) {
    void *waiting = creation_ticket;
    creation_ticket = ticket;
    return waiting;
}

static _Thread_local void *read_recorder;

void *ocd_read_recorder(void) { return read_recorder; }
void ocd_set_read_recorder(void *recorder) { read_recorder = recorder; }

static _Thread_local void *held_announcements;

void *ocd_held_announcements(void) { return held_announcements; }
void ocd_set_held_announcements(void *held) { held_announcements = held; }

static _Thread_local ocd_release_state nested_releases;

ocd_release_state *ocd_nested_releases(void) { return &nested_releases; }

_Atomic(intptr_t) ocd_observed_count;
_Atomic(intptr_t) ocd_recorder_count;

_Atomic(bool) ocd_ownership_check;

uint32_t ocd_milliseconds(void) {
#if defined(_WIN32)
    return (uint32_t)GetTickCount64();
#else
    struct timespec now;
#if defined(CLOCK_MONOTONIC_COARSE)
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return (uint32_t)((uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000);
#endif
}

struct ocd_layout_entry ocd_layouts[1 << OCD_LAYOUT_BITS];

int ocd_rename_new(const char *from, const char *to) {
#if defined(_WIN32)
    return rename(from, to);  // fails if the name is in use
#else
#if defined(__linux__) && defined(SYS_renameat2)
    const unsigned int no_replacement = 1;
#if defined(__GLIBC__)  // the system call itself, which tests of failing disks observe
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, no_replacement) == 0) return 0;
#else
    if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, no_replacement) == 0) return 0;
#endif
    if (errno != EINVAL && errno != ENOSYS) return -1;
#elif defined(__APPLE__)
    if (renamex_np(from, to, RENAME_EXCL) == 0) return 0;
    if (errno != ENOTSUP) return -1;
#endif
    // The file system or the system cannot do both in one step.
    if (access(to, F_OK) == 0) {
        errno = EEXIST;
        return -1;
    }
    return rename(from, to);
#endif
}
