// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The C library's statistics of this process's memory, and the buffering of its output.

#include "CFaults.h"

#include <stdio.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

void ocd_write_lines(void) { setvbuf(stdout, NULL, _IOLBF, 0); }

void ocd_heap(size_t *in_use, size_t *free_bytes) {
    *in_use = *free_bytes = 0;
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    struct mallinfo2 heap = mallinfo2();
    *in_use = heap.uordblks + heap.hblkhd;
    *free_bytes = heap.fordblks;
#endif
}
