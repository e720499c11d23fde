// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the dynamic symbol tables of the loaded images, in the form that the ELF specification defines.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "ImportedSymbols.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__linux__) && !defined(OCD_PORTABLE)
#include <link.h>

struct search {
    const char *prefix;
    const char *const *exceptions;
    size_t count;
    bool found;
};

// Addresses in a dynamic section are relocated for most images, but not for those of the kernel.
static const void *place(const struct dl_phdr_info *image, ElfW(Addr) address) {
    return (const void *)(address < image->dlpi_addr ? address + image->dlpi_addr : address);
}

static bool begins(const char *name, const char *prefix) { return strncmp(name, prefix, strlen(prefix)) == 0; }

static bool is_wanted(const struct search *search, const char *name) {
    if (!begins(name, search->prefix)) return false;
    for (size_t index = 0; index < search->count; ++index)
        if (begins(name, search->exceptions[index])) return false;
    return true;
}

// Whether the table lists a symbol. An empty table does not show where the imported symbols end.
static bool is_filled(const uint32_t *gnu_hash) {
    const uint32_t *buckets = gnu_hash + 4 + gnu_hash[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    for (uint32_t index = 0; index < gnu_hash[0]; ++index)
        if (buckets[index]) return true;
    return false;
}

static int look(struct dl_phdr_info *image, size_t size, void *context) {
    (void)size;
    struct search *search = context;
    const ElfW(Dyn) *dynamic = NULL;
    for (int index = 0; index < image->dlpi_phnum; ++index)
        if (image->dlpi_phdr[index].p_type == PT_DYNAMIC)
            dynamic = (const void *)(image->dlpi_addr + image->dlpi_phdr[index].p_vaddr);
    if (!dynamic) return 0;
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    const uint32_t *hash = NULL, *gnu_hash = NULL;
    for (; dynamic->d_tag != DT_NULL; ++dynamic) {
        if (dynamic->d_tag == DT_SYMTAB) symbols = place(image, dynamic->d_un.d_ptr);
        if (dynamic->d_tag == DT_STRTAB) names = place(image, dynamic->d_un.d_ptr);
        if (dynamic->d_tag == DT_HASH) hash = place(image, dynamic->d_un.d_ptr);
        if (dynamic->d_tag == DT_GNU_HASH) gnu_hash = place(image, dynamic->d_un.d_ptr);
    }
    if (!symbols || !names || (!hash && !gnu_hash)) return 0;
    if (!hash && !is_filled(gnu_hash)) {
        search->found = true;
        return 1;
    }
    // The older table lists all symbols; imported ones precede those that the newer table lists.
    uint32_t end = hash ? hash[1] : gnu_hash[1];
    for (uint32_t index = 1; index < end; ++index) {
        if (symbols[index].st_shndx == SHN_UNDEF && is_wanted(search, names + symbols[index].st_name)) {
            search->found = true;
            return 1;
        }
    }
    return 0;
}

bool ocd_imports(const char *prefix, const char *const *exceptions, size_t count) {
    struct search search = {prefix, exceptions, count, false};
    dl_iterate_phdr(look, &search);
    return search.found;
}

static int find_library(struct dl_phdr_info *image, size_t size, void *context) {
    (void)size;
    if (!image->dlpi_name || !strstr(image->dlpi_name, "libswiftObservation")) return 0;
    *(bool *)context = true;
    return 1;
}

static int count_loads(struct dl_phdr_info *image, size_t size, void *context) {
    if (size >= offsetof(struct dl_phdr_info, dlpi_subs)) *(uint64_t *)context = image->dlpi_adds;
    return 1;
}

bool ocd_may_track_reads(void) {
    static const char *const exceptions[] = {"$s11Observation0A9Registrar", "$s11Observation10Observable"};
    // The number of loads so far, and in the highest bit the answer. 0 before the first check.
    static _Atomic(uint64_t) known;
    static const uint64_t yes = (uint64_t)1 << 63;
    uint64_t before = atomic_load_explicit(&known, memory_order_relaxed), loads = 0;
    if (before & yes) return true;
    dl_iterate_phdr(count_loads, &loads);
    if (before == loads && loads != 0) return false;
    bool has_library = false;
    dl_iterate_phdr(find_library, &has_library);
    // If the library is linked into the program, there are no imports to check.
    bool answer = !has_library || ocd_imports("$s11Observation", exceptions, 2);
    atomic_store_explicit(&known, answer ? yes : loads, memory_order_relaxed);
    return answer;
}

#else

bool ocd_imports(const char *prefix, const char *const *exceptions, size_t count) {
    (void)prefix, (void)exceptions, (void)count;
    return true;
}

bool ocd_may_track_reads(void) { return true; }

#endif
