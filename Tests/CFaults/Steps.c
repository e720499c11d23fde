// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs the simulated processes, one at a time, and chooses the next one by a seed or by given switches.

#include "Steps.h"

#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PROCESSES = 16 };
static const int64_t step_time = 1000;          // a microsecond
static const int64_t pause_steps = 300;
static const int64_t pause_time = 200000000;    // as the process sees it: longer than any pause of a store
static const int64_t most_steps = 4000000;

typedef struct ocd_process {
    sem_t turn;
    bool has_ended, is_dead;
    /// The simulated time at which it may run again.
    int64_t wakes;
    /// How far its clock is ahead of the run's.
    int64_t lead;
    /// Calls and allocations.
    int64_t steps;
    int64_t calls, allocations;
    ocd_disturbance disturbance;
    int64_t disturbed_number;
    bool is_disturbed;
    /// The position of its next switch among the given ones.
    size_t next_given;
    ocd_open_file *files;
} ocd_process;

_Thread_local ocd_process *ocd_self;

static ocd_process processes[MOST_PROCESSES];
static int32_t process_count;
static sem_t end_of_run;
static uint64_t random_state, digest;
static uint32_t chance;
static bool are_given, is_traced, is_stopping, in_allocations;
static ocd_switch *switches;
static size_t switch_count, switch_capacity, given_count;
static ocd_switch *given;
static int64_t now, calendar, steps;
static ocd_plant plant;

// MARK: A run

static uint64_t draw(void) {
    uint64_t value = random_state += 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

uint64_t ocd_step_random(void) { return draw(); }

static void add_to_digest(uint64_t value) {
    for (int byte = 0; byte < 8; byte += 1) {
        digest = (digest ^ (value >> (8 * byte) & 0xff)) * 0x100000001b3;
    }
}

static void add_text(const char *text) {
    for (; *text; text += 1) digest = (digest ^ (unsigned char)*text) * 0x100000001b3;
}

void ocd_steps_prepare(
    int32_t count, uint64_t seed, uint32_t new_chance, bool new_in_allocations, const ocd_switch *new_given,
    size_t new_count, ocd_plant new_plant) {
    process_count = count < MOST_PROCESSES ? count : MOST_PROCESSES;
    for (int32_t number = 0; number < process_count; number += 1) {
        ocd_process *process = &processes[number];
        memset(process, 0, sizeof *process);
        sem_init(&process->turn, 0, 0);
    }
    sem_init(&end_of_run, 0, 0);
    random_state = seed;
    digest = 0xcbf29ce484222325;
    chance = new_chance;
    in_allocations = new_in_allocations;
    are_given = new_given != NULL;
    free(given);
    given = NULL;
    given_count = new_given ? new_count : 0;
    if (given_count) {
        given = malloc(given_count * sizeof *given);
        memcpy(given, new_given, given_count * sizeof *given);
    }
    switch_count = 0;
    now = 0;
    // 2026-01-01
    calendar = 1767225600000000000;
    steps = 0;
    is_stopping = false;
    plant = new_plant;
    // SQLite takes its random numbers anew, from the seed.
    sqlite3_randomness(0, NULL);
}

static int32_t number_of(const ocd_process *process) { return (int32_t)(process - processes); }
static bool may_run(const ocd_process *process) { return !process->has_ended && process->wakes <= now; }

/// The next process that may run, after the given one; the clock goes on if all of them sleep. NULL at the end.
static ocd_process *next_after(int32_t number) {
    ocd_process *earliest = NULL;
    for (int32_t offset = 1; offset <= process_count; offset += 1) {
        ocd_process *process = &processes[(number + offset) % process_count];
        if (process->has_ended) continue;
        if (may_run(process)) return process;
        if (!earliest || process->wakes < earliest->wakes) earliest = process;
    }
    if (earliest) now = earliest->wakes;
    return earliest;
}

static void pass_to(ocd_process *process) {
    if (process == ocd_self) return;
    ocd_process *self = ocd_self;
    sem_post(&process->turn);
    while (sem_wait(&self->turn)) {}
}

void ocd_steps_run(void) {
    ocd_process *first = next_after(process_count - 1);
    if (!first) return;
    sem_post(&first->turn);
    while (sem_wait(&end_of_run)) {}
}

void ocd_process_enter(int32_t number) {
    ocd_process *process = &processes[number];
    while (sem_wait(&process->turn)) {}
    ocd_self = process;
}

void ocd_process_leave(void) {
    ocd_process *self = ocd_self;
    self->has_ended = true;
    ocd_process *next = next_after(number_of(self));
    ocd_self = NULL;
    sem_post(next ? &next->turn : &end_of_run);
}

const ocd_switch *ocd_steps_switches(size_t *count) {
    *count = switch_count;
    return switches;
}

int64_t ocd_steps_count(void) { return steps; }
uint64_t ocd_steps_digest(void) { return digest; }
void ocd_steps_trace(bool is_on) { is_traced = is_on; }

// MARK: Switches

static void note_switch(int32_t process, int64_t step, int32_t next) {
    if (switch_count == switch_capacity) {
        switch_capacity = switch_capacity ? switch_capacity * 2 : 1024;
        switches = realloc(switches, switch_capacity * sizeof *switches);
    }
    switches[switch_count++] = (ocd_switch){.process = process, .next = next, .step = step};
}

/// The process that runs instead of this one; NULL: none.
static ocd_process *chosen(int bias) {
    int32_t number = number_of(ocd_self);
    if (are_given) {
        // The switches of a process are in the order of its steps.
        size_t *place = &ocd_self->next_given;
        while (*place < given_count && (given[*place].process != number || given[*place].step < ocd_self->steps)) {
            *place += 1;
        }
        if (*place == given_count || given[*place].step != ocd_self->steps) return NULL;
        ocd_process *next = &processes[given[*place].next % process_count];
        return next != ocd_self && may_run(next) ? next : NULL;
    }
    uint64_t value = draw();
    if ((value & 0xffff) >= (uint64_t)chance * (uint64_t)bias) return NULL;
    ocd_process *next = &processes[(value >> 16) % (uint64_t)process_count];
    return next != ocd_self && may_run(next) ? next : NULL;
}

void ocd_step_result(int64_t result) {
    if (ocd_self) add_to_digest((uint64_t)result);
}

bool ocd_step_is_dead(void) { return ocd_self && ocd_self->is_dead; }

void ocd_process_kill(void) {
    if (!ocd_self || ocd_self->is_dead) return;
    ocd_self->is_dead = true;
    ocd_files_die(ocd_self->files);
}

/// Counts a step, and lets another process run before it, if the schedule says so.
static void take_turn(int bias) {
    ocd_process *self = ocd_self;
    self->steps += 1;
    steps += 1;
    now += step_time;
    ocd_process *next = is_stopping ? NULL : chosen(bias);
    if (!next) return;
    note_switch(number_of(self), self->steps, number_of(next));
    pass_to(next);
}

static void note(const char *call, const char *file, int64_t place, int64_t count) {
    add_to_digest((uint64_t)number_of(ocd_self));
    add_text(call);
    add_text(file);
    add_to_digest((uint64_t)place);
    add_to_digest((uint64_t)count);
    if (!is_traced) return;
    printf("%lld: process %d, step %lld: %s %s %lld %lld\n", (long long)steps, number_of(ocd_self),
        (long long)ocd_self->steps, call, file, (long long)place, (long long)count);
}

/// The effect of the process's disturbance on this call.
static ocd_answer disturbed(ocd_need need) {
    ocd_process *self = ocd_self;
    if (self->disturbance == OCD_DISTURBANCE_NONE || self->disturbance == OCD_DISTURBANCE_MEMORY) return OCD_GO;
    if (self->is_disturbed || self->calls < self->disturbed_number) return OCD_GO;
    // The first call from there on that can fail.
    if (self->disturbance == OCD_DISTURBANCE_IO && need == OCD_NEEDS_NOTHING) return OCD_GO;
    if (self->disturbance == OCD_DISTURBANCE_FULL && need != OCD_NEEDS_ROOM) return OCD_GO;
    self->is_disturbed = true;
    if (self->disturbance == OCD_DISTURBANCE_IO) return OCD_REFUSE_IO;
    if (self->disturbance == OCD_DISTURBANCE_FULL) return OCD_REFUSE_FULL;
    ocd_process_kill();
    return OCD_REFUSE_DEAD;
}

ocd_answer ocd_step(const char *call, const char *file, int64_t place, int64_t count, ocd_need need, int bias) {
    ocd_process *self = ocd_self;
    if (!self) return OCD_GO;
    if (self->is_dead) return OCD_REFUSE_DEAD;
    self->calls += 1;
    take_turn(bias);
    note(call, file, place, count);
    if (steps > most_steps) is_stopping = true;
    if (!is_stopping) return disturbed(need);
    ocd_process_kill();
    return OCD_REFUSE_DEAD;
}

bool ocd_step_allocation(void) {
    ocd_process *self = ocd_self;
    if (!self || self->is_dead) return false;
    self->allocations += 1;
    if (in_allocations) take_turn(1);
    if (self->disturbance != OCD_DISTURBANCE_MEMORY || self->is_disturbed) return false;
    self->is_disturbed = self->allocations >= self->disturbed_number;
    return self->is_disturbed;
}

void ocd_process_rest(int64_t count) {
    ocd_process *self = ocd_self;
    if (ocd_step("rest", "", count, 0, OCD_NEEDS_NOTHING, 1) != OCD_GO) return;
    self->wakes = now + count * step_time;
    pass_to(next_after(number_of(self)));
}

void ocd_step_sleep(void) {
    // The code of the dead looks at the clock, too.
    ocd_self->lead += pause_time;
    ocd_process_rest(pause_steps);
}

// MARK: Disturbances

void ocd_process_disturb(ocd_disturbance kind, int64_t number) {
    ocd_self->disturbance = kind;
    ocd_self->disturbed_number = number + (kind == OCD_DISTURBANCE_MEMORY ? ocd_self->allocations : ocd_self->calls);
    ocd_self->is_disturbed = false;
}

bool ocd_process_calm(void) {
    ocd_self->disturbance = OCD_DISTURBANCE_NONE;
    return ocd_self->is_disturbed;
}

bool ocd_process_is_dead(void) { return ocd_step_is_dead(); }

int32_t ocd_process_bury(void) {
    ocd_open_file *files = ocd_self->files;
    ocd_self->files = NULL;
    int32_t open = ocd_files_bury(files);
    ocd_self->is_dead = is_stopping;
    return open;
}

// MARK: Files and clocks

void ocd_process_add(ocd_open_file *file) {
    file->owner = ocd_self;
    if (!ocd_self) return;
    file->next = ocd_self->files;
    ocd_self->files = file;
}

void ocd_process_remove(ocd_open_file *file) {
    if (!file->owner) return;
    for (ocd_open_file **link = &file->owner->files; *link; link = &(*link)->next) {
        if (*link != file) continue;
        *link = file->next;
        return;
    }
}

int64_t ocd_step_now(void) { return now + ocd_self->lead; }
int64_t ocd_step_calendar(void) { return calendar + now; }
void ocd_clock_jump(int64_t seconds) { calendar += seconds * 1000000000; }
ocd_plant ocd_step_plant(void) { return plant; }
