// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What the allocator of the C library says of itself.

#include "CFaults.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

void ocd_heap(size_t *in_use, size_t *free_bytes) {
    *in_use = *free_bytes = 0;
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    struct mallinfo2 heap = mallinfo2();
    *in_use = heap.uordblks + heap.hblkhd;
    *free_bytes = heap.fordblks;
#endif
}
