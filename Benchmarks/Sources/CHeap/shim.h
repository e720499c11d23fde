// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the amount of heap memory in use. Swift's C library modules omit malloc.h.

#if defined(__GLIBC__) || __has_include(<malloc.h>)
#include <malloc.h>
#endif

// The bytes handed out in all arenas and separately mapped blocks; -1 if the C library does not provide the number.
static inline long bench_heap_in_use(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    struct mallinfo2 info = mallinfo2();
    return (long)(info.uordblks + info.hblkhd);
#else
    return -1;
#endif
}
