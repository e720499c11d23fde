// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.

#define _GNU_SOURCE

#include "TrackingScope.h"

_Atomic(ptrdiff_t) ocd_tracking_word;

#if defined(__ELF__)
#include <link.h>

struct search {
    uintptr_t low, high;
    ptrdiff_t offset;
    size_t count;
};

static void search_words(struct search *search, const uintptr_t *words, size_t count) {
    for (size_t word = 0; word < count; word++) {
        if (words[word] <= search->low || words[word] >= search->high) continue;
        search->offset = (char *)&words[word] - (char *)__builtin_thread_pointer();
        search->count++;
    }
}

static int search_module(struct dl_phdr_info *info, size_t size, void *search) {
    (void)size;
    if (!info->dlpi_tls_data) return 0;
    for (int segment = 0; segment < info->dlpi_phnum; segment++) {
        if (info->dlpi_phdr[segment].p_type == PT_TLS)
            search_words(search, info->dlpi_tls_data, info->dlpi_phdr[segment].p_memsz / sizeof(uintptr_t));
    }
    return 0;
}

size_t ocd_find_thread_words(uintptr_t low, uintptr_t high, ptrdiff_t *offset) {
    struct search search = {low, high, 0, 0};
    dl_iterate_phdr(search_module, &search);
    *offset = search.offset;
    return search.count;
}
#else
size_t ocd_find_thread_words(uintptr_t low, uintptr_t high, ptrdiff_t *offset) {
    (void)low, (void)high;
    *offset = 0;
    return 0;
}
#endif
