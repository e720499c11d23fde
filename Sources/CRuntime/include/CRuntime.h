// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Provides Swift with a weak look-up, a one-word lock, thread-local memory, and a rename that replaces nothing.

#ifndef OPENCOREDATA_CRUNTIME_H
#define OPENCOREDATA_CRUNTIME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "ClassIndex.h"
#include "ImportedSymbols.h"
#include "LastWords.h"

// Adds a strong reference to a Swift object unless its deallocation has begun; returns the object, or null if it has.
// The caller must ensure that the memory still exists (by a cell lock that the object's deinitializer takes as well).
extern void *_Nullable swift_tryRetain(void *_Nonnull object);

static inline void *_Nullable ocd_try_retain(void *_Nonnull object) { return swift_tryRetain(object); }

// A one-word lock for critical sections of a few instructions. A waiter sleeps after a few spins.
typedef struct { _Atomic(uint32_t) state; } ocd_lock;

enum { OCD_LOCK_FREE, OCD_LOCK_HELD, OCD_LOCK_CONTENDED };

void ocd_acquire_contended(ocd_lock *_Nonnull lock);
void ocd_release_contended(ocd_lock *_Nonnull lock);

static inline void ocd_acquire(ocd_lock *_Nonnull lock) {
    uint32_t free = OCD_LOCK_FREE;
    if (!atomic_compare_exchange_strong_explicit(&lock->state, &free, OCD_LOCK_HELD, memory_order_acquire,
                                                 memory_order_relaxed))
        ocd_acquire_contended(lock);
}

// A load and a store, because an exchange costs as much as all other work under these locks. A waiter that marks the
// lock between the two is not woken, but checks again by itself (wait_for_release).
static inline void ocd_release(ocd_lock *_Nonnull lock) {
    if (atomic_load_explicit(&lock->state, memory_order_relaxed) == OCD_LOCK_HELD)
        atomic_store_explicit(&lock->state, OCD_LOCK_FREE, memory_order_release);
    else
        ocd_release_contended(lock);
}

// The context of the innermost block on this thread, as a ContextFrame; null outside `perform`.
void *_Nullable ocd_current_context(void);
void ocd_set_current_context(void *_Nullable context);

// The RunningOperation of this thread; null unless stores are observed.
void *_Nullable ocd_current_operation(void);
void ocd_set_current_operation(void *_Nullable operation);

// The BlockOrigin of the block that this thread runs; null for most.
void *_Nullable ocd_block_origin(void);
void ocd_set_block_origin(void *_Nullable origin);

// The label of the current dispatch queue; empty or null outside a queue.
extern const char *_Nullable dispatch_queue_get_label(void *_Nullable queue);
static inline const char *_Nullable ocd_current_queue_label(void) { return dispatch_queue_get_label(0); }

// The ReadRecorder that records reads instead of Swift's Observation, or null.
void *_Nullable ocd_read_recorder(void);
void ocd_set_read_recorder(void *_Nullable recorder);

// The number of active ReadRecorders, on any thread, plus one if the program may track reads. While it is 0, reads skip
// the search for a recorder.
extern _Atomic(intptr_t) ocd_recorder_count;

static inline bool ocd_anything_records(void) {
    return atomic_load_explicit(&ocd_recorder_count, memory_order_relaxed) != 0;
}

static inline void ocd_count_recorders(intptr_t difference) {
    atomic_fetch_add_explicit(&ocd_recorder_count, difference, memory_order_relaxed);
}

// The number of nested deinitializers on this thread, and a WaitingList of the releases that the outermost one makes.
typedef struct {
    int32_t depth;
    void *_Nullable waiting;
} ocd_release_state;
ocd_release_state *_Nonnull ocd_nested_releases(void);

// The DeferredAnnouncements that delays did-changes until a change of several objects is complete, or null.
void *_Nullable ocd_held_announcements(void);
void ocd_set_held_announcements(void *_Nullable held);

// Whether objects and contexts check that they are used on their queue; off until the setting was read.
extern _Atomic(bool) ocd_ownership_check;

static inline bool ocd_ownership_is_checked(void) {
    return atomic_load_explicit(&ocd_ownership_check, memory_order_relaxed);
}

static inline void ocd_check_ownership(bool is_checked) {
    atomic_store_explicit(&ocd_ownership_check, is_checked, memory_order_relaxed);
}

// The number of observed objects in the process.
extern _Atomic(intptr_t) ocd_observed_count;

static inline bool ocd_anything_is_observed(void) {
    return atomic_load_explicit(&ocd_observed_count, memory_order_relaxed) != 0;
}

static inline void ocd_count_observed(intptr_t difference) {
    atomic_fetch_add_explicit(&ocd_observed_count, difference, memory_order_relaxed);
}

// The layouts of rows, by number: a row refers to its layout by this many bits instead of a pointer. An entry is
// written before any row has its number, and not again while its layout exists. Rows that are deallocated after their
// layout read only `places` and `owning`.
enum { OCD_LAYOUT_BITS = 18 };

struct ocd_layout_entry {
    const void *_Nullable layout;  // an EntityLayout
    const void *_Nullable places;  // its SlotDescriptors
    const int32_t *_Nullable owning;  // the slots that own memory; -1 ends them
};

extern struct ocd_layout_entry ocd_layouts[];

static inline const void *_Nonnull ocd_layout(uint32_t number) { return (const void *_Nonnull)ocd_layouts[number].layout; }
static inline const void *_Nonnull ocd_layout_places(uint32_t number) {
    return (const void *_Nonnull)ocd_layouts[number].places;
}
static inline const int32_t *_Nonnull ocd_layout_owning(uint32_t number) {
    return (const int32_t *_Nonnull)ocd_layouts[number].owning;
}
static inline struct ocd_layout_entry ocd_layout_entry_of(uint32_t number) { return ocd_layouts[number]; }
static inline void ocd_set_layout(uint32_t number, const void *_Nonnull layout, const void *_Nonnull places,
                                  const int32_t *_Nonnull owning) {
    ocd_layouts[number].layout = layout;
    ocd_layouts[number].places = places;
    ocd_layouts[number].owning = owning;
}

// Milliseconds of a monotonic clock, as precise as possible within a few nanoseconds.
uint32_t ocd_milliseconds(void);

// The CreationTicket of the next managed object made on this thread; null for an ordinary `init`.
void *_Nullable ocd_creation_ticket(void);
void *_Nullable ocd_exchange_creation_ticket(void *_Nullable ticket);

// Renames a file to an unused name. Returns 0, or -1 with `errno`: EEXIST if the name is in use.
int ocd_rename_new(const char *_Nonnull from, const char *_Nonnull to);

#endif
