// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Builds the errors of opening, querying and migrating stores.

import CoreDataFoundation
import Foundation

extension CoreDataError {
    /// The reason why a file cannot be opened as a store.
    package enum OpenFailure {
        /// There is no file (260).
        case noSuchFile
        /// The file name is invalid (258).
        case invalidName
        /// The file is not a store, or is damaged (259).
        case corrupt
        /// The access rights forbid reading (257) or writing (513).
        case noReadPermission, noWritePermission
        /// The disk is full (640).
        case outOfSpace
        /// The store has another type (134010).
        case typeMismatch
        /// Tables or columns of the model are missing (134020).
        case schema
        /// Another process has locked the file (134090).
        case timeout
        /// Any other reason (134080).
        case other

        fileprivate var code: CocoaError.Code {
            switch self {
            case .noSuchFile: .fileReadNoSuchFile
            case .invalidName: .fileReadInvalidFileName
            case .corrupt: .fileReadCorruptFile
            case .noReadPermission: .fileReadNoPermission
            case .noWritePermission: .fileWriteNoPermission
            case .outOfSpace: .fileWriteOutOfSpace
            case .typeMismatch: .persistentStoreTypeMismatch
            case .schema: .persistentStoreIncompatibleSchema
            case .timeout: .persistentStoreTimeout
            case .other: .persistentStoreOpen
            }
        }
    }

    /// A store that cannot be opened.
    ///
    /// - Parameter reason: the finding, as a sentence.
    package static func cannotOpenStore(
        url: URL?, _ failure: OpenFailure = .other, reason: String, underlying: (any Error)? = nil
    ) -> NSError {
        make(
            failure.code, "The store \(place(url)) cannot be opened. \(reason)", reason: reason, url: url,
            underlying: underlying, userInfo: sqliteInfo(underlying))
    }

    /// Large data in an external file that cannot be read (260, or the error of the file system).
    ///
    /// - Parameter attribute: the name of the attribute, with its entity.
    package static func unreadableData(
        _ url: URL, attribute: String, id: NSManagedObjectID? = nil, underlying: (any Error)?
    ) -> NSError {
        let code = (underlying as? CocoaError)?.code ?? .fileReadNoSuchFile
        let reason = "The data of '\(attribute)' lies in the file \(url.lastPathComponent), which cannot be read."
        let info: [String: Any] = id.map { [NSAffectedObjectsErrorKey: [$0]] } ?? [:]
        return make(
            code, id.map { "\(reason) Object: \($0)." } ?? reason, reason: reason, url: url, underlying: underlying,
            userInfo: info)
    }

    /// A failure to create, move or replace the file of a store.
    ///
    /// - Parameter reason: the finding, as a sentence.
    package static func cannotChangeStore(
        url: URL?, _ failure: OpenFailure = .other, reason: String, underlying: (any Error)? = nil
    ) -> NSError {
        make(
            failure.code, "The store \(place(url)) cannot be made, moved or replaced. \(reason)", reason: reason,
            url: url, underlying: underlying, userInfo: sqliteInfo(underlying))
    }

    /// A new store at a location that is in use (516).
    package static func storeExists(_ url: URL) -> NSError {
        make(
            .fileWriteFileExists, "There is something \(place(url)) already. Choose another place, or remove it first.",
            url: url)
    }

    /// A type without a registered store class (134000).
    package static func unknownStoreType(_ type: String, known: [String]) -> NSError {
        let list = known.sorted().joined(separator: ", ")
        return make(.persistentStoreInvalidType, "There is no store type '\(type)'. The types are: \(list).")
    }

    /// A model that differs from the model of the store (134100). The message names the differing entities.
    ///
    /// - Parameter metadata: the store's metadata, added to the user info under Apple's key.
    package static func incompatibleModel(
        storeHashes: [String: Data], modelHashes: [String: Data], url: URL?, metadata: [String: Any]? = nil
    ) -> NSError {
        let names = { (list: [String]) in list.sorted().joined(separator: ", ") }
        let differing = storeHashes.keys.filter { name in modelHashes[name].map { $0 != storeHashes[name] } ?? false }
        let onlyInStore = storeHashes.keys.filter { modelHashes[$0] == nil }
        let onlyInModel = modelHashes.keys.filter { storeHashes[$0] == nil }
        var findings: [String] = []
        if !differing.isEmpty { findings.append("These entities differ: \(names(differing)).") }
        if !onlyInStore.isEmpty { findings.append("The model lacks: \(names(onlyInStore)).") }
        if !onlyInModel.isEmpty { findings.append("The store lacks: \(names(onlyInModel)).") }
        let reason = "The model used to open the store is not the one it was written with."
        return make(
            .persistentStoreIncompatibleVersionHash,
            "The store \(place(url)) cannot be opened. \(([reason] + findings).joined(separator: " "))", reason: reason,
            url: url, userInfo: metadata.map { ["metadata": $0] } ?? [:])
    }

    /// Writing to a store that was opened for reading (513).
    package static func readOnlyStore(_ url: URL?, store: Any? = nil) -> NSError {
        make(
            .fileWriteNoPermission, "The store \(place(url)) was opened for reading alone and cannot be changed.",
            url: url,
            userInfo: affected(store))
    }

    /// A request that the receiver does not support (134091).
    ///
    /// - Parameter advice: a further sentence, with a space before it.
    package static func unsupportedRequest(
        _ request: String, store: Any?, asker: String = "The store", advice: String = ""
    ) -> NSError {
        make(
            .persistentStoreUnsupportedRequestType, "\(asker) does not support this request: \(request).\(advice)",
            userInfo: affected(store))
    }

    /// A request that the program cancelled (3072).
    package static func cancelled() -> NSError { make(.userCancelled, "The request was cancelled.") }

    /// A store refused an operation (134070).
    package static func storeOperation(_ description: String, store: Any? = nil, underlying: (any Error)? = nil)
        -> NSError
    {
        make(
            .persistentStoreOperation, description, underlying: underlying,
            userInfo: affected(store).merging(sqliteInfo(underlying)) { old, _ in old })
    }

    /// An invalid answer of a custom store (134070).
    ///
    /// - Parameters:
    ///   - what: the mistake of the store's class, as the middle of a sentence.
    ///   - id: the requested record.
    ///   - key: the requested property, also stored under `NSValidationKeyErrorKey`.
    package static func wrongAnswer(
        _ what: String, store: Any, entity: String? = nil, id: Any? = nil, key: String? = nil
    ) -> NSError {
        var info = affected(store)
        if let id { info[NSAffectedObjectsErrorKey] = [id] }
        if let key { info[NSValidationKeyErrorKey] = key }
        let subject = key.map { "'\(entity ?? "").\($0)'" } ?? entity.map { "'\($0)'" }
        let place = [subject, id.map { "\($0)" }].compactMap { $0 }.joined(separator: " of ")
        return make(
            .persistentStoreOperation, "\(type(of: store)) \(what)\(place.isEmpty ? "" : " for \(place)").",
            userInfo: info)
    }

    /// The error of a failed request: Cocoa errors and errors of search queries unchanged, errors of predicates and key
    /// paths as underlying error of 134060.
    package static func request(_ error: any Error, entity: String?) -> any Error {
        if error is SearchQueryError { return error }
        let cause = error as NSError
        guard cause.domain != NSCocoaErrorDomain else { return cause }
        return general("The request for '\(entity ?? "")' cannot be carried out: \(error).", underlying: error)
    }

    /// A failure of SQLite (134180), with its result code under `NSSQLiteErrorDomain`.
    package static func sqlite(code: Int, message: String, url: URL?, underlying: (any Error)? = nil) -> NSError {
        make(
            .sqlite, "SQLite reports, for the store \(place(url)): \(message) (\(code)).", url: url,
            underlying: underlying,
            userInfo: [NSSQLiteErrorDomain: NSNumber(value: code)])
    }

    /// An object id without a record (133000).
    package static func objectNotFound(_ id: Any, entity: String? = nil) -> NSError {
        make(
            .managedObjectReferentialIntegrity,
            "No store has a record for the object \(id)\(entity.map { " of '\($0)'" } ?? "").",
            userInfo: [NSAffectedObjectsErrorKey: [id]])
    }

    /// A link of a batch request to a record that does not exist (133000).
    package static func missingDestination(_ key: Int64, _ entity: String) -> NSError {
        make(
            .managedObjectReferentialIntegrity,
            "The store has no record with the key \(key) of '\(entity)', which a relationship of the batch request leads "
                + "to.")
    }

    /// A relationship between objects in different stores (133010).
    ///
    /// - Parameter relationship: its name with that of its entity, "Person.employer".
    package static func externalRelationship(_ relationship: String, object: Any) -> NSError {
        make(
            .managedObjectExternalRelationship,
            "\(relationship) leads to an object in another store; relationships stay within one store.",
            userInfo: [NSAffectedObjectsErrorKey: [object]])
    }

    /// A history token that refers to deleted history (134301).
    package static func historyTokenExpired(_ description: String) -> NSError {
        make(CocoaError.Code(rawValue: NSPersistentHistoryTokenExpiredError), description)
    }

    /// A failed migration.
    ///
    /// - Parameter code: one of 134110 to 134190 or 134504 to 134506.
    package static func migration(
        _ code: CocoaError.Code = .migration, _ reason: String, url: URL? = nil, underlying: (any Error)? = nil
    ) -> NSError {
        make(
            code, "The store \(place(url)) cannot be migrated. \(reason)", reason: reason, url: url,
            underlying: underlying)
    }

    package static func place(_ url: URL?) -> String {
        guard let url else { return "in memory" }
        return url.isFileURL ? "at \(url.path)" : "at \(url.absoluteString)"
    }

    package static func affected(_ store: Any?) -> [String: Any] {
        store.map { [NSAffectedStoresErrorKey: [$0]] } ?? [:]
    }

    /// The result code of SQLite in an underlying error, under Apple's user info key.
    private static func sqliteInfo(_ error: (any Error)?) -> [String: Any] {
        guard let error = error.map({ $0 as NSError }), error.domain == NSSQLiteErrorDomain else { return [:] }
        return [NSSQLiteErrorDomain: NSNumber(value: error.code)]
    }
}
