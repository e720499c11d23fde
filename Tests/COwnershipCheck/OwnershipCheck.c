// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Switches the ownership check on for the process of the tests, before anything else runs. What the environment says wins.

#include "OwnershipCheck.h"

#include <stdlib.h>

__attribute__((constructor)) static void switch_on(void) { setenv("com.apple.CoreData.ConcurrencyDebug", "1", 0); }
