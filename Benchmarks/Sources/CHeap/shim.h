// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// How much heap is in use: Swift's modules of C libraries leave malloc.h out.

#if defined(__GLIBC__) || __has_include(<malloc.h>)
#include <malloc.h>
#endif

// Bytes handed out in all arenas and in blocks mapped alone; -1 where the C library does not tell.
static inline long bench_heap_in_use(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    struct mallinfo2 info = mallinfo2();
    return (long)(info.uordblks + info.hblkhd);
#else
    return -1;
#endif
}
