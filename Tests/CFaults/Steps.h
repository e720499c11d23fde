// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The simulated process of a thread, for the calls in which it may be interrupted.

#ifndef STEPS_H
#define STEPS_H

#include "CFaults.h"

#include <sqlite3.h>

/// A file that a simulated process has open, with its locks on shared memory. It outlives SQLite's file if the process
/// dies before it closes it.
typedef struct ocd_open_file {
    struct ocd_open_file *next;
    struct ocd_process *owner;
    const char *kind;
    /// The regions of shared memory that were mapped, and their contents when the process died.
    int regions;
    void *kept;
    unsigned shared_locks, exclusive_locks;
    bool is_abandoned;
    sqlite3_file *real;
} ocd_open_file;

/// The answer to a step.
typedef enum {
    OCD_GO = 0,
    OCD_REFUSE_DEAD = 1,
    OCD_REFUSE_IO = 2,
    OCD_REFUSE_FULL = 3,
} ocd_answer;

/// The needs of a call from the disk.
typedef enum {
    /// It cannot fail.
    OCD_NEEDS_NOTHING = 0,
    OCD_NEEDS_DISK = 1,
    /// Room on it as well.
    OCD_NEEDS_ROOM = 2,
} ocd_need;

/// The process of this thread; NULL outside of a run.
extern _Thread_local struct ocd_process *ocd_self;

/// A step of the process of this thread, before a call: others may run before it returns.
///
/// - Parameters:
///   - bias: how much more often than usual others run.
ocd_answer ocd_step(const char *call, const char *file, int64_t place, int64_t count, ocd_need need, int bias);
/// A step before an allocation of SQLite.
///
/// - Returns: whether it fails.
bool ocd_step_allocation(void);
/// Adds the result of a call to the digest.
void ocd_step_result(int64_t result);
/// Lets others run for a while of simulated time.
void ocd_step_sleep(void);
/// A number that the seed determines.
uint64_t ocd_step_random(void);
/// In nanoseconds, of the simulated run.
int64_t ocd_step_now(void);
int64_t ocd_step_calendar(void);
ocd_plant ocd_step_plant(void);
bool ocd_step_is_dead(void);

void ocd_process_add(ocd_open_file *file);
void ocd_process_remove(ocd_open_file *file);

/// Keeps the shared memory of a process as it is when it dies: SQLite still writes to it while its calls fail.
void ocd_files_die(ocd_open_file *files);
/// Restores the shared memory, and closes the files.
///
/// - Returns: the number of files that the process had not closed.
int32_t ocd_files_bury(ocd_open_file *files);

#endif
