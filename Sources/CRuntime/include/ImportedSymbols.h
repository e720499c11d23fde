// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Detects whether the program uses a part of a library, by the symbols that its images import.

#ifndef OPENCOREDATA_IMPORTEDSYMBOLS_H
#define OPENCOREDATA_IMPORTEDSYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

// Whether a loaded image imports a symbol that begins with `prefix` and with none of the exceptions. Also true if the
// loader does not list images and their symbols. Checks again after further images were loaded.
bool ocd_imports(const char *_Nonnull prefix, const char *_Nonnull const *_Nullable exceptions, size_t count);

// Whether the program can open a tracking scope of Swift's Observation. Programs that only have models import only its
// registrar and its protocol.
bool ocd_may_track_reads(void);

#endif
