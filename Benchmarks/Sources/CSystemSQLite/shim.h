// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The SQLite of the system.

#include <sqlite3.h>
