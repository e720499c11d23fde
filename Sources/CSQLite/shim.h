// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Includes the header of the system's SQLite for the module map.

#include <sqlite3.h>

/// The place of the last error in the text of a statement, in bytes; -1 if it is unknown. SQLite has it from 3.38 on.
static inline int ocd_sqlite_error_offset(sqlite3 *database) {
#if SQLITE_VERSION_NUMBER >= 3038000
    return sqlite3_error_offset(database);
#else
    (void)database;
    return -1;
#endif
}
