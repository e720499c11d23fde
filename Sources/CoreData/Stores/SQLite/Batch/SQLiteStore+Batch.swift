// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Executes batch requests: in SQL if it can express them, otherwise row by row.

import Foundation
import SQLiteDriver

extension SQLiteStore {
    func perform(_ batch: StoreBatch, confirm: () throws -> Bool) throws -> BatchOutcome {
        let opened = try opened()
        if opened.isReadOnly { throw CoreDataError.readOnlyStore(url, store: self) }
        do {
            let (outcome, staleness) = try opened.pool.write { connection in
                let commit = CommitNotifier.shared.begin(commitPlace, by: self)
                let transaction = BatchTransaction(
                    opened: opened, connection: connection, batch: batch, identity: identity)
                let result = try transaction.run(confirm)
                didCommit(result.outcome.transactionNumber, commit)
                return result
            }
            switch staleness {
            case .nothing: break
            case .rows(let keys): for (root, keys) in keys { rowCache.forget(root: root, keys: keys) }
            case .everything: rowCache.forgetAll()
            }
            return outcome
        } catch is NotTranslatable {
            return try RowBatch(self, batch).run(confirm)
        } catch let error as SQLiteError where error.isOverflow || error.isAboutLimits {
            return try RowBatch(self, batch).run(confirm)
        } catch {
            // After a failed commit the rows may be durable nevertheless.
            if (error as? SQLiteError)?.leavesCommitInDoubt == true { rowCache.forgetAll() }
            throw failure(error)
        }
    }
}
