// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts errors of the server and the connection to Cocoa errors.

import CoreData
import Foundation
import PostgreSQLDriver

/// The domain of the server's errors, which underlie those of Cocoa. The code under `NSPostgreSQLStateErrorKey` is the
/// SQLSTATE.
public let NSPostgreSQLErrorDomain = "NSPostgreSQLErrorDomain"
/// User info key of errors in `NSPostgreSQLErrorDomain`: the SQLSTATE, five characters.
public let NSPostgreSQLStateErrorKey = "NSPostgreSQLState"

enum StoreErrors {
    static func underlying(_ error: PostgreSQLError) -> NSError {
        var info: [String: Any] = [
            NSLocalizedDescriptionKey: error.description, NSPostgreSQLStateErrorKey: error.code,
        ]
        if let constraint = error.constraint { info["constraint"] = constraint }
        return NSError(domain: NSPostgreSQLErrorDomain, code: error.kind == .deadline ? 1 : 0, userInfo: info)
    }

    /// Whether tables or columns differ from the model: another program may have migrated the store.
    static func missesTables(_ error: PostgreSQLError) -> Bool {
        ["42P01", "42703", "0A000"].contains(error.code)
    }

    static func opening(_ error: any Error, _ url: URL?) -> any Error {
        if let limit = error as? StoreLimitReached { return limit.error(url.map(ConnectionSettings.withoutPassword)) }
        let shown = url.map(ConnectionSettings.withoutPassword)
        if let damage = error as? ServerMetadata.NoRow {
            return CoreDataError.cannotOpenStore(url: shown, .corrupt, reason: damage.reason)
        }
        guard let error = error as? PostgreSQLError else { return error }
        return CoreDataError.cannotOpenStore(
            url: shown, error.code == "55P03" ? .timeout : .other, reason: error.description,
            underlying: underlying(error))
    }

    static func reading(_ error: any Error, _ store: NSPersistentStore) -> any Error {
        if let limit = error as? StoreLimitReached { return limit.error(store.url) }
        if let refused = error as? RefusedKey {
            return CoreDataError.storeOperation(
                "\(refused.entity): the table \(refused.table) has a row with the key \(refused.key). Objects have keys "
                    + "above 0; leave such rows out by a view.", store: store)
        }
        guard let error = error as? PostgreSQLError else { return error }
        return CoreDataError.storeOperation(
            "The store \(CoreDataError.place(store.url)) could not be read: \(error)", store: store,
            underlying: underlying(error))
    }

    /// 134070 for a query generation that has ended.
    static func lost(_ lost: SnapshotLost, _ store: PostgreSQLStore) -> any Error {
        var cause: PostgreSQLError?
        let reason: String
        switch lost.end {
        case .overdue: reason = "its time is over (NSPostgreSQLGenerationTimeoutOption)"
        case .failed(let error):
            cause = error
            reason = "its connection has ended: \(error)"
        case .closed, .released, nil: reason = "the store was closed"
        }
        return CoreDataError.storeOperation(
            "The query generation of the store \(CoreDataError.place(store.url)) is not there any more: \(reason). "
                + "Set another one.", store: store, underlying: cause.map(underlying))
    }

    static func saving(_ error: any Error, _ store: NSPersistentStore) -> any Error {
        if let limit = error as? StoreLimitReached { return limit.error(store.url) }
        guard let error = error as? PostgreSQLError else { return error }
        return CoreDataError.storeSave(
            sentence(error), store: store, url: store.url, underlying: underlying(error))
    }

    private static func sentence(_ error: PostgreSQLError) -> String {
        switch error.code {
        case "23503":
            "A relationship leads to a record that somebody has deleted (\(error.constraint ?? "a foreign key"))."
        case "22003": "A number is too large for its column: \(error.message)."
        default: "\(error)"
        }
    }
}
