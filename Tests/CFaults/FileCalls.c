// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Replaces the system calls on files in programs that link this: fails them, and records changes.

#define _GNU_SOURCE
#include "Plan.h"
#include "Steps.h"

#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

// Sanitizers replace the same calls. Under one of them, and with another C library, no call fails and none is recorded.
#if !defined(__GLIBC__) || defined(SANITIZED)

void ocd_watch(const char *folder) { (void)folder; }
const char *ocd_outside(void) { return NULL; }
void ocd_record_start(void) {}
void ocd_record_mark(int32_t number) { (void)number; }

const ocd_event *ocd_record_stop(size_t *count) {
    *count = 0;
    return NULL;
}

#else

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { MOST_DESCRIPTORS = 65536 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char watched[PATH_MAX];
static size_t watched_length;
static char outside[PATH_MAX];
/// 1 for descriptors of files below the watched folder.
static unsigned char is_watched[MOST_DESCRIPTORS];

static ocd_event *events;
static size_t event_count, event_capacity;
static _Atomic int recording;

// MARK: The watched folder

static bool is_below(const char *path) {
    return watched_length && path && strncmp(path, watched, watched_length) == 0;
}

static bool is_ours(int descriptor) {
    return descriptor >= 0 && descriptor < MOST_DESCRIPTORS && is_watched[descriptor];
}

static void note_outside(const char *path) {
    if (!watched_length || !path || is_below(path) || outside[0]) return;
    if (strncmp(path, "/dev/", 5) == 0 && strncmp(path, "/dev/shm/", 9) != 0) return;
    if (strncmp(path, "/proc/", 6) == 0) return;
    // SQLite sorts large results in a file that is unlinked as soon as it is open.
    if (strstr(path, "/etilqs_")) return;
    strncpy(outside, path, sizeof outside - 1);
}

void ocd_watch(const char *folder) {
    pthread_mutex_lock(&mutex);
    watched[0] = 0;
    if (folder) strncpy(watched, folder, sizeof watched - 1);
    watched_length = strlen(watched);
    outside[0] = 0;
    pthread_mutex_unlock(&mutex);
}

const char *ocd_outside(void) { return outside[0] ? outside : NULL; }

/// The answer to the last step of this thread.
static _Thread_local ocd_answer refused;

/// Whether a call on a watched file fails. Calls inside of SQLite's VFS belong to another layer.
static bool fails(bool is_relevant, unsigned needs, const char *call) {
    if (!is_relevant || ocd_depth) return false;
    refused = ocd_step(call, "file", 0, 0, needs & 1u << OCD_MODE_FULL ? OCD_NEEDS_ROOM : OCD_NEEDS_DISK, 1);
    return refused != OCD_GO || ocd_fails(OCD_LAYER_FILES, needs, call);
}

static int refuse(void) {
    if (refused != OCD_GO) {
        errno = refused == OCD_REFUSE_FULL ? ENOSPC : EIO;
        return -1;
    }
    switch (ocd_armed_mode()) {
    case OCD_MODE_FULL: errno = ENOSPC; break;
    case OCD_MODE_DESCRIPTORS: errno = EMFILE; break;
    default: errno = EIO;
    }
    return -1;
}

// MARK: The record

static void record(ocd_event event) {
    if (!recording) return;
    int number = errno;
    if (event.path) event.path = strdup(event.path);
    if (event.second) event.second = strdup(event.second);
    if (event.bytes) {
        void *copy = malloc(event.count ? (size_t)event.count : 1);
        memcpy(copy, event.bytes, (size_t)event.count);
        event.bytes = copy;
    }
    pthread_mutex_lock(&mutex);
    if (event_count == event_capacity) {
        event_capacity = event_capacity ? event_capacity * 2 : 1024;
        events = realloc(events, event_capacity * sizeof *events);
    }
    events[event_count++] = event;
    pthread_mutex_unlock(&mutex);
    errno = number;
}

void ocd_record_start(void) {
    for (size_t index = 0; index < event_count; index += 1) {
        free((void *)events[index].path);
        free((void *)events[index].second);
        free((void *)events[index].bytes);
    }
    event_count = 0;
    recording = 1;
}

void ocd_record_mark(int32_t number) { record((ocd_event){.kind = OCD_EVENT_MARK, .number = number}); }

const ocd_event *ocd_record_stop(size_t *count) {
    recording = 0;
    *count = event_count;
    return events;
}

// MARK: Opening and closing

static int real_open(const char *path, int flags, mode_t mode) {
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static int watched_open(const char *path, int flags, mode_t mode) {
    bool writes = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
    if (writes) note_outside(path);
    bool relevant = is_below(path);
    if (fails(relevant, flags & O_CREAT ? OCD_OPENS | OCD_ROOM : OCD_OPENS, "open")) return refuse();
    struct stat status;
    bool existed = !relevant || stat(path, &status) == 0;
    int descriptor = real_open(path, flags, mode);
    if (descriptor >= 0 && descriptor < MOST_DESCRIPTORS) {
        is_watched[descriptor] = relevant;
        if (relevant) {
            int other = (!existed && flags & O_CREAT) ? 1 : flags & O_TRUNC ? 2 : 0;
            record((ocd_event){.kind = OCD_EVENT_OPEN, .path = path, .number = descriptor, .other = other});
        }
    }
    return descriptor;
}

#define OPENING(name)                                  \
    int name(const char *path, int flags, ...) {       \
        mode_t mode = 0;                               \
        if (flags & (O_CREAT | O_TMPFILE)) {           \
            va_list list;                              \
            va_start(list, flags);                     \
            mode = va_arg(list, mode_t);               \
            va_end(list);                              \
        }                                              \
        return watched_open(path, flags, mode);        \
    }

OPENING(open)
OPENING(open64)

int mkstemp(char *template) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    size_t length = strlen(template);
    if (length < 6) {
        errno = EINVAL;
        return -1;
    }
    while (true) {
        unsigned char random[6];
        if (syscall(SYS_getrandom, random, sizeof random, 0) != sizeof random) return -1;
        for (size_t index = 0; index < 6; index += 1) template[length - 6 + index] = letters[random[index] % 62];
        int descriptor = watched_open(template, O_RDWR | O_CREAT | O_EXCL, 0600);
        if (descriptor >= 0 || errno != EEXIST) return descriptor;
    }
}

int close(int descriptor) {
    if (is_ours(descriptor)) {
        record((ocd_event){.kind = OCD_EVENT_CLOSE, .number = descriptor});
        is_watched[descriptor] = 0;
    }
    return (int)syscall(SYS_close, descriptor);
}

// MARK: Contents

ssize_t read(int descriptor, void *bytes, size_t count) {
    if (fails(is_ours(descriptor), OCD_ANY, "read")) return refuse();
    return syscall(SYS_read, descriptor, bytes, count);
}

static ssize_t watched_place_read(int descriptor, void *bytes, size_t count, off_t offset) {
    if (fails(is_ours(descriptor), OCD_ANY, "pread")) return refuse();
    return syscall(SYS_pread64, descriptor, bytes, count, offset);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
    return watched_place_read(descriptor, bytes, count, offset);
}
ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t offset) {
    return watched_place_read(descriptor, bytes, count, offset);
}

static ssize_t watched_write(int descriptor, const void *bytes, size_t count, off_t offset, bool is_placed) {
    bool relevant = is_ours(descriptor);
    if (fails(relevant, OCD_BYTES, "write")) {
        if (ocd_armed_mode() != OCD_MODE_SHORT || count < 2) {
            if (ocd_armed_mode() != OCD_MODE_SHORT) return refuse();
        } else {
            count /= 2;
        }
    }
    if (relevant && recording && !is_placed) offset = lseek(descriptor, 0, SEEK_CUR);
    ssize_t written = is_placed ? syscall(SYS_pwrite64, descriptor, bytes, count, offset)
                                : syscall(SYS_write, descriptor, bytes, count);
    if (relevant && written > 0) {
        record((ocd_event){
            .kind = OCD_EVENT_WRITE, .number = descriptor, .offset = offset, .bytes = bytes, .count = written});
    }
    return written;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    return watched_write(descriptor, bytes, count, 0, false);
}
ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return watched_write(descriptor, bytes, count, offset, true);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    return watched_write(descriptor, bytes, count, offset, true);
}

ssize_t sendfile(int target, int source, off_t *offset, size_t count) {
    if (!is_ours(target)) return syscall(SYS_sendfile, target, source, offset, count);
    char piece[65536];
    if (count > sizeof piece) count = sizeof piece;
    ssize_t got = offset ? syscall(SYS_pread64, source, piece, count, *offset) : syscall(SYS_read, source, piece, count);
    if (got <= 0) return got;
    ssize_t written = watched_write(target, piece, (size_t)got, 0, false);
    if (offset && written > 0) *offset += written;
    if (!offset && written < got) lseek(source, (written < 0 ? 0 : written) - got, SEEK_CUR);
    return written;
}

static int watched_truncate(int descriptor, off_t size) {
    bool relevant = is_ours(descriptor);
    if (fails(relevant, OCD_ANY, "ftruncate")) return refuse();
    int code = (int)syscall(SYS_ftruncate, descriptor, size);
    if (relevant && code == 0)
        record((ocd_event){.kind = OCD_EVENT_TRUNCATE, .number = descriptor, .offset = size});
    return code;
}

int ftruncate(int descriptor, off_t size) { return watched_truncate(descriptor, size); }
int ftruncate64(int descriptor, off64_t size) { return watched_truncate(descriptor, size); }

static int truncate_path(const char *path, off_t size) {
    note_outside(path);
    if (fails(is_below(path), OCD_ANY, "truncate")) return refuse();
    int code = (int)syscall(SYS_truncate, path, size);
    if (is_below(path) && code == 0)
        record((ocd_event){.kind = OCD_EVENT_TRUNCATE, .number = -1, .path = path, .offset = size});
    return code;
}

int truncate(const char *path, off_t size) { return truncate_path(path, size); }
int truncate64(const char *path, off64_t size) { return truncate_path(path, size); }

static int watched_sync(int descriptor, long call) {
    if (fails(is_ours(descriptor), OCD_ROOM, "fsync")) return refuse();
    int code = (int)syscall(call, descriptor);
    if (is_ours(descriptor) && code == 0) record((ocd_event){.kind = OCD_EVENT_SYNC, .number = descriptor});
    return code;
}

int fsync(int descriptor) { return watched_sync(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return watched_sync(descriptor, SYS_fdatasync); }

// MARK: Names

static int watched_pair(
    const char *from, const char *to, ocd_event_kind kind, unsigned flags, const char *call) {
    note_outside(from);
    note_outside(to);
    bool relevant = is_below(from) || is_below(to);
    if (fails(relevant, OCD_ROOM, call)) return refuse();
    int code = kind == OCD_EVENT_RENAME ? (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags)
                                        : (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
    if (relevant && code == 0) record((ocd_event){.kind = kind, .path = from, .second = to});
    return code;
}

int rename(const char *from, const char *to) { return watched_pair(from, to, OCD_EVENT_RENAME, 0, "rename"); }

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    bool is_plain = (from_folder == AT_FDCWD || from[0] == '/') && (to_folder == AT_FDCWD || to[0] == '/');
    if (is_plain) return watched_pair(from, to, OCD_EVENT_RENAME, flags, "rename");
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    return renameat2(from_folder, from, to_folder, to, 0);
}

int link(const char *from, const char *to) { return watched_pair(from, to, OCD_EVENT_LINK, 0, "link"); }

static int watched_name(const char *path, ocd_event_kind kind, mode_t mode, unsigned needs, const char *call) {
    note_outside(path);
    bool relevant = is_below(path);
    if (fails(relevant, needs, call)) return refuse();
    int code = kind == OCD_EVENT_MKDIR ? (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode)
                                       : (int)syscall(SYS_unlinkat, AT_FDCWD, path,
                                                      kind == OCD_EVENT_RMDIR ? AT_REMOVEDIR : 0);
    if (relevant && code == 0) record((ocd_event){.kind = kind, .path = path});
    return code;
}

int unlink(const char *path) { return watched_name(path, OCD_EVENT_UNLINK, 0, OCD_ANY, "unlink"); }
int rmdir(const char *path) { return watched_name(path, OCD_EVENT_RMDIR, 0, OCD_ANY, "rmdir"); }
int mkdir(const char *path, mode_t mode) { return watched_name(path, OCD_EVENT_MKDIR, mode, OCD_ROOM, "mkdir"); }

#endif
