// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Counts the calls of the armed layer and chooses the one that fails; the allocator of SQLite with failures.

#include "Plan.h"

#include <sqlite3.h>
#include <stdatomic.h>

_Thread_local int ocd_depth = 0;

static _Atomic int armed_layer;
static _Atomic int armed_mode;
static _Atomic int lasting;
static _Atomic int64_t failing;
static _Atomic int64_t counted;
static _Atomic int64_t fired;
static const char *_Atomic first;

bool ocd_fails(ocd_layer layer, unsigned needs, const char *call) {
    if (atomic_load_explicit(&armed_layer, memory_order_relaxed) != (int)layer) return false;
    if (!(needs & 1u << atomic_load(&armed_mode))) return false;
    int64_t number = atomic_fetch_add(&counted, 1) + 1;
    int64_t chosen = atomic_load(&failing);
    if (chosen == 0 || number < chosen || (number > chosen && !atomic_load(&lasting))) return false;
    if (atomic_fetch_add(&fired, 1) == 0) atomic_store(&first, call);
    return true;
}

ocd_mode ocd_armed_mode(void) { return (ocd_mode)atomic_load(&armed_mode); }

void ocd_faults_arm(ocd_layer layer, ocd_mode mode, int64_t number, bool is_lasting) {
    atomic_store(&armed_layer, OCD_LAYER_NONE);
    atomic_store(&armed_mode, (int)mode);
    atomic_store(&lasting, is_lasting);
    atomic_store(&failing, number);
    atomic_store(&counted, 0);
    atomic_store(&fired, 0);
    atomic_store(&first, "none");
    atomic_store(&armed_layer, (int)layer);
}

int64_t ocd_faults_disarm(void) {
    atomic_store(&armed_layer, OCD_LAYER_NONE);
    return atomic_load(&counted);
}

int64_t ocd_faults_fired(void) { return atomic_load(&fired); }
const char *ocd_faults_call(void) { return atomic_load(&first); }

// MARK: Allocations

static sqlite3_mem_methods memory;

static void *failing_malloc(int size) {
    return ocd_fails(OCD_LAYER_MEMORY, OCD_ANY, "malloc") ? NULL : memory.xMalloc(size);
}

static void *failing_realloc(void *block, int size) {
    return ocd_fails(OCD_LAYER_MEMORY, OCD_ANY, "realloc") ? NULL : memory.xRealloc(block, size);
}

int ocd_faults_install(void) {
    int code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory);
    if (code != SQLITE_OK) return code;
    sqlite3_mem_methods methods = memory;
    methods.xMalloc = failing_malloc;
    methods.xRealloc = failing_realloc;
    code = sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
    if (code != SQLITE_OK) return code;
    code = sqlite3_initialize();
    return code != SQLITE_OK ? code : ocd_vfs_install();
}
