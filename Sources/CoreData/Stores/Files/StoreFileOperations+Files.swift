// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Destroys, replaces, copies and moves stores that are single files, and refuses this for other kinds of stores.

import Foundation

extension StoreFileOperations where Self: RecordStore {
    package static func destroy(at url: URL, options: [AnyHashable: Any]?) throws {
        try requireFiles("destroying a store")
        guard addressing == .file, StoreFiles.exists(url) else { return }
        let url = url.resolvingSymlinksInPath()
        try StoreFiles.requirePlain(url)
        try requireOwn(url, options)
        try FileManager.default.removeItem(at: url)
    }

    package static func unusedState(of url: URL, options: [AnyHashable: Any]?) throws -> StoreState {
        try requireFiles("replacing a store")
        _ = try metadataForPersistentStore(with: url)
        return StoreState(of: url)
    }

    package static func replace(
        at url: URL, options: [AnyHashable: Any]?, from source: URL, ifStill state: StoreState?
    ) throws {
        try requireFiles("replacing a store")
        guard addressing == .file else {
            throw CoreDataError.unsupportedRequest("replacing a store that is in memory", store: nil)
        }
        let url = url.resolvingSymlinksInPath()
        try StoreFiles.requirePlain(url)
        _ = try metadataForPersistentStore(with: source)
        if StoreFiles.exists(url) { try requireOwn(url, options) }
        try StoreFiles.copy(source, to: url, ifStill: state)
    }

    package static func discard(at url: URL) {
        if addressing == .file { StoreFiles.remove(url) }
    }

    package static func move(_ url: URL, to destination: URL) throws { try StoreFiles.putNew(url, at: destination) }

    package func copy(to destination: URL) throws {
        guard Self.addressing == .file, let url else {
            throw CoreDataError.unsupportedRequest(
                "a copy of a store of type \(type)", store: self,
                advice: " Use `migratePersistentStore(_:to:options:withType:)`.")
        }
        try StoreFiles.copy(url, to: destination)
    }

    package func relocate(to url: URL) throws { self.url = url }

    package func lastKey(below root: EntityLayout) throws -> Int64 { 0 }

    private static func requireFiles(_ request: String) throws {
        guard addressing != .any else {
            throw CoreDataError.unsupportedRequest(
                request, store: nil, asker: "\(self)", advice: " What its URL stands for, the class alone knows.")
        }
    }

    /// Refuses a file that is not a store of this type.
    private static func requireOwn(_ url: URL, _ options: [AnyHashable: Any]?) throws {
        if StoreFlag.isSet(NSPersistentStoreForceDestroyOption, in: options) { return }
        _ = try metadataForPersistentStore(with: url)
    }
}
