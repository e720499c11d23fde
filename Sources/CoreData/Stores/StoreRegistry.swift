// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Maps store types to store classes: the built-in ones, and those that programs register.

import Foundation
import Synchronization

/// All store types of this process. Thread-safe.
enum StoreRegistry {
    private static let builtIn: [String: any RecordStore.Type] = [
        NSSQLiteStoreType: SQLiteStore.self, NSInMemoryStoreType: InMemoryStore.self,
        NSXMLStoreType: XMLStore.self, NSBinaryStoreType: BinaryStore.self,
    ]
    /// Searched first, so that a program's class can replace a built-in one.
    private static let registered = Mutex<[String: any RecordStore.Type]>([:])

    /// - Parameter storeClass: nil removes the registration; a built-in type then uses its built-in class again.
    static func register(_ storeClass: AnyClass?, for type: String) {
        guard let storeClass else { return registered.withLock { $0[type] = nil } }
        guard let storeClass = storeClass as? any RecordStore.Type else {
            preconditionFailure(
                "\(storeClass) cannot be registered for the store type '\(type)': a store class is a subclass of "
                    + "NSIncrementalStore or NSAtomicStore.")
        }
        registered.withLock { $0[type] = storeClass }
    }

    static var all: [String: any RecordStore.Type] {
        builtIn.merging(registered.withLock { $0 }) { $1 }
    }

    /// - Throws: 134000 for an unregistered type; the error lists the known types.
    static func storeClass(_ type: String) throws -> any RecordStore.Type {
        if let storeClass = registered.withLock({ $0[type] }) ?? builtIn[type] { return storeClass }
        throw CoreDataError.unknownStoreType(type, known: Array(all.keys))
    }

    // MARK: SQLite stores without their class

    /// The copy of the model that a SQLite store keeps.
    ///
    /// - Throws: 260 when there is no file, 259 when it is not a SQLite store, or has no copy of the model.
    static func cachedModel(ofSQLiteStoreAt url: URL) throws -> NSManagedObjectModel {
        try SQLiteStoreFile(url: url).cachedModel()
    }

    /// The metadata of a SQLite store; nil where opening makes a new one.
    static func metadata(ofSQLiteStoreAt url: URL) throws -> [String: Any]? {
        let file = SQLiteStoreFile(url: url)
        do {
            return try file.isNew(timeout: .seconds(5)) ? nil : file.metadata()
        } catch {
            throw SQLiteStoreErrors.opening(error, url: url)
        }
    }
}
