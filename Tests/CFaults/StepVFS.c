// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A VFS over SQLite's for Unix, in which each call is a step of a simulated process.

#include "Plan.h"
#include "Steps.h"

#include <stdlib.h>
#include <string.h>

/// SQLite's file. The open file is kept elsewhere, since a dead process leaves it open.
typedef struct {
    sqlite3_file base;
    ocd_open_file *open;
} step_file;

static sqlite3_vfs *below;
static sqlite3_vfs layer;

#define OPEN(file) (((step_file *)(file))->open)
#define REAL(file) (OPEN(file)->real)
/// Makes the real call, and adds its result to the digest.
#define PASS(result, expression)     \
    do {                             \
        ocd_depth += 1;              \
        result = (expression);       \
        ocd_depth -= 1;              \
        ocd_step_result(result);     \
    } while (0)

static int refusal(ocd_answer answer, int code) { return answer == OCD_REFUSE_FULL ? SQLITE_FULL : code; }

static void release(ocd_open_file *open) {
    ocd_depth += 1;
    open->real->pMethods->xClose(open->real);
    ocd_depth -= 1;
    free(open->real);
    free(open);
}

static int file_close(sqlite3_file *file) {
    ocd_open_file *open = OPEN(file);
    if (!open) return SQLITE_OK;
    OPEN(file) = NULL;
    if (ocd_step("close", open->kind, 0, 0, OCD_NEEDS_NOTHING, 2) == OCD_REFUSE_DEAD) {
        open->is_abandoned = true;
        return SQLITE_OK;
    }
    ocd_process_remove(open);
    release(open);
    return SQLITE_OK;
}

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    ocd_answer answer = ocd_step("read", OPEN(file)->kind, offset, count, OCD_NEEDS_DISK, 1);
    if (answer) return SQLITE_IOERR_READ;
    int code;
    PASS(code, REAL(file)->pMethods->xRead(REAL(file), bytes, count, offset));
    return code;
}

/// Whether a planted fault loses this page.
static bool is_lost(ocd_open_file *open, int count) {
    if (!ocd_self || ocd_step_plant() != OCD_PLANT_LOST_WRITE || count < 512) return false;
    if (strcmp(open->kind, "log") != 0 && strcmp(open->kind, "journal") != 0) return false;
    return ocd_steps_count() % 9 == 0;
}

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    ocd_answer answer = ocd_step("write", OPEN(file)->kind, offset, count, OCD_NEEDS_ROOM, 1);
    if (answer) return refusal(answer, SQLITE_IOERR_WRITE);
    if (is_lost(OPEN(file), count)) return SQLITE_OK;
    int code;
    PASS(code, REAL(file)->pMethods->xWrite(REAL(file), bytes, count, offset));
    return code;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    if (ocd_step("truncate", OPEN(file)->kind, size, 0, OCD_NEEDS_DISK, 1)) return SQLITE_IOERR_TRUNCATE;
    int code;
    PASS(code, REAL(file)->pMethods->xTruncate(REAL(file), size));
    return code;
}

/// A crash of a process loses nothing that it has written, so nothing has to be synced.
static int file_sync(sqlite3_file *file, int flags) {
    ocd_answer answer = ocd_step("sync", OPEN(file)->kind, flags, 0, OCD_NEEDS_ROOM, 2);
    return answer ? refusal(answer, SQLITE_IOERR_FSYNC) : SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    if (ocd_step("size", OPEN(file)->kind, 0, 0, OCD_NEEDS_DISK, 1)) return SQLITE_IOERR_FSTAT;
    int code;
    PASS(code, REAL(file)->pMethods->xFileSize(REAL(file), size));
    return code;
}

static int file_lock(sqlite3_file *file, int level) {
    if (ocd_step("lock", OPEN(file)->kind, level, 0, OCD_NEEDS_DISK, 4)) return SQLITE_IOERR_LOCK;
    if (ocd_self && ocd_step_plant() == OCD_PLANT_FILE_LOCK) return SQLITE_OK;
    int code;
    PASS(code, REAL(file)->pMethods->xLock(REAL(file), level));
    return code;
}

static int file_unlock(sqlite3_file *file, int level) {
    // The lock of a dead process is released at its burial.
    if (ocd_step("unlock", OPEN(file)->kind, level, 0, OCD_NEEDS_NOTHING, 4) == OCD_REFUSE_DEAD) return SQLITE_OK;
    if (ocd_self && ocd_step_plant() == OCD_PLANT_FILE_LOCK) return SQLITE_OK;
    int code;
    PASS(code, REAL(file)->pMethods->xUnlock(REAL(file), level));
    return code;
}

static int file_reserved(sqlite3_file *file, int *result) {
    if (ocd_step("check of the lock", OPEN(file)->kind, 0, 0, OCD_NEEDS_DISK, 4)) return SQLITE_IOERR_CHECKRESERVEDLOCK;
    int code;
    PASS(code, REAL(file)->pMethods->xCheckReservedLock(REAL(file), result));
    return code;
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
    if (ocd_step_is_dead()) return SQLITE_NOTFOUND;
    int code;
    PASS(code, REAL(file)->pMethods->xFileControl(REAL(file), operation, argument));
    return code;
}

static int file_sector(sqlite3_file *file) { return REAL(file)->pMethods->xSectorSize(REAL(file)); }
static int file_device(sqlite3_file *file) { return REAL(file)->pMethods->xDeviceCharacteristics(REAL(file)); }

// MARK: Shared memory

static int file_map(sqlite3_file *file, int region, int size, int extend, void volatile **memory) {
    ocd_need need = extend ? OCD_NEEDS_ROOM : OCD_NEEDS_DISK;
    ocd_answer answer = ocd_step("map", "index", region, extend, need, 2);
    if (answer) return refusal(answer, SQLITE_IOERR_SHMMAP);
    int code;
    PASS(code, REAL(file)->pMethods->xShmMap(REAL(file), region, size, extend, memory));
    if (code == SQLITE_OK && *memory && region >= OPEN(file)->regions) OPEN(file)->regions = region + 1;
    return code;
}

/// Whether a planted fault leaves this lock out: the writer's is the first, and those of readers begin with the fourth.
static bool is_left_out(int offset) {
    if (!ocd_self) return false;
    return (ocd_step_plant() == OCD_PLANT_WRITE_LOCK && offset == 0)
        || (ocd_step_plant() == OCD_PLANT_READ_MARK && offset >= 3);
}

static int file_shared_lock(sqlite3_file *file, int offset, int count, int flags) {
    bool locks = flags & SQLITE_SHM_LOCK;
    ocd_answer answer = ocd_step(
        locks ? "lock" : "unlock", "index", offset * 16 + count, flags, locks ? OCD_NEEDS_DISK : OCD_NEEDS_NOTHING, 4);
    if (!locks && answer == OCD_REFUSE_DEAD) return SQLITE_OK;
    if (locks && answer) return SQLITE_IOERR_SHMLOCK;
    if (is_left_out(offset)) return SQLITE_OK;
    int code;
    PASS(code, REAL(file)->pMethods->xShmLock(REAL(file), offset, count, flags));
    if (code != SQLITE_OK) return code;
    unsigned mask = ((1u << count) - 1) << offset;
    unsigned *held = flags & SQLITE_SHM_SHARED ? &OPEN(file)->shared_locks : &OPEN(file)->exclusive_locks;
    *held = locks ? *held | mask : *held & ~mask;
    return SQLITE_OK;
}

static void file_barrier(sqlite3_file *file) {
    ocd_step("barrier", "index", 0, 0, OCD_NEEDS_NOTHING, 2);
    REAL(file)->pMethods->xShmBarrier(REAL(file));
}

static int file_unmap(sqlite3_file *file, int removes) {
    if (ocd_step("unmap", "index", removes, 0, OCD_NEEDS_NOTHING, 2) == OCD_REFUSE_DEAD) return SQLITE_OK;
    int code;
    PASS(code, REAL(file)->pMethods->xShmUnmap(REAL(file), removes));
    OPEN(file)->regions = 0;
    return code;
}

// MARK: Death

enum { REGION = 32768 };

static void *region_of(ocd_open_file *open, int region) {
    void volatile *memory = NULL;
    ocd_depth += 1;
    int code = open->real->pMethods->xShmMap(open->real, region, REGION, 0, &memory);
    ocd_depth -= 1;
    return code == SQLITE_OK ? (void *)memory : NULL;
}

void ocd_files_die(ocd_open_file *files) {
    for (; files; files = files->next) {
        if (!files->regions) continue;
        files->kept = malloc((size_t)files->regions * REGION);
        for (int region = 0; region < files->regions; region += 1) {
            void *memory = region_of(files, region);
            if (memory) memcpy((char *)files->kept + (size_t)region * REGION, memory, REGION);
        }
    }
}

static void restore_memory(ocd_open_file *open) {
    for (int region = 0; open->kept && region < open->regions; region += 1) {
        void *memory = region_of(open, region);
        if (memory) memcpy(memory, (char *)open->kept + (size_t)region * REGION, REGION);
    }
    free(open->kept);
    open->kept = NULL;
}

static void unlock_memory(ocd_open_file *open) {
    const sqlite3_io_methods *methods = open->real->pMethods;
    for (int offset = 0; offset < SQLITE_SHM_NLOCK; offset += 1) {
        int shared = open->shared_locks >> offset & 1, exclusive = open->exclusive_locks >> offset & 1;
        int kind = shared ? SQLITE_SHM_SHARED : SQLITE_SHM_EXCLUSIVE;
        if (shared || exclusive) methods->xShmLock(open->real, offset, 1, SQLITE_SHM_UNLOCK | kind);
    }
}

int32_t ocd_files_bury(ocd_open_file *files) {
    for (ocd_open_file *open = files; open; open = open->next) restore_memory(open);
    int32_t left = 0;
    while (files) {
        ocd_open_file *next = files->next;
        if (!files->is_abandoned) left += 1;
        ocd_depth += 1;
        bool keeps = ocd_step_plant() == OCD_PLANT_DEAD_LOCK;
        if (!keeps) unlock_memory(files);
        if (!keeps && !files->is_abandoned) files->real->pMethods->xUnlock(files->real, SQLITE_LOCK_NONE);
        if (!keeps && files->real->pMethods->iVersion > 1) files->real->pMethods->xShmUnmap(files->real, 0);
        ocd_depth -= 1;
        if (!keeps && files->is_abandoned) release(files);
        files = next;
    }
    return left;
}

// MARK: The VFS

static const sqlite3_io_methods methods = {
    .iVersion = 2,
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
    .xShmMap = file_map,
    .xShmLock = file_shared_lock,
    .xShmBarrier = file_barrier,
    .xShmUnmap = file_unmap,
};

static const char *kind_of(int flags) {
    if (flags & SQLITE_OPEN_MAIN_DB) return "database";
    if (flags & SQLITE_OPEN_WAL) return "log";
    if (flags & SQLITE_OPEN_MAIN_JOURNAL) return "journal";
    return "temporary file";
}

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *answer) {
    (void)vfs;
    step_file *wrapper = (step_file *)file;
    wrapper->base.pMethods = NULL;
    wrapper->open = NULL;
    ocd_need need = flags & SQLITE_OPEN_CREATE ? OCD_NEEDS_ROOM : OCD_NEEDS_DISK;
    if (ocd_step("open", kind_of(flags), 0, 0, need, 2)) return SQLITE_CANTOPEN;
    ocd_open_file *open = calloc(1, sizeof *open);
    open->real = calloc(1, (size_t)below->szOsFile);
    open->kind = kind_of(flags);
    int code;
    PASS(code, below->xOpen(below, path, open->real, flags, answer));
    if (!open->real->pMethods) {
        free(open->real);
        free(open);
        return code;
    }
    ocd_process_add(open);
    wrapper->open = open;
    wrapper->base.pMethods = &methods;
    return code;
}

static const char *kind_of_path(const char *path) {
    const char *end = strrchr(path, '-');
    return !end ? "database" : strcmp(end, "-wal") == 0 ? "log" : strcmp(end, "-journal") == 0 ? "journal" : "index";
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int syncs) {
    (void)vfs;
    (void)syncs;
    if (ocd_step("delete", kind_of_path(path), 0, 0, OCD_NEEDS_DISK, 2)) return SQLITE_IOERR_DELETE;
    int code;
    PASS(code, below->xDelete(below, path, 0));
    return code;
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    (void)vfs;
    if (ocd_step("access", kind_of_path(path), flags, 0, OCD_NEEDS_DISK, 1)) return SQLITE_IOERR_ACCESS;
    int code;
    PASS(code, below->xAccess(below, path, flags, result));
    return code;
}

static int vfs_path(sqlite3_vfs *vfs, const char *path, int count, char *result) {
    (void)vfs;
    return below->xFullPathname(below, path, count, result);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    if (!ocd_self) return below->xSleep(below, microseconds);
    ocd_step_sleep();
    return microseconds;
}

static int vfs_random(sqlite3_vfs *vfs, int count, char *bytes) {
    (void)vfs;
    if (!ocd_self) return below->xRandomness(below, count, bytes);
    for (int index = 0; index < count; index += 1) bytes[index] = (char)ocd_step_random();
    return count;
}

// MARK: Allocations

static sqlite3_mem_methods memory;

static void *step_malloc(int size) { return ocd_depth == 0 && ocd_step_allocation() ? NULL : memory.xMalloc(size); }

static void *step_realloc(void *block, int size) {
    return ocd_depth == 0 && ocd_step_allocation() ? NULL : memory.xRealloc(block, size);
}

/// Without SQLite's statistics of memory, whose lock would be held during an allocation.
static int install_allocator(void) {
    int code = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    if (code == SQLITE_OK) code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory);
    if (code != SQLITE_OK) return code;
    sqlite3_mem_methods methods = memory;
    methods.xMalloc = step_malloc;
    methods.xRealloc = step_realloc;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
}

int ocd_steps_install(void) {
    int code = install_allocator();
    if (code == SQLITE_OK) code = sqlite3_initialize();
    if (code != SQLITE_OK) return code;
    below = sqlite3_vfs_find("unix");
    if (!below) return SQLITE_ERROR;
    layer = *below;
    layer.pNext = NULL;
    layer.zName = "opencoredata-steps";
    layer.szOsFile = (int)sizeof(step_file);
    layer.xOpen = vfs_open;
    layer.xDelete = vfs_delete;
    layer.xAccess = vfs_access;
    layer.xFullPathname = vfs_path;
    layer.xSleep = vfs_sleep;
    layer.xRandomness = vfs_random;
    return sqlite3_vfs_register(&layer, 1);
}
