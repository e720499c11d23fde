// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Shows whether a store's file was written to between two moments.

import Foundation

/// The state of a store's file at one moment. If two states are equal, no write happened between them.
package struct StoreState: Equatable {
    private let file: FileState?
    /// Of a database: the transaction counter in its header. File times have steps of milliseconds, in which a small
    /// store can be copied and saved.
    let transactions: UInt32?

    package init(of url: URL, transactions: UInt32? = nil) {
        file = FileState(of: url)
        self.transactions = transactions
    }

    /// Requires that the store is still in this state.
    ///
    /// - Throws: 134110 if it is not.
    package func require(_ url: URL, transactions: UInt32? = nil) throws {
        guard self == StoreState(of: url, transactions: transactions) else {
            throw CoreDataError.migration(
                .migration, "Somebody else changed it meanwhile; it is as they left it.", url: url)
        }
    }
}
