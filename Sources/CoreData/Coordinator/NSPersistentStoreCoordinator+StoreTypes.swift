// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Registers store classes for store types.

import Foundation

extension NSPersistentStoreCoordinator {
    /// The classes of all store types: the built-in and the registered ones. Thread-safe.
    public class var registeredStoreTypes: [String: NSPersistentStore.Type] {
        StoreRegistry.all.mapValues { $0 as NSPersistentStore.Type }
    }

    /// Registers the class for a store type in all coordinators of the process. Open stores are not affected.
    ///
    /// - Parameters:
    ///   - storeClass: a subclass of `NSIncrementalStore` or `NSAtomicStore`; any other class is a precondition
    ///     failure. nil removes the registration; a built-in type then has its own class again.
    ///   - storeType: the value of `NSStoreTypeKey` in the store's metadata.
    public class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
        StoreRegistry.register(storeClass, for: storeType)
    }

    /// Registers the class for a store type; see `registerStoreClass(_:forStoreType:)`.
    public class func registerStoreClass(_ storeClass: AnyClass?, type: NSPersistentStore.StoreType) {
        registerStoreClass(storeClass, forStoreType: type.rawValue)
    }
}
