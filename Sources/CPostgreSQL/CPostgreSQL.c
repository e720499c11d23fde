// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Loads libpq and calls its functions.

#include "CPostgreSQL.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char *name;
    char *environment;
    char *compiled;
    char *value;
    char *label;
    char *display;
    int size;
} setting;

typedef struct {
    char *channel;
    int process;
    char *extra;
} notification;

// The function pointers by the names that libpq gives them.
#define FUNCTIONS(DO) \
    DO(ocd_pq_connection *, PQconnectStartParams, (const char *const *, const char *const *, int)) \
    DO(int, PQconnectPoll, (ocd_pq_connection *)) \
    DO(int, PQstatus, (const ocd_pq_connection *)) \
    DO(char *, PQerrorMessage, (const ocd_pq_connection *)) \
    DO(void, PQfinish, (ocd_pq_connection *)) \
    DO(int, PQsocket, (const ocd_pq_connection *)) \
    DO(int, PQsetnonblocking, (ocd_pq_connection *, int)) \
    DO(void *, PQsetNoticeReceiver, (ocd_pq_connection *, void (*)(void *, const ocd_pq_result *), void *)) \
    DO(int, PQserverVersion, (const ocd_pq_connection *)) \
    DO(int, PQbackendPID, (const ocd_pq_connection *)) \
    DO(char *, PQdb, (const ocd_pq_connection *)) \
    DO(char *, PQhost, (const ocd_pq_connection *)) \
    DO(char *, PQport, (const ocd_pq_connection *)) \
    DO(int, PQtransactionStatus, (const ocd_pq_connection *)) \
    DO(const char *, PQparameterStatus, (const ocd_pq_connection *, const char *)) \
    DO(int, PQsendQueryParams, \
       (ocd_pq_connection *, const char *, int, const uint32_t *, const char *const *, const int *, const int *, int)) \
    DO(int, PQsendPrepare, (ocd_pq_connection *, const char *, const char *, int, const uint32_t *)) \
    DO(int, PQsendQueryPrepared, \
       (ocd_pq_connection *, const char *, int, const char *const *, const int *, const int *, int)) \
    DO(int, PQsetSingleRowMode, (ocd_pq_connection *)) \
    DO(int, PQenterPipelineMode, (ocd_pq_connection *)) \
    DO(int, PQexitPipelineMode, (ocd_pq_connection *)) \
    DO(int, PQpipelineSync, (ocd_pq_connection *)) \
    DO(int, PQflush, (ocd_pq_connection *)) \
    DO(int, PQconsumeInput, (ocd_pq_connection *)) \
    DO(int, PQisBusy, (ocd_pq_connection *)) \
    DO(ocd_pq_result *, PQgetResult, (ocd_pq_connection *)) \
    DO(notification *, PQnotifies, (ocd_pq_connection *)) \
    DO(void, PQfreemem, (void *)) \
    DO(int, PQresultStatus, (const ocd_pq_result *)) \
    DO(char *, PQresultErrorField, (const ocd_pq_result *, int)) \
    DO(int, PQntuples, (const ocd_pq_result *)) \
    DO(int, PQnfields, (const ocd_pq_result *)) \
    DO(uint32_t, PQftype, (const ocd_pq_result *, int)) \
    DO(char *, PQcmdStatus, (ocd_pq_result *)) \
    DO(char *, PQcmdTuples, (ocd_pq_result *)) \
    DO(void, PQclear, (ocd_pq_result *)) \
    DO(char *, PQgetvalue, (const ocd_pq_result *, int, int)) \
    DO(int, PQgetlength, (const ocd_pq_result *, int, int)) \
    DO(int, PQgetisnull, (const ocd_pq_result *, int, int)) \
    DO(void *, PQgetCancel, (ocd_pq_connection *)) \
    DO(int, PQcancel, (void *, char *, int)) \
    DO(void, PQfreeCancel, (void *)) \
    DO(setting *, PQconninfoParse, (const char *, char **)) \
    DO(void, PQconninfoFree, (setting *))

#define DECLARE(result, name, parameters) static result (*name) parameters;
FUNCTIONS(DECLARE)

// Since libpq 17; NULL before.
static int (*PQsetChunkedRowsMode)(ocd_pq_connection *, int);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_loaded;

int ocd_pq_load(const char *path, char *message, size_t size) {
    pthread_mutex_lock(&lock);
    if (!is_loaded) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        const char *missing = NULL;
        if (library == NULL) {
            snprintf(message, size, "%s", dlerror());
        } else {
#define LOOK_UP(result, name, parameters) \
            if (missing == NULL && (name = (result (*) parameters)dlsym(library, #name)) == NULL) missing = #name;
            FUNCTIONS(LOOK_UP)
            if (missing != NULL) {
                snprintf(message, size, "%s has no function %s: version 14 or later is needed", path, missing);
                dlclose(library);
            } else {
                PQsetChunkedRowsMode = (int (*)(ocd_pq_connection *, int))dlsym(library, "PQsetChunkedRowsMode");
                is_loaded = 1;
            }
        }
    }
    int result = is_loaded;
    pthread_mutex_unlock(&lock);
    return result;
}

static void ignore_notice(void *context, const ocd_pq_result *result) {
    (void)context;
    (void)result;
}

ocd_pq_connection *ocd_pq_connect(const char *const *names, const char *const *values) {
    return PQconnectStartParams(names, values, 0);
}
int ocd_pq_connect_poll(ocd_pq_connection *c) { return PQconnectPoll(c); }
int ocd_pq_status(const ocd_pq_connection *c) { return PQstatus(c); }
const char *ocd_pq_message(const ocd_pq_connection *c) { return PQerrorMessage(c); }
void ocd_pq_finish(ocd_pq_connection *c) { PQfinish(c); }
int ocd_pq_socket(const ocd_pq_connection *c) { return PQsocket(c); }
int ocd_pq_set_nonblocking(ocd_pq_connection *c) { return PQsetnonblocking(c, 1) == 0; }
void ocd_pq_silence(ocd_pq_connection *c) { PQsetNoticeReceiver(c, ignore_notice, NULL); }
int ocd_pq_server_version(const ocd_pq_connection *c) { return PQserverVersion(c); }
int ocd_pq_backend(const ocd_pq_connection *c) { return PQbackendPID(c); }
const char *ocd_pq_database(const ocd_pq_connection *c) { return PQdb(c); }
const char *ocd_pq_host(const ocd_pq_connection *c) { return PQhost(c); }
const char *ocd_pq_port(const ocd_pq_connection *c) { return PQport(c); }
int ocd_pq_transaction_status(const ocd_pq_connection *c) { return PQtransactionStatus(c); }
const char *ocd_pq_parameter(const ocd_pq_connection *c, const char *name) { return PQparameterStatus(c, name); }

int ocd_pq_send(ocd_pq_connection *c, const char *sql, int count, const uint32_t *types, const char *const *values,
                const int *lengths, const int *formats) {
    return PQsendQueryParams(c, sql, count, types, values, lengths, formats, 1);
}
int ocd_pq_send_prepare(ocd_pq_connection *c, const char *name, const char *sql, int count, const uint32_t *types) {
    return PQsendPrepare(c, name, sql, count, types);
}
int ocd_pq_send_prepared(ocd_pq_connection *c, const char *name, int count, const char *const *values, const int *lengths,
                         const int *formats) {
    return PQsendQueryPrepared(c, name, count, values, lengths, formats, 1);
}
int ocd_pq_gives_parts(void) { return PQsetChunkedRowsMode != NULL; }
int ocd_pq_stream(ocd_pq_connection *c, int rows) {
    return rows > 1 && PQsetChunkedRowsMode != NULL ? PQsetChunkedRowsMode(c, rows) : PQsetSingleRowMode(c);
}
int ocd_pq_enter_pipeline(ocd_pq_connection *c) { return PQenterPipelineMode(c); }
int ocd_pq_exit_pipeline(ocd_pq_connection *c) { return PQexitPipelineMode(c); }
int ocd_pq_sync(ocd_pq_connection *c) { return PQpipelineSync(c); }
int ocd_pq_flush(ocd_pq_connection *c) { return PQflush(c); }
int ocd_pq_consume(ocd_pq_connection *c) { return PQconsumeInput(c); }
int ocd_pq_is_busy(ocd_pq_connection *c) { return PQisBusy(c); }
ocd_pq_result *ocd_pq_get_result(ocd_pq_connection *c) { return PQgetResult(c); }

void *ocd_pq_cancellation(ocd_pq_connection *c) { return PQgetCancel(c); }
int ocd_pq_cancel(void *cancellation) {
    char message[256];
    return PQcancel(cancellation, message, sizeof message);
}
void ocd_pq_free_cancellation(void *cancellation) { PQfreeCancel(cancellation); }

int ocd_pq_next_notice(ocd_pq_connection *c, ocd_pq_notice *notice) {
    notification *found = PQnotifies(c);
    if (found == NULL) return 0;
    snprintf(notice->channel, sizeof notice->channel, "%s", found->channel);
    snprintf(notice->payload, sizeof notice->payload, "%s", found->extra == NULL ? "" : found->extra);
    notice->process = found->process;
    PQfreemem(found);
    return 1;
}

int ocd_pq_result_status(const ocd_pq_result *r) { return PQresultStatus(r); }
const char *ocd_pq_error_field(const ocd_pq_result *r, int field) { return PQresultErrorField(r, field); }
int ocd_pq_row_count(const ocd_pq_result *r) { return PQntuples(r); }
int ocd_pq_column_count(const ocd_pq_result *r) { return PQnfields(r); }
uint32_t ocd_pq_column_type(const ocd_pq_result *r, int column) { return PQftype(r, column); }
const char *ocd_pq_command(ocd_pq_result *r) { return PQcmdStatus(r); }
const char *ocd_pq_changed(ocd_pq_result *r) { return PQcmdTuples(r); }
void ocd_pq_clear(ocd_pq_result *r) { PQclear(r); }

void ocd_pq_cells(const ocd_pq_result *r, int row, ocd_pq_cell *cells, int count) {
    for (int column = 0; column < count; column++) {
        cells[column].bytes = (const uint8_t *)PQgetvalue(r, row, column);
        cells[column].length = PQgetisnull(r, row, column) ? -1 : PQgetlength(r, row, column);
    }
}

int ocd_pq_parse(const char *text, char *message, size_t size, void *context,
                 void (*take)(void *context, const char *name, const char *value)) {
    char *error = NULL;
    setting *settings = PQconninfoParse(text, &error);
    if (settings == NULL) {
        snprintf(message, size, "%s", error != NULL ? error : "out of memory");
        if (error != NULL) PQfreemem(error);
        return 0;
    }
    for (setting *next = settings; next->name != NULL; next++) {
        if (next->value != NULL) take(context, next->name, next->value);
    }
    PQconninfoFree(settings);
    return 1;
}

int ocd_pq_wait(int socket, int writing, int milliseconds) {
    struct pollfd entry = {.fd = socket, .events = (short)(POLLIN | (writing ? POLLOUT : 0))};
    int count = poll(&entry, 1, milliseconds);
    if (count < 0) return errno == EINTR ? 0 : -1;
    int result = 0;
    // Reading detects an error or the end of the line.
    if (entry.revents & (POLLIN | POLLERR | POLLHUP | POLLNVAL)) result |= 1;
    if (entry.revents & POLLOUT) result |= 2;
    return result;
}
