// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Cancels the running statement of a connection from another thread.

import CPostgreSQL

extension Connection {
    /// The means to cancel statements of this connection; nil if there is no memory for it.
    package func cancellation() -> StatementCancellation? {
        ocd_pq_cancellation(pointer).map { StatementCancellation($0, self) }
    }
}

/// Cancels statements of one connection. May be used by any thread while the connection is open.
package final class StatementCancellation: @unchecked Sendable {  // libpq may use it in any thread
    private let pointer: UnsafeMutableRawPointer
    private let connection: Connection

    fileprivate init(_ pointer: UnsafeMutableRawPointer, _ connection: Connection) {
        (self.pointer, self.connection) = (pointer, connection)
    }

    deinit { ocd_pq_free_cancellation(pointer) }

    /// Asks the server to cancel the running statement, which then fails with 57014, and waits until the server has
    /// received the request. The connection must be closed afterwards: the request may reach a later statement.
    package func send() {
        connection.markCancelled()
        _ = ocd_pq_cancel(pointer)
    }
}
