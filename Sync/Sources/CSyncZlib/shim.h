// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Includes the header of the system's zlib for the module map.

#include <zlib.h>
