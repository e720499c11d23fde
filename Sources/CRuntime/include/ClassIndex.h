// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lists the Swift classes of the process by name, so that a bare name is found in any module.

#ifndef OPENCOREDATA_CLASSINDEX_H
#define OPENCOREDATA_CLASSINDEX_H

#include <stdbool.h>
#include <stddef.h>

// The number of loaded images with Swift types; 0 if the runtime does not list them.
size_t ocd_image_count(void);

// Calls `body` for every non-generic class: its name without a module, whether it is at the top level of a module, and
// the argument of `ocd_class_of`. The names live as long as the image.
void ocd_each_class(void (*_Nonnull body)(const char *_Nonnull name, bool is_top_level, const void *_Nonnull descriptor,
                                          void *_Nullable context),
                    void *_Nullable context);

// The class of a descriptor, as a Swift metatype.
const void *_Nullable ocd_class_of(const void *_Nonnull descriptor);

#endif
