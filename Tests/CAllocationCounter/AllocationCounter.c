// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Replaces malloc and related functions in programs that link this, and forwards every call to glibc's own.
// Sanitizers do the same: with one of them this counts nothing.

#include "AllocationCounter.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#include <stdlib.h>

#if defined(__GLIBC__) && !defined(SANITIZED)

#include <malloc.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void __libc_free(void *block);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Thread_local int64_t blocks;
static _Thread_local int64_t bytes;

static inline void *counted(void *block) {
    if (block) {
        blocks += 1;
        bytes += (int64_t)malloc_usable_size(block);
    }
    return block;
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }
void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    void *made = counted(__libc_memalign(alignment, size));
    if (!made) return 12;  // ENOMEM
    *block = made;
    return 0;
}

void *realloc(void *block, size_t size) {
    if (block) bytes -= (int64_t)malloc_usable_size(block);
    return counted(__libc_realloc(block, size));
}

void free(void *block) {
    if (block) bytes -= (int64_t)malloc_usable_size(block);
    __libc_free(block);
}

bool ocd_counts_allocations(void) { return true; }
int64_t ocd_allocations(void) { return blocks; }
int64_t ocd_allocated_bytes(void) { return bytes; }

#else

bool ocd_counts_allocations(void) { return false; }
int64_t ocd_allocations(void) { return 0; }
int64_t ocd_allocated_bytes(void) { return 0; }

#endif
