// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Settles pending rows of indexes of values in the transactions of saves and batch requests.

import SQLiteDriver

extension OpenDatabase {
    /// Settles pending rows within the transaction that has written some.
    ///
    /// - Parameter written: the number of written rows; nil if it is unknown, then all pending rows are settled.
    func settleValues(of written: Int?, on connection: Connection) throws {
        for table in try values.usable(on: connection) {
            try ValueSettlement(table, schema, on: connection).settle(written.map { $0 + ValueSettlement.part })
        }
    }
}
