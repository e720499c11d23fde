// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Whether a thread is inside of `withObservationTracking`, told in a nanosecond. Observation-7 and Observation-8.

#ifndef OPENCOREDATA_TRACKINGSCOPE_H
#define OPENCOREDATA_TRACKINGSCOPE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Where the thread-local pointer lies that Swift's Observation sets inside of tracking scopes, from the thread pointer; the same in
// every thread. 0: not known.
extern _Atomic(ptrdiff_t) ocd_tracking_word;

static inline void *_Nullable ocd_thread_word(ptrdiff_t offset) {
#if defined(__ELF__)
    return *(void **)((char *)__builtin_thread_pointer() + offset);
#else
    (void)offset;
    return 0;
#endif
}

static inline bool ocd_may_be_tracking(void) {
    ptrdiff_t offset = atomic_load_explicit(&ocd_tracking_word, memory_order_relaxed);
    return offset == 0 || ocd_thread_word(offset) != 0;
}

static inline ptrdiff_t ocd_get_tracking_word(void) {
    return atomic_load_explicit(&ocd_tracking_word, memory_order_relaxed);
}

static inline void ocd_set_tracking_word(ptrdiff_t offset) {
    atomic_store_explicit(&ocd_tracking_word, offset, memory_order_relaxed);
}

// Finds the thread-local words of the calling thread that point between two addresses. Returns how many there are, and the place of the
// last one in `offset`. None on systems that do not tell where such words are.
size_t ocd_find_thread_words(uintptr_t low, uintptr_t high, ptrdiff_t *_Nonnull offset);

#endif
