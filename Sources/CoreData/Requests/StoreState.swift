// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Shows whether somebody has written to a store in a file between two moments.

import Foundation

/// The state of a store in a file at one moment. Nobody has written to the store between two equal ones.
package struct StoreState: Equatable {
    private let file: FileState?
    /// Of a database: the counter of transactions in its header. The times of a file have steps of milliseconds, in
    /// which a small store can be copied and saved.
    let transactions: UInt32?

    package init(of url: URL, transactions: UInt32? = nil) {
        file = FileState(of: url)
        self.transactions = transactions
    }

    /// Requires that this state is still that of the store.
    ///
    /// - Throws: 134110 if the store is in another one.
    package func require(_ url: URL, transactions: UInt32? = nil) throws {
        guard self == StoreState(of: url, transactions: transactions) else {
            throw CoreDataError.migration(
                .migration, "Somebody else changed it meanwhile; it is as they left it.", url: url)
        }
    }
}
