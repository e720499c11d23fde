// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Faults on demand: failing calls of SQLite's VFS, its allocator and the file system; a record of writes.

#ifndef CFAULTS_H
#define CFAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The layer with the counted calls; its n-th call fails.
typedef enum {
    OCD_LAYER_NONE = 0,
    /// Calls that SQLite makes of its VFS.
    OCD_LAYER_VFS = 1,
    /// System calls on files below the watched folder that are not SQLite's.
    OCD_LAYER_FILES = 2,
    /// Allocations of SQLite.
    OCD_LAYER_MEMORY = 3,
} ocd_layer;

typedef enum {
    /// The device fails: SQLITE_IOERR_…, EIO.
    OCD_MODE_IO = 0,
    /// There is no room: SQLITE_FULL, ENOSPC. Only calls that need room are counted.
    OCD_MODE_FULL = 1,
    /// A write stops in the middle. In the layer of the files it succeeds, with fewer bytes; SQLite gets SQLITE_FULL.
    OCD_MODE_SHORT = 2,
    /// The process has too many open files: SQLITE_CANTOPEN, EMFILE. Only calls that open files are counted.
    OCD_MODE_DESCRIPTORS = 3,
} ocd_mode;

/// Makes the wrapping VFS SQLite's default, and puts the failing allocator into place. Call it before SQLite is used.
///
/// - Returns: 0, or SQLite's code.
int ocd_faults_install(void);

/// Lets the n-th counted call from now on fail, once or with all after it. The first call has the number 1; 0 only
/// counts.
void ocd_faults_arm(ocd_layer layer, ocd_mode mode, int64_t number, bool is_lasting);
/// Lets all calls succeed again.
///
/// - Returns: the number of calls that were counted.
int64_t ocd_faults_disarm(void);
/// The number of calls that failed since the faults were armed.
int64_t ocd_faults_fired(void);
/// The name of the call that failed first since the faults were armed.
const char *ocd_faults_call(void);

/// The folder with the watched files; NULL: none.
void ocd_watch(const char *folder);
/// The first path outside of the watched folder that was opened for writing, renamed, made or removed; NULL: none.
const char *ocd_outside(void);

typedef enum {
    OCD_EVENT_OPEN = 1,      // path; number: descriptor; other: 1 created, 2 emptied
    OCD_EVENT_WRITE = 2,     // number: descriptor; offset; bytes
    OCD_EVENT_TRUNCATE = 3,  // number: descriptor, or -1 and path; offset: the new size
    OCD_EVENT_SYNC = 4,      // number: descriptor
    OCD_EVENT_RENAME = 5,    // path, second
    OCD_EVENT_LINK = 6,      // path, second
    OCD_EVENT_UNLINK = 7,    // path
    OCD_EVENT_MKDIR = 8,     // path
    OCD_EVENT_RMDIR = 9,     // path
    OCD_EVENT_CLOSE = 10,    // number: descriptor
    OCD_EVENT_MARK = 11,     // number: the caller's
} ocd_event_kind;

typedef struct {
    ocd_event_kind kind;
    int32_t number;
    int32_t other;
    int64_t offset;
    int64_t count;
    const char *path;
    const char *second;
    const void *bytes;
} ocd_event;

/// Writes each line of the output at once, also to a file, so that a killed program has written all its lines.
void ocd_write_lines(void);

/// The bytes that the program has allocated, and those that the allocator keeps beyond them; 0 where unknown.
void ocd_heap(size_t *in_use, size_t *free_bytes);

/// Records all changes below the watched folder, in order.
void ocd_record_start(void);
void ocd_record_mark(int32_t number);
/// - Returns: the events, which stay valid until the next start.
const ocd_event *ocd_record_stop(size_t *count);

#endif
