// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.

#include "CRuntime.h"

#if defined(_WIN32)
#include <windows.h>
static void give_way(void) { SwitchToThread(); }
#else
#include <sched.h>
#include <time.h>
static void give_way(void) { sched_yield(); }
#endif

void ocd_spin_wait(ocd_spin_lock *lock) {
    for (uint32_t round = 0;; round++) {
        uint32_t free = 0;
        if (atomic_load_explicit(&lock->state, memory_order_relaxed) == 0
            && atomic_compare_exchange_weak_explicit(&lock->state, &free, 1, memory_order_acquire,
                                                     memory_order_relaxed))
            return;
        if (round > 64) give_way();
    }
}

static _Thread_local void *current_context;

void *ocd_current_context(void) { return current_context; }
void ocd_set_current_context(void *context) { current_context = context; }

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
