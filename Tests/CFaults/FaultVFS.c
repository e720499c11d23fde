// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A VFS over SQLite's default one, in which the calls of an armed plan fail.

#include "Plan.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/// The real file follows this one in the memory that SQLite gives.
typedef struct {
    sqlite3_file base;
    sqlite3_file *real;
} fault_file;

static sqlite3_vfs *below;
static sqlite3_vfs layer;

#define REAL(file) (((fault_file *)(file))->real)
#define PASS(result, expression)     \
    do {                             \
        ocd_depth += 1;              \
        result = (expression);       \
        ocd_depth -= 1;              \
    } while (0)

static bool fails(unsigned needs, const char *call) { return ocd_fails(OCD_LAYER_VFS, needs, call); }

/// The code of a failed call that needed space, or of one that fails for another reason.
static int failure(int code) { return ocd_armed_mode() == OCD_MODE_IO ? code : SQLITE_FULL; }

static int file_close(sqlite3_file *file) {
    int code = SQLITE_OK;
    if (REAL(file)->pMethods) PASS(code, REAL(file)->pMethods->xClose(REAL(file)));
    return code;
}

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    if (fails(OCD_ANY, "read")) return SQLITE_IOERR_READ;
    int code;
    PASS(code, REAL(file)->pMethods->xRead(REAL(file), bytes, count, offset));
    return code;
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    int code;
    if (fails(OCD_BYTES, "write")) {
        if (ocd_armed_mode() == OCD_MODE_SHORT && count > 1)
            PASS(code, REAL(file)->pMethods->xWrite(REAL(file), bytes, count / 2, offset));
        return failure(SQLITE_IOERR_WRITE);
    }
    PASS(code, REAL(file)->pMethods->xWrite(REAL(file), bytes, count, offset));
    return code;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    if (fails(OCD_ANY, "truncate")) return SQLITE_IOERR_TRUNCATE;
    int code;
    PASS(code, REAL(file)->pMethods->xTruncate(REAL(file), size));
    return code;
}

static int file_sync(sqlite3_file *file, int flags) {
    if (fails(OCD_ANY, "sync")) return SQLITE_IOERR_FSYNC;
    int code;
    PASS(code, REAL(file)->pMethods->xSync(REAL(file), flags));
    return code;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    if (fails(OCD_ANY, "size")) return SQLITE_IOERR_FSTAT;
    int code;
    PASS(code, REAL(file)->pMethods->xFileSize(REAL(file), size));
    return code;
}

static int file_lock(sqlite3_file *file, int level) {
    if (fails(OCD_ANY, "lock")) return SQLITE_IOERR_LOCK;
    int code;
    PASS(code, REAL(file)->pMethods->xLock(REAL(file), level));
    return code;
}

static int file_unlock(sqlite3_file *file, int level) {
    int code;
    PASS(code, REAL(file)->pMethods->xUnlock(REAL(file), level));
    return code;
}

static int file_reserved(sqlite3_file *file, int *result) {
    if (fails(OCD_ANY, "check of the lock")) return SQLITE_IOERR_CHECKRESERVEDLOCK;
    int code;
    PASS(code, REAL(file)->pMethods->xCheckReservedLock(REAL(file), result));
    return code;
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
    int code;
    PASS(code, REAL(file)->pMethods->xFileControl(REAL(file), operation, argument));
    return code;
}

static int file_sector(sqlite3_file *file) { return REAL(file)->pMethods->xSectorSize(REAL(file)); }
static int file_device(sqlite3_file *file) { return REAL(file)->pMethods->xDeviceCharacteristics(REAL(file)); }

static int file_map(sqlite3_file *file, int region, int size, int extend, void volatile **memory) {
    if (fails(extend ? OCD_ROOM : OCD_ANY, "map of shared memory")) return failure(SQLITE_IOERR_SHMMAP);
    int code;
    PASS(code, REAL(file)->pMethods->xShmMap(REAL(file), region, size, extend, memory));
    return code;
}

static int file_shared_lock(sqlite3_file *file, int offset, int count, int flags) {
    if (flags & SQLITE_SHM_LOCK && fails(OCD_ANY, "lock of shared memory")) return SQLITE_IOERR_SHMLOCK;
    int code;
    PASS(code, REAL(file)->pMethods->xShmLock(REAL(file), offset, count, flags));
    return code;
}

static void file_barrier(sqlite3_file *file) { REAL(file)->pMethods->xShmBarrier(REAL(file)); }

static int file_unmap(sqlite3_file *file, int removes) {
    int code;
    PASS(code, REAL(file)->pMethods->xShmUnmap(REAL(file), removes));
    return code;
}

static int file_fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **page) {
    return REAL(file)->pMethods->xFetch(REAL(file), offset, count, page);
}

static int file_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *page) {
    return REAL(file)->pMethods->xUnfetch(REAL(file), offset, page);
}

/// One table for each version of the methods that a real file may have.
static sqlite3_io_methods tables[3];

static void fill_tables(void) {
    for (int version = 1; version <= 3; version += 1) {
        sqlite3_io_methods table = {
            .iVersion = version,
            .xClose = file_close,
            .xRead = file_read,
            .xWrite = file_write,
            .xTruncate = file_truncate,
            .xSync = file_sync,
            .xFileSize = file_size,
            .xLock = file_lock,
            .xUnlock = file_unlock,
            .xCheckReservedLock = file_reserved,
            .xFileControl = file_control,
            .xSectorSize = file_sector,
            .xDeviceCharacteristics = file_device,
        };
        if (version > 1) {
            table.xShmMap = file_map;
            table.xShmLock = file_shared_lock;
            table.xShmBarrier = file_barrier;
            table.xShmUnmap = file_unmap;
        }
        if (version > 2) {
            table.xFetch = file_fetch;
            table.xUnfetch = file_unfetch;
        }
        tables[version - 1] = table;
    }
}

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *answer) {
    (void)vfs;
    fault_file *wrapper = (fault_file *)file;
    wrapper->base.pMethods = NULL;
    wrapper->real = (sqlite3_file *)(wrapper + 1);
    memset(wrapper->real, 0, (size_t)below->szOsFile);
    if (fails(OCD_OPENS, "open")) return SQLITE_CANTOPEN;
    int code;
    PASS(code, below->xOpen(below, path, wrapper->real, flags, answer));
    const sqlite3_io_methods *methods = wrapper->real->pMethods;
    if (methods) {
        int version = methods->iVersion < 1 ? 1 : methods->iVersion > 3 ? 3 : methods->iVersion;
        if (version == 3 && !methods->xFetch) version = 2;
        if (version >= 2 && !methods->xShmMap) version = 1;
        wrapper->base.pMethods = &tables[version - 1];
    }
    return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int syncs) {
    (void)vfs;
    if (fails(OCD_ANY, "delete")) return SQLITE_IOERR_DELETE;
    int code;
    PASS(code, below->xDelete(below, path, syncs));
    return code;
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    (void)vfs;
    if (fails(OCD_ANY, "access")) return SQLITE_IOERR_ACCESS;
    int code;
    PASS(code, below->xAccess(below, path, flags, result));
    return code;
}

static int vfs_path(sqlite3_vfs *vfs, const char *path, int count, char *result) {
    (void)vfs;
    return below->xFullPathname(below, path, count, result);
}

int ocd_vfs_install(void) {
    below = sqlite3_vfs_find(NULL);
    if (!below) return SQLITE_ERROR;
    fill_tables();
    layer = *below;
    layer.pNext = NULL;
    layer.zName = "opencoredata-faults";
    layer.szOsFile = (int)sizeof(fault_file) + below->szOsFile;
    layer.xOpen = vfs_open;
    layer.xDelete = vfs_delete;
    layer.xAccess = vfs_access;
    layer.xFullPathname = vfs_path;
    return sqlite3_vfs_register(&layer, 1);
}
