// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Switches the ownership check on for the process of the tests; there is nothing to call.

#ifndef OPENCOREDATA_OWNERSHIPCHECK_H
#define OPENCOREDATA_OWNERSHIPCHECK_H
#endif
