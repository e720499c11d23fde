// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The jobs on a PostgreSQL server in the best way in C that is known: arrays for writing, streamed rows for reading,
// prepared look-ups, all in binary form. Runs one job and prints its measurement, as peer.py does.
//
// usage: libpq_peer JOB URL ROWS SEARCHES        BENCH_POSTMASTER is the number of the server's first process

#define _GNU_SOURCE
#include <dlfcn.h>
#include <endian.h>
#include <libpq-fe.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEPARTMENTS = 100, ROWS_PER_STATEMENT = 10000, LOOK_UPS = 10000, SUMMARIES = 20 };
enum { BOOL = 16, INT8 = 20, TEXT = 25, FLOAT8 = 701, TIMESTAMPTZ = 1184 };
enum { BOOLS = 1000, TEXTS = 1009, INT8S = 1016, FLOAT8S = 1022, TIMESTAMPTZS = 1185 };

/// Seconds between 2000-01-01, from which the server counts, and 2001-01-01, from which the jobs count.
#define YEAR (366.0 * 86400)

static long rows, searches;
static PGconn *connection;

static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    exit(1);
}

static long touched(void) { return rows < 10000 ? rows : 10000; }

// MARK: The data, as in Workload.swift

typedef struct {
    char name[32];
    double salary, hired;
    int is_active;
    int64_t badge, department, manager; // manager: -1 for none
} values;

static const char *given[] = {
    "ada", "benedikt", "clara", "dorothea", "emil", "friederike", "gerda", "hugo", "ingeborg", "jan", "karoline",
    "leopold", "max", "nora", "otto", "pauline", "quentin", "rosalind", "sven", "theodora", "ulla", "veronika",
    "wanda", "xaver", "yara", "zoe"};
static const char *family[] = {
    "abelmann", "bergmann", "castell", "dornbusch", "eberhard", "finkenstein", "gruber", "hartmann", "ibsen",
    "jungermann", "kowalski", "lindgren", "moser", "nyman", "olsen", "petersen", "quasthoff", "richter", "svensson",
    "thomas", "ulrich"};

static values employee_values(long n) {
    values v;
    snprintf(v.name, sizeof v.name, "%s %s", given[n % 26], family[n / 26 % 21]);
    v.salary = 20000 + (double)((n * 7919) % rows) * 0.5;
    v.hired = (double)((n * 97003) % 600000000);
    v.is_active = n % 3 != 0;
    v.badge = (n * 104729) % rows;
    v.department = n % DEPARTMENTS;
    v.manager = n % 10 == 0 ? -1 : n % 10 == 9 ? (n - 9 + rows / 2) % rows : n - n % 10;
    return v;
}

// MARK: Values on the line

static int64_t get_int8(const char *bytes) {
    uint64_t raw;
    memcpy(&raw, bytes, 8);
    return (int64_t)be64toh(raw);
}

static double get_float8(const char *bytes) {
    int64_t raw = get_int8(bytes);
    double value;
    memcpy(&value, &raw, 8);
    return value;
}

/// An array of one dimension: 20 bytes of header, then length and bytes of each element.
typedef struct {
    char *bytes;
    size_t length, capacity;
    uint32_t element;
    int32_t count, has_null;
} array;

static void put4(array *a, uint32_t value) {
    value = htobe32(value);
    memcpy(a->bytes + a->length, &value, 4);
    a->length += 4;
}

static void begin(array *a, uint32_t element, long count, size_t size) {
    a->capacity = 20 + (size_t)count * (4 + size);
    a->bytes = malloc(a->capacity);
    a->length = 20;
    a->element = element;
    a->count = a->has_null = 0;
}

static void put8(array *a, uint64_t value) {
    put4(a, 8);
    value = htobe64(value);
    memcpy(a->bytes + a->length, &value, 8);
    a->length += 8;
    a->count++;
}

static void put_double(array *a, double value) {
    uint64_t raw;
    memcpy(&raw, &value, 8);
    put8(a, raw);
}

static void put_null(array *a) {
    put4(a, 0xffffffff);
    a->has_null = 1;
    a->count++;
}

static void put_bytes(array *a, const char *bytes, uint32_t length) {
    put4(a, length);
    memcpy(a->bytes + a->length, bytes, length);
    a->length += length;
    a->count++;
}

static void end(array *a) {
    size_t length = a->length;
    a->length = 0;
    put4(a, 1);
    put4(a, (uint32_t)a->has_null);
    put4(a, a->element);
    put4(a, (uint32_t)a->count);
    put4(a, 1);
    a->length = length;
}

// MARK: Statements

static const int binary[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

static void check(PGresult *result) {
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        fail("libpq_peer: %s", PQerrorMessage(connection));
}

static void prepare(const char *name, const char *sql, int count, const Oid *types) {
    PGresult *result = PQprepare(connection, name, sql, count, types);
    check(result);
    PQclear(result);
}

static PGresult *execute(const char *name, int count, const char *const *parameters, const int *lengths) {
    PGresult *result = PQexecPrepared(connection, name, count, parameters, lengths, binary, 1);
    check(result);
    return result;
}

/// Runs a statement with arrays, and returns the number of rows that it changed.
static long write_arrays(const char *sql, array *arrays, int count, const Oid *types) {
    const char *parameters[10];
    int lengths[10];
    for (int i = 0; i < count; i++) {
        end(&arrays[i]);
        parameters[i] = arrays[i].bytes;
        lengths[i] = (int)arrays[i].length;
    }
    PGresult *result = PQexecParams(connection, sql, count, types, parameters, lengths, binary, 1);
    check(result);
    long changed = atol(PQcmdTuples(result));
    PQclear(result);
    for (int i = 0; i < count; i++) free(arrays[i].bytes);
    return changed;
}

// MARK: Rows as records

typedef struct {
    int64_t id, version, badge, department, manager;
    double salary, hired;
    int is_active, name_length;
    size_t name; // its place among the names
} employee;

typedef struct {
    employee *all;
    long count, capacity;
    char *names;
    size_t names_length, names_capacity;
} employees;

#define COLUMNS "id, version, name, salary, hire_date, is_active, badge, department_id, manager_id"

static void take_rows(employees *found, PGresult *result) {
    int count = PQntuples(result);
    for (int row = 0; row < count; row++) {
        if (found->count == found->capacity) {
            found->capacity = found->capacity ? found->capacity * 2 : 1024;
            found->all = realloc(found->all, (size_t)found->capacity * sizeof(employee));
        }
        employee *e = &found->all[found->count++];
        e->id = get_int8(PQgetvalue(result, row, 0));
        e->version = get_int8(PQgetvalue(result, row, 1));
        e->name_length = PQgetlength(result, row, 2);
        while (found->names_length + (size_t)e->name_length > found->names_capacity) {
            found->names_capacity = found->names_capacity ? found->names_capacity * 2 : 65536;
            found->names = realloc(found->names, found->names_capacity);
        }
        e->name = found->names_length;
        memcpy(found->names + e->name, PQgetvalue(result, row, 2), (size_t)e->name_length);
        found->names_length += (size_t)e->name_length;
        e->salary = get_float8(PQgetvalue(result, row, 3));
        e->hired = (double)get_int8(PQgetvalue(result, row, 4)) / 1e6 - YEAR;
        e->is_active = PQgetvalue(result, row, 5)[0];
        e->badge = get_int8(PQgetvalue(result, row, 6));
        e->department = PQgetisnull(result, row, 7) ? 0 : get_int8(PQgetvalue(result, row, 7));
        e->manager = PQgetisnull(result, row, 8) ? 0 : get_int8(PQgetvalue(result, row, 8));
    }
}

static void forget(employees *found) {
    free(found->all);
    free(found->names);
    memset(found, 0, sizeof *found);
}

/// Streams rows: in chunks if the library can, else one by one.
static void fetch(const char *sql, employees *found) {
    typedef int (*chunks)(PGconn *, int);
    chunks set_chunks = (chunks)dlsym(RTLD_DEFAULT, "PQsetChunkedRowsMode");
    if (!PQsendQueryParams(connection, sql, 0, NULL, NULL, NULL, NULL, 1)) fail("%s", PQerrorMessage(connection));
    if (!(set_chunks ? set_chunks(connection, 256) : PQsetSingleRowMode(connection))) fail("no streaming");
    PGresult *result;
    while ((result = PQgetResult(connection))) {
        if (PQresultStatus(result) == PGRES_FATAL_ERROR) check(result);
        take_rows(found, result);
        PQclear(result);
    }
}

// MARK: The jobs

static void insert_departments(void) {
    array columns[2];
    begin(&columns[0], INT8, DEPARTMENTS, 8);
    begin(&columns[1], TEXT, DEPARTMENTS, 32);
    for (int n = 0; n < DEPARTMENTS; n++) {
        char name[32];
        put8(&columns[0], (uint64_t)n + 1);
        put_bytes(&columns[1], name, (uint32_t)snprintf(name, sizeof name, "Department %d", n));
    }
    const Oid types[] = {INT8S, TEXTS};
    write_arrays("INSERT INTO department (id, name) SELECT * FROM unnest($1, $2)", columns, 2, types);
}

static uint64_t insert_all(const values *all) {
    const Oid types[] = {INT8S, TEXTS, FLOAT8S, TIMESTAMPTZS, BOOLS, INT8S, INT8S, INT8S};
    const uint32_t elements[] = {INT8, TEXT, FLOAT8, TIMESTAMPTZ, BOOL, INT8, INT8, INT8};
    const size_t sizes[] = {8, 32, 8, 8, 1, 8, 8, 8};
    PQclear(PQexec(connection, "BEGIN"));
    insert_departments();
    for (long start = 0; start < rows; start += ROWS_PER_STATEMENT) {
        long count = rows - start < ROWS_PER_STATEMENT ? rows - start : ROWS_PER_STATEMENT;
        array columns[8];
        for (int i = 0; i < 8; i++) begin(&columns[i], elements[i], count, sizes[i]);
        for (long n = start; n < start + count; n++) {
            const values *v = &all[n];
            char active = (char)v->is_active;
            put8(&columns[0], (uint64_t)n + 1);
            put_bytes(&columns[1], v->name, (uint32_t)strlen(v->name));
            put_double(&columns[2], v->salary);
            put8(&columns[3], (uint64_t)(int64_t)((v->hired + YEAR) * 1e6));
            put_bytes(&columns[4], &active, 1);
            put8(&columns[5], (uint64_t)v->badge);
            put8(&columns[6], (uint64_t)v->department + 1);
            if (v->manager < 0) put_null(&columns[7]);
            else put8(&columns[7], (uint64_t)v->manager + 1);
        }
        write_arrays(
            "INSERT INTO employee (id, name, salary, hire_date, is_active, badge, department_id, manager_id) "
            "SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8)", columns, 8, types);
    }
    PGresult *result = PQexec(connection, "COMMIT");
    check(result);
    PQclear(result);
    return 0;
}

static uint64_t read_all(void) {
    employees found = {0};
    fetch("SELECT " COLUMNS " FROM employee", &found);
    uint64_t digest = 0;
    for (long i = 0; i < found.count; i++) {
        const employee *e = &found.all[i];
        digest += (uint64_t)(e->name_length + (int64_t)e->salary + (int64_t)e->hired + (e->is_active ? 1 : 0) + e->badge +
                             (e->department ? 3 : 0) + (e->manager ? 5 : 0));
    }
    forget(&found);
    return digest;
}

static uint64_t look_up(void) {
    const Oid types[] = {INT8};
    prepare("look_up", "SELECT " COLUMNS " FROM employee WHERE badge = $1", 1, types);
    uint64_t digest = 0;
    for (long n = 0; n < LOOK_UPS; n++) {
        uint64_t badge = htobe64((uint64_t)((n * 7919 + 13) % rows));
        const char *parameters[] = {(const char *)&badge};
        const int lengths[] = {8};
        PGresult *result = execute("look_up", 1, parameters, lengths);
        employees found = {0};
        take_rows(&found, result);
        PQclear(result);
        for (long i = 0; i < found.count; i++) digest += (uint64_t)(int64_t)found.all[i].salary;
        forget(&found);
    }
    return digest;
}

static uint64_t search(void) {
    const Oid types[] = {FLOAT8};
    prepare("search", "SELECT " COLUMNS " FROM employee WHERE salary > $1 AND name >= 'a' AND name < 'b' "
            "ORDER BY salary LIMIT 100", 1, types);
    uint64_t digest = 0;
    for (long n = 0; n < searches; n++) {
        long half = rows / 2 > 1 ? rows / 2 : 1;
        double salary = 20000 + (double)(rows / 4 + (n * 611) % half) * 0.5;
        uint64_t raw;
        memcpy(&raw, &salary, 8);
        raw = htobe64(raw);
        const char *parameters[] = {(const char *)&raw};
        const int lengths[] = {8};
        PGresult *result = execute("search", 1, parameters, lengths);
        employees found = {0};
        take_rows(&found, result);
        PQclear(result);
        for (long i = 0; i < found.count; i++) digest = digest * 31 + (uint64_t)found.all[i].badge;
        forget(&found);
    }
    return digest;
}

static uint64_t follow(void) {
    PGresult *departments = PQexecParams(connection, "SELECT id, name FROM department", 0, NULL, NULL, NULL, NULL, 1);
    check(departments);
    int64_t last = 0;
    int count = PQntuples(departments);
    for (int row = 0; row < count; row++) {
        int64_t id = get_int8(PQgetvalue(departments, row, 0));
        if (id > last) last = id;
    }
    // The keys of a small table lie close together.
    int *row_of = calloc((size_t)last + 1, sizeof(int));
    for (int row = 0; row < count; row++) row_of[get_int8(PQgetvalue(departments, row, 0))] = row;
    employees found = {0};
    fetch("SELECT " COLUMNS " FROM employee", &found);
    uint64_t digest = 0;
    for (long i = 0; i < found.count; i++) {
        int64_t id = found.all[i].department;
        if (id) digest += (uint64_t)PQgetlength(departments, row_of[id], 1);
    }
    forget(&found);
    free(row_of);
    PQclear(departments);
    return digest;
}

static void low_badges(employees *found) {
    char sql[160];
    snprintf(sql, sizeof sql, "SELECT " COLUMNS " FROM employee WHERE badge < %ld", touched());
    fetch(sql, found);
}

static uint64_t change(void) {
    employees found = {0};
    low_badges(&found);
    array columns[3];
    begin(&columns[0], INT8, found.count, 8);
    begin(&columns[1], INT8, found.count, 8);
    begin(&columns[2], FLOAT8, found.count, 8);
    for (long i = 0; i < found.count; i++) {
        put8(&columns[0], (uint64_t)found.all[i].id);
        put8(&columns[1], (uint64_t)found.all[i].version);
        put_double(&columns[2], found.all[i].salary + 1);
    }
    const Oid types[] = {INT8S, INT8S, FLOAT8S};
    long changed = write_arrays(
        "UPDATE employee e SET salary = u.salary, version = e.version + 1 FROM unnest($1, $2, $3) AS u(id, version, salary) "
        "WHERE e.id = u.id AND e.version = u.version", columns, 3, types);
    if (changed != found.count) fail("libpq_peer: %ld of %ld rows changed", changed, found.count);
    forget(&found);
    return 0;
}

static uint64_t delete_some(void) {
    employees found = {0};
    low_badges(&found);
    array columns[2];
    begin(&columns[0], INT8, found.count, 8);
    begin(&columns[1], INT8, found.count, 8);
    for (long i = 0; i < found.count; i++) {
        put8(&columns[0], (uint64_t)found.all[i].id);
        put8(&columns[1], (uint64_t)found.all[i].version);
    }
    const Oid types[] = {INT8S, INT8S};
    long deleted = write_arrays(
        "DELETE FROM employee e USING unnest($1, $2) AS u(id, version) WHERE e.id = u.id AND e.version = u.version",
        columns, 2, types);
    if (deleted != found.count) fail("libpq_peer: %ld of %ld rows deleted", deleted, found.count);
    forget(&found);
    return 0;
}

static uint64_t summarize(void) {
    prepare("groups", "SELECT department_id, count(*), avg(salary) FROM employee GROUP BY department_id", 0, NULL);
    uint64_t digest = 0;
    for (int n = 0; n < SUMMARIES; n++) {
        PGresult *result = execute("groups", 0, NULL, NULL);
        for (int row = 0; row < PQntuples(result); row++)
            digest += (uint64_t)get_int8(PQgetvalue(result, row, 1)) * 1000003 +
                      (uint64_t)(int64_t)get_float8(PQgetvalue(result, row, 2));
        PQclear(result);
    }
    return digest;
}

static uint64_t run(const char *job, const values *all) {
    if (!strcmp(job, "J1")) return insert_all(all);
    if (!strcmp(job, "J2")) return read_all();
    if (!strcmp(job, "J3")) return look_up();
    if (!strcmp(job, "J4")) return search();
    if (!strcmp(job, "J5")) return follow();
    if (!strcmp(job, "J6")) return change();
    if (!strcmp(job, "J7")) return delete_some();
    if (!strcmp(job, "J8")) return summarize();
    fail("libpq_peer: there is no job '%s'", job);
    return 0;
}

// MARK: Time

static double milliseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/// The processor time of the server's processes that live: the first number of their `schedstat`.
static double server_milliseconds(void) {
    const char *first = getenv("BENCH_POSTMASTER");
    if (!first) return 0;
    char path[96];
    snprintf(path, sizeof path, "/proc/%s/task/%s/children", first, first);
    FILE *children = fopen(path, "r");
    if (!children) return 0;
    double sum = 0;
    long process;
    while (fscanf(children, "%ld", &process) == 1) {
        snprintf(path, sizeof path, "/proc/%ld/schedstat", process);
        FILE *times = fopen(path, "r");
        unsigned long long nanoseconds;
        if (!times) continue;
        if (fscanf(times, "%llu", &nanoseconds) == 1) sum += (double)nanoseconds / 1e6;
        fclose(times);
    }
    fclose(children);
    return sum;
}

int main(int count, char **arguments) {
    if (count != 5) fail("usage: libpq_peer JOB URL ROWS SEARCHES");
    rows = atol(arguments[3]);
    searches = atol(arguments[4]);
    values *all = NULL;
    if (!strcmp(arguments[1], "J1")) {
        all = malloc((size_t)rows * sizeof(values));
        for (long n = 0; n < rows; n++) all[n] = employee_values(n);
    }
    connection = PQconnectdb(arguments[2]);
    if (PQstatus(connection) != CONNECTION_OK) fail("libpq_peer: %s", PQerrorMessage(connection));
    double server = server_milliseconds();
    double cpu = milliseconds(CLOCK_PROCESS_CPUTIME_ID), wall = milliseconds(CLOCK_MONOTONIC);
    uint64_t digest = run(arguments[1], all);
    cpu = milliseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wall = milliseconds(CLOCK_MONOTONIC) - wall;
    server = server_milliseconds() - server;
    printf("{\"cpu_ms\": %f, \"wall_ms\": %f, \"server_ms\": %f, \"digest\": %llu}\n", cpu, wall, server,
           (unsigned long long)digest);
    PQfinish(connection);
    free(all);
    return 0;
}
