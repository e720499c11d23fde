// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The types of stores that coordinators know.

import Foundation

extension NSPersistentStoreCoordinator {
    /// The classes of all types of stores: the built-in ones, and those that were registered. Any thread.
    public class var registeredStoreTypes: [String: NSPersistentStore.Type] {
        StoreRegistry.all.mapValues { $0 as NSPersistentStore.Type }
    }

    /// Says which class serves a type of store, in all coordinators of the process. Stores that are open stay as they
    /// are.
    ///
    /// - Parameters:
    ///   - storeClass: a subclass of `NSIncrementalStore` or `NSAtomicStore`; any other class stops the program. nil
    ///     takes the registration back; a built-in type has its own class again then.
    ///   - storeType: what the store's metadata have under `NSStoreTypeKey`.
    public class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
        StoreRegistry.register(storeClass, for: storeType)
    }

    /// Says which class serves a type of store; see `registerStoreClass(_:forStoreType:)`.
    public class func registerStoreClass(_ storeClass: AnyClass?, type: NSPersistentStore.StoreType) {
        registerStoreClass(storeClass, forStoreType: type.rawValue)
    }
}
