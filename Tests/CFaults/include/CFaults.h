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

// MARK: Simulated processes (Documentation/Internals/SimulatedProcesses.md)

/// Makes the stepping VFS SQLite's default. Call it before SQLite is used, and not with `ocd_faults_install`.
///
/// - Returns: 0, or SQLite's code.
int ocd_steps_install(void);

/// A switch to another process, before the given step of the running one.
typedef struct {
    int32_t process;
    int32_t next;
    int64_t step;
} ocd_switch;

/// A rule of SQLite that the stepping VFS breaks, for a harness that must notice it.
typedef enum {
    OCD_PLANT_NONE = 0,
    /// The lock of the log's writer is never taken.
    OCD_PLANT_WRITE_LOCK = 1,
    /// Readers never mark the part of the log that they use.
    OCD_PLANT_READ_MARK = 2,
    /// Locks of the database file are never taken.
    OCD_PLANT_FILE_LOCK = 3,
    /// A crashed process keeps its locks.
    OCD_PLANT_DEAD_LOCK = 4,
    /// Some pages that are written to the log and the journal are lost.
    OCD_PLANT_LOST_WRITE = 5,
} ocd_plant;

/// Prepares a run of some processes, numbered from 0.
///
/// - Parameters:
///   - seed: draws the switches, if none are given.
///   - chance: the chance of a switch before a step, in 1/65536.
///   - in_allocations: whether others may run before an allocation of SQLite, too.
///   - given: the switches of the run; NULL: they are drawn.
void ocd_steps_prepare(
    int32_t processes, uint64_t seed, uint32_t chance, bool in_allocations, const ocd_switch *given, size_t given_count,
    ocd_plant plant);
/// Lets the processes run, one at a time, until all of them have ended. Each must have a thread that enters it.
void ocd_steps_run(void);
/// The switches of the last run, which stay valid until the next one.
const ocd_switch *ocd_steps_switches(size_t *count);
/// The number of steps in this run.
int64_t ocd_steps_count(void);
/// A digest of all steps of this run: process, call, file, place and result.
uint64_t ocd_steps_digest(void);
/// Writes each step to the standard output.
void ocd_steps_trace(bool is_on);

/// The calling thread becomes a process. Returns when its turn comes.
void ocd_process_enter(int32_t number);
/// The process of the calling thread ends.
void ocd_process_leave(void);

typedef enum {
    OCD_DISTURBANCE_NONE = 0,
    OCD_DISTURBANCE_CRASH = 1,
    OCD_DISTURBANCE_IO = 2,
    /// The first call from there on that needs room finds none.
    OCD_DISTURBANCE_FULL = 3,
    /// The n-th allocation of SQLite fails.
    OCD_DISTURBANCE_MEMORY = 4,
} ocd_disturbance;

/// Disturbs the n-th call of the calling process from now on, or its n-th allocation. The first one has the number 1.
void ocd_process_disturb(ocd_disturbance kind, int64_t number);
/// Ends the disturbance.
///
/// - Returns: whether it has happened.
bool ocd_process_calm(void);
/// Kills the calling process: all its calls fail from now on, without effect.
void ocd_process_kill(void);
bool ocd_process_is_dead(void);
/// Buries the dead process of the calling thread, which goes on as a new one: locks are released, and the shared memory
/// has what it had when the process died.
///
/// - Returns: the number of files that it had not closed.
int32_t ocd_process_bury(void);
/// Lets others run for some steps.
void ocd_process_rest(int64_t steps);
/// Moves the clock of the calendar of all processes, in seconds. Other clocks never jump.
void ocd_clock_jump(int64_t seconds);

#endif
