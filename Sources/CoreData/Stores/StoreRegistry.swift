// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Which class serves which type of store: the built-in ones, and those that users register.

import Synchronization

/// All types of stores of this process. Any thread.
enum StoreRegistry {
    private static let builtIn: [String: any RecordStore.Type] = [
        NSSQLiteStoreType: SQLiteStore.self, NSInMemoryStoreType: InMemoryStore.self,
        NSXMLStoreType: XMLStore.self, NSBinaryStoreType: BinaryStore.self,
    ]
    /// Looked up first, so that a class of the user's may stand in for a built-in one.
    private static let registered = Mutex<[String: any RecordStore.Type]>([:])

    /// - Parameter storeClass: nil takes the registration back; a built-in type has its own class again then.
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

    /// - Throws: 134000 for a type that nobody registered, with the types that there are.
    static func storeClass(_ type: String) throws -> any RecordStore.Type {
        if let storeClass = registered.withLock({ $0[type] }) ?? builtIn[type] { return storeClass }
        throw CoreDataError.unknownStoreType(type, known: Array(all.keys))
    }
}
