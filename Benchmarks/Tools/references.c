// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Intercepts a program's calls of Swift's run time and counts retains and releases by caller: Scripts/count-references.
//
// At the end of the program it writes lines "up|down ADDRESS COUNT" to the file named by REFERENCES_OUT. ADDRESS is the
// address of a caller in the program, as in `nm`. Callers in libraries are omitted.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

enum { up, down, kinds };
enum { places = 1 << 16, probes = 64 };

typedef struct {
    uintptr_t caller;
    uint64_t count;
    int kind;
} place;

static place table[places];

static void *(*retain)(void *);
static void (*release)(void *);
static void *(*retain_n)(void *, uint32_t);
static void (*release_n)(void *, uint32_t);

static void find(void) {
    retain = dlsym(RTLD_NEXT, "swift_retain");
    retain_n = dlsym(RTLD_NEXT, "swift_retain_n");
    release_n = dlsym(RTLD_NEXT, "swift_release_n");
    release = dlsym(RTLD_NEXT, "swift_release");
}

// Threads may lose a count to one another: the jobs run on one.
static void note(int kind, void *caller) {
    uintptr_t hash = ((uintptr_t)caller ^ (uintptr_t)kind) * 0x9E3779B97F4A7C15u;
    for (unsigned probe = 0; probe < probes; probe++) {
        place *found = &table[((hash >> 40) + probe) % places];
        if (found->count == 0) {
            found->caller = (uintptr_t)caller;
            found->kind = kind;
        }
        if (found->caller == (uintptr_t)caller && found->kind == kind) {
            found->count++;
            return;
        }
    }
}

void *swift_retain(void *object) {
    if (!release) find();
    if (object) note(up, __builtin_return_address(0));
    return retain(object);
}

void swift_release(void *object) {
    if (!release) find();
    if (object) note(down, __builtin_return_address(0));
    release(object);
}

void *swift_retain_n(void *object, uint32_t count) {
    if (!release) find();
    if (object) note(up, __builtin_return_address(0));
    return retain_n(object, count);
}

void swift_release_n(void *object, uint32_t count) {
    if (!release) find();
    if (object) note(down, __builtin_return_address(0));
    release_n(object, count);
}

__attribute__((destructor)) static void tell(void) {
    const char *path = getenv("REFERENCES_OUT");
    FILE *out = path ? fopen(path, "w") : NULL;
    Dl_info program, caller;
    if (!out || !dladdr((void *)getauxval(AT_ENTRY), &program)) return;
    for (unsigned index = 0; index < places; index++) {
        place *found = &table[index];
        if (found->count == 0 || !dladdr((void *)found->caller, &caller) || caller.dli_fbase != program.dli_fbase) continue;
        // The call lies before the address that it returns to.
        fprintf(out, "%s %016lx %lu\n", found->kind == up ? "up" : "down",
                (unsigned long)(found->caller - 1 - (uintptr_t)caller.dli_fbase), (unsigned long)found->count);
    }
    fclose(out);
}
