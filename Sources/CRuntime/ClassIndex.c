// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the type records of loaded images. Swift's ABI defines their form (TypeMetadata.rst of the compiler).

#include "ClassIndex.h"

#include <stdint.h>

struct range {
    uintptr_t start;
    size_t length;
};

// MetadataSections of the runtime, as far as this file reads it.
struct sections {
    uintptr_t version;
    const void *base_address;
    void *unused[2];
    struct range protocols;
    struct range conformances;
    struct range types;
};

typedef bool (*visitor)(const struct sections *, void *);

// Exported by the runtime on systems with a loader that does not list sections.
extern void swift_enumerateAllMetadataSections(visitor body, void *context) __attribute__((weak));

static bool count_image(const struct sections *sections, void *context) {
    (void)sections;
    ++*(size_t *)context;
    return true;
}

size_t ocd_image_count(void) {
    size_t count = 0;
    if (swift_enumerateAllMetadataSections) swift_enumerateAllMetadataSections(count_image, &count);
    return count;
}

enum {
    MODULE = 0,
    CLASS = 16,
    KIND_MASK = 0x1f,
    GENERIC = 0x80,
};

// A context descriptor of a class: flags, and offsets relative to their own addresses.
struct descriptor {
    uint32_t flags;
    int32_t parent;
    int32_t name;
    int32_t access_function;
};

static const void *direct(const int32_t *place) { return (const char *)place + *place; }

// Bit 0 means that the offset refers to a pointer.
static const void *indirectable(const int32_t *place) {
    const void *target = (const char *)place + (*place & ~1);
    return *place & 1 ? *(const void *const *)target : target;
}

struct visit {
    void (*body)(const char *, bool, const void *, void *);
    void *context;
};

static bool visit_image(const struct sections *sections, void *context) {
    const struct visit *visit = context;
    const int32_t *record = (const int32_t *)sections->types.start;
    const int32_t *end = (const int32_t *)(sections->types.start + sections->types.length);
    for (; record && record < end; ++record) {
        // The lowest two bits determine how the descriptor is reached: 0 directly, 1 through a pointer.
        int32_t way = *record & 3;
        if (!*record || way > 1) continue;
        const void *target = (const char *)record + (*record & ~3);
        const struct descriptor *type = way ? *(const struct descriptor *const *)target : target;
        if (!type || (type->flags & KIND_MASK) != CLASS || type->flags & GENERIC) continue;
        if (!type->name || !type->access_function) continue;
        const uint32_t *parent = type->parent ? indirectable(&type->parent) : 0;
        visit->body(direct(&type->name), parent && (*parent & KIND_MASK) == MODULE, type, visit->context);
    }
    return true;
}

void ocd_each_class(void (*body)(const char *, bool, const void *, void *), void *context) {
    struct visit visit = {body, context};
    if (swift_enumerateAllMetadataSections) swift_enumerateAllMetadataSections(visit_image, &visit);
}

const void *ocd_class_of(const void *descriptor) {
    // The access function of a non-generic type takes the requested state of the metadata (0: complete), and returns
    // the metadata and its state.
    struct response {
        const void *metadata;
        size_t state;
    };
    const struct descriptor *type = descriptor;
    struct response (*access)(size_t) = (struct response(*)(size_t))direct(&type->access_function);
    return access(0).metadata;
}
