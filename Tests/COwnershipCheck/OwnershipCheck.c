// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Enables the ownership check for the process of the tests, before anything else runs. The environment has precedence.

#include "OwnershipCheck.h"

#include <stdlib.h>

__attribute__((constructor)) static void switch_on(void) { setenv("com.apple.CoreData.ConcurrencyDebug", "1", 0); }
