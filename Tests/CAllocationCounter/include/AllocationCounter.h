// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts what each thread allocates, for tests that say how much work may allocate.

#ifndef OPENCOREDATA_ALLOCATION_COUNTER_H
#define OPENCOREDATA_ALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

// Whether allocations are counted in this build.
bool ocd_counts_allocations(void);

// Blocks that this thread has asked for since it began.
int64_t ocd_allocations(void);

// Bytes that this thread has been given less those that it has given back; below zero where it frees what others made.
int64_t ocd_allocated_bytes(void);

#endif
