// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts the allocations of each thread, for tests that limit them.

#ifndef OPENCOREDATA_ALLOCATION_COUNTER_H
#define OPENCOREDATA_ALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

// Whether allocations are counted in this build.
bool ocd_counts_allocations(void);

// The blocks that this thread has allocated since it began.
int64_t ocd_allocations(void);

// Bytes that this thread has allocated less those that it has freed; negative if it frees memory of other threads.
int64_t ocd_allocated_bytes(void);

#endif
