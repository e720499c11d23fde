// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The armed fault, which all layers check at each call.

#ifndef PLAN_H
#define PLAN_H

#include "CFaults.h"

/// Counts a call, and returns whether it fails.
///
/// - Parameter needs: the modes that this call is counted in, as bits: 1 << mode.
bool ocd_fails(ocd_layer layer, unsigned needs, const char *call);

ocd_mode ocd_armed_mode(void);

/// Above 0 while this thread is inside of a call of SQLite's VFS.
extern _Thread_local int ocd_depth;

int ocd_vfs_install(void);

#define OCD_ANY (1u << OCD_MODE_IO)
#define OCD_ROOM (1u << OCD_MODE_IO | 1u << OCD_MODE_FULL)
#define OCD_BYTES (1u << OCD_MODE_IO | 1u << OCD_MODE_FULL | 1u << OCD_MODE_SHORT)
#define OCD_OPENS (1u << OCD_MODE_IO | 1u << OCD_MODE_DESCRIPTORS)

#endif
