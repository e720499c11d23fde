// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The functions of libpq that the driver uses. The library is loaded when the program runs: nothing here needs its
// headers.

#ifndef OCD_POSTGRESQL_H
#define OCD_POSTGRESQL_H

#include <stddef.h>
#include <stdint.h>

typedef struct ocd_pq_connection ocd_pq_connection;
typedef struct ocd_pq_result ocd_pq_result;

// Values of libpq's enumerations, which its interface fixes.
enum {
    OCD_PQ_CONNECTION_OK = 0,
    OCD_PQ_COMMAND_OK = 1,
    OCD_PQ_TUPLES_OK = 2,
    OCD_PQ_FATAL_ERROR = 7,
    OCD_PQ_SINGLE_TUPLE = 9,
    OCD_PQ_PIPELINE_SYNC = 10,
    OCD_PQ_PIPELINE_ABORTED = 11,
    OCD_PQ_TUPLES_CHUNK = 12,
    OCD_PQ_IDLE = 0,
    OCD_PQ_POLLING_FAILED = 0,
    OCD_PQ_POLLING_READING = 1,
    OCD_PQ_POLLING_WRITING = 2,
    OCD_PQ_POLLING_OK = 3,
};

/// One value of a row: its bytes inside the result; a length of -1 is null.
typedef struct {
    const uint8_t *bytes;
    int32_t length;
} ocd_pq_cell;

/// A notification that was received.
typedef struct {
    char channel[64];
    /// The beginning of the sender's payload.
    char payload[64];
    int32_t process;
} ocd_pq_notice;

/// Loads the library, once in a process. Returns 1, or 0 with the reason in `message`.
int ocd_pq_load(const char *path, char *message, size_t size);

/// Begins to connect with the given names and values, both ended by NULL.
ocd_pq_connection *ocd_pq_connect(const char *const *names, const char *const *values);
int ocd_pq_connect_poll(ocd_pq_connection *connection);
int ocd_pq_status(const ocd_pq_connection *connection);
const char *ocd_pq_message(const ocd_pq_connection *connection);
void ocd_pq_finish(ocd_pq_connection *connection);
int ocd_pq_socket(const ocd_pq_connection *connection);
int ocd_pq_set_nonblocking(ocd_pq_connection *connection);
void ocd_pq_silence(ocd_pq_connection *connection);
int ocd_pq_server_version(const ocd_pq_connection *connection);
int ocd_pq_backend(const ocd_pq_connection *connection);
const char *ocd_pq_database(const ocd_pq_connection *connection);
const char *ocd_pq_host(const ocd_pq_connection *connection);
const char *ocd_pq_port(const ocd_pq_connection *connection);
int ocd_pq_transaction_status(const ocd_pq_connection *connection);
const char *ocd_pq_parameter(const ocd_pq_connection *connection, const char *name);

int ocd_pq_send(ocd_pq_connection *connection, const char *sql, int count, const uint32_t *types, const char *const *values,
                const int *lengths, const int *formats);
int ocd_pq_send_prepare(ocd_pq_connection *connection, const char *name, const char *sql, int count, const uint32_t *types);
int ocd_pq_send_prepared(ocd_pq_connection *connection, const char *name, int count, const char *const *values,
                         const int *lengths, const int *formats);
/// Whether the library gives streamed rows in parts: since libpq 17.
int ocd_pq_gives_parts(void);
/// Streams the rows of the statement that was sent, with the given number of rows in a result, or one by one.
int ocd_pq_stream(ocd_pq_connection *connection, int rows);
int ocd_pq_enter_pipeline(ocd_pq_connection *connection);
int ocd_pq_exit_pipeline(ocd_pq_connection *connection);
int ocd_pq_sync(ocd_pq_connection *connection);
int ocd_pq_flush(ocd_pq_connection *connection);
int ocd_pq_consume(ocd_pq_connection *connection);
int ocd_pq_is_busy(ocd_pq_connection *connection);
ocd_pq_result *ocd_pq_get_result(ocd_pq_connection *connection);
/// The means by which another thread cancels statements of a connection; NULL without memory. Free it afterwards.
void *ocd_pq_cancellation(ocd_pq_connection *connection);
/// Asks the server, over a separate connection, to cancel the running statement. Returns 1 if the server has got it.
int ocd_pq_cancel(void *cancellation);
void ocd_pq_free_cancellation(void *cancellation);
/// Takes the next notification; 0 for none.
int ocd_pq_next_notice(ocd_pq_connection *connection, ocd_pq_notice *notice);

int ocd_pq_result_status(const ocd_pq_result *result);
/// A field of an error by its letter, such as 'C' for the SQLSTATE; NULL if the error lacks it.
const char *ocd_pq_error_field(const ocd_pq_result *result, int field);
int ocd_pq_row_count(const ocd_pq_result *result);
int ocd_pq_column_count(const ocd_pq_result *result);
uint32_t ocd_pq_column_type(const ocd_pq_result *result, int column);
const char *ocd_pq_command(ocd_pq_result *result);
const char *ocd_pq_changed(ocd_pq_result *result);
void ocd_pq_clear(ocd_pq_result *result);
/// Fills in the values of a row.
void ocd_pq_cells(const ocd_pq_result *result, int row, ocd_pq_cell *cells, int count);

/// Splits a connection string. Calls `take` for each setting; returns 1, or 0 with the reason in `message`.
int ocd_pq_parse(const char *text, char *message, size_t size, void *context,
                 void (*take)(void *context, const char *name, const char *value));

/// Waits until a socket can be read or, on request, written. Returns 1 for readable, 2 for writable, 3 for both, 0
/// after the timeout, -1 for an error.
int ocd_pq_wait(int socket, int writing, int milliseconds);

#endif
