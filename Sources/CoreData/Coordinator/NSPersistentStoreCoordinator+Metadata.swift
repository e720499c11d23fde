// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Deprecated spellings of the metadata methods, and methods that find the type of a store themselves.

public import Foundation

extension NSPersistentStoreCoordinator {
    /// Reads the metadata of the store at a URL, of any registered type.
    ///
    /// - Throws: 260 when there is no file, 259 when no registered type can read it.
    @available(*, deprecated, message: "Use metadataForPersistentStore(ofType:at:options:).")
    public class func metadataForPersistentStore(with url: URL) throws -> [AnyHashable: Any] {
        guard StoreFiles.exists(url) else {
            throw CoreDataError.cannotOpenStore(url: url, .noSuchFile, reason: "There is no file.")
        }
        // SQLite first: the others open the file, and closing it would release the locks of a database that is open.
        func place(_ type: String) -> (Int, String) { (type == NSSQLiteStoreType ? 0 : 1, type) }
        for (_, storeClass) in StoreRegistry.all.sorted(by: { place($0.key) < place($1.key) }) {
            if let metadata = try? storeClass.metadataForPersistentStore(with: url) { return metadata }
        }
        throw CoreDataError.cannotOpenStore(
            url: url, .corrupt, reason: "It is a store of none of the registered types.")
    }

    /// Reads the metadata of the store at a URL; see `metadataForPersistentStore(ofType:at:options:)`.
    @available(*, deprecated, message: "Use metadataForPersistentStore(ofType:at:options:).")
    @_disfavoredOverload
    public class func metadataForPersistentStore(ofType storeType: String?, at url: URL) throws -> [AnyHashable: Any] {
        guard let storeType else { return try metadataForPersistentStore(with: url) }
        return try metadataForPersistentStore(ofType: storeType, at: url, options: nil)
    }

    /// Replaces the metadata of the store at a URL; see `setMetadata(_:forPersistentStoreOfType:at:options:)`.
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

    /// Reads the copy of the model that a SQLite store keeps.
    ///
    /// - Parameters:
    ///   - url: the file of the store.
    ///   - options: ignored.
    /// - Throws: 260 when there is no file, 259 when it is not a SQLite store, or has no copy of the model.
    public class func cachedModelForPersistentStore(at url: URL, options: [AnyHashable: Any]? = nil) throws
        -> NSManagedObjectModel
    {
        try StoreRegistry.cachedModel(ofSQLiteStoreAt: url)
    }

    /// The metadata of the SQLite store at a URL; nil if opening would create the store: the file is missing or empty,
    /// or another opener has not filled it yet.
    package static func metadataOfSQLiteStore(at url: URL) throws -> [String: Any]? {
        try StoreRegistry.metadata(ofSQLiteStoreAt: url)
    }

    /// The id for the text of a URI; nil for an invalid URI, otherwise as `managedObjectID(forURIRepresentation:)`.
    public func managedObjectID(for uri: String) -> NSManagedObjectID? {
        // A subclass may have another meaning of URIs.
        if type(of: self) == NSPersistentStoreCoordinator.self, let id = id(ofPlainURI: uri) { return id }
        return URL(string: uri).flatMap(managedObjectID(forURIRepresentation:))
    }
}
