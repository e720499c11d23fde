// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What stores say of themselves, by the names that this had in former times, and without their type.

public import Foundation

extension NSPersistentStoreCoordinator {
    /// The metadata of the store at a URL, of whichever type it is.
    ///
    /// - Throws: 260 when there is nothing, 259 when none of the registered types can read it.
    @available(*, deprecated, message: "Use metadataForPersistentStore(ofType:at:options:).")
    public class func metadataForPersistentStore(with url: URL) throws -> [AnyHashable: Any] {
        guard StoreFiles.exists(url) else {
            throw CoreDataError.cannotOpenStore(url: url, .noSuchFile, reason: "There is no file.")
        }
        for (_, storeClass) in StoreRegistry.all.sorted(by: { $0.key < $1.key }) {
            if let metadata = try? storeClass.metadataForPersistentStore(with: url) { return metadata }
        }
        throw CoreDataError.cannotOpenStore(
            url: url, .corrupt, reason: "It is a store of none of the registered types.")
    }

    /// The metadata of the store at a URL; see `metadataForPersistentStore(ofType:at:options:)`.
    @available(*, deprecated, message: "Use metadataForPersistentStore(ofType:at:options:).")
    @_disfavoredOverload
    public class func metadataForPersistentStore(ofType storeType: String?, at url: URL) throws -> [AnyHashable: Any] {
        guard let storeType else { return try metadataForPersistentStore(with: url) }
        return try metadataForPersistentStore(ofType: storeType, at: url, options: nil)
    }

    /// Replaces the metadata of the store at a URL at once; see `setMetadata(_:forPersistentStoreOfType:at:options:)`.
    @available(*, deprecated, message: "Use setMetadata(_:forPersistentStoreOfType:at:options:).")
    @_disfavoredOverload
    public class func setMetadata(
        _ metadata: [AnyHashable: Any]?, forPersistentStoreOfType storeType: String?, at url: URL
    ) throws {
        guard let storeType = try storeType ?? metadataForPersistentStore(with: url)[NSStoreTypeKey] as? String else {
            throw CoreDataError.cannotOpenStore(url: url, .corrupt, reason: "Its metadata does not say its type.")
        }
        let values = metadata.map { values in
            Dictionary(values.compactMap { key, value in (key.base as? String).map { ($0, value) } }) { $1 }
        }
        try setMetadata(values, forPersistentStoreOfType: storeType, at: url, options: nil)
    }

    /// The copy of its model that a SQLite store keeps.
    ///
    /// - Parameter options: none mean anything.
    /// - Throws: 260 when there is nothing at the URL, 259 when it is no SQLite store, or one without such a copy.
    public class func cachedModelForPersistentStore(at url: URL, options: [AnyHashable: Any]? = nil) throws
        -> NSManagedObjectModel
    {
        try SQLiteStoreFile(url: url).cachedModel()
    }

    /// The id that the text of a URI stands for; nil as for `managedObjectID(forURIRepresentation:)`, and for a text
    /// that is no URI.
    public func managedObjectID(for uri: String) -> NSManagedObjectID? {
        URL(string: uri).flatMap(managedObjectID(forURIRepresentation:))
    }
}
