// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An atomic store in one file: reads the whole file when opened, and writes it whole with each save.

import Foundation

/// The common part of the XML and the binary store; a subclass supplies the format.
/// Documentation/Internals/Stores.md, "Atomic stores".
class AtomicFileStore: NSAtomicStore, VersionedStore {
    class var format: any AtomicFormat.Type { preconditionFailure("A store in a file has a format.") }

    private var format: (any AtomicFormat)?
    private var stamp: FileStamp?
    /// The URL of the stamped file. The store may have received another URL since.
    private var stamped: URL?
    private var isMetadataLoaded = false

    override var type: String { Self.format.type }
    override var takesObjects: Bool { false }

    private var place: URL {
        guard let url else { preconditionFailure("A store in a file has a URL.") }
        return url
    }

    // MARK: Opening

    override func loadMetadata() throws {
        guard !isMetadataLoaded else { return }
        try StoreFiles.requirePlain(place)
        isMetadataLoaded = true
        let values: [String: Any]
        if FileStamp.size(of: place) ?? 0 > 0 {
            values = try Self.metadataForPersistentStore(with: place)
        } else {
            values = [NSStoreTypeKey: type, NSStoreUUIDKey: identity.identifier]
        }
        metadataValues.adopt(values)
    }

    func metadataOfOtherVersion(than model: ModelLayout, entities: [NSEntityDescription]) throws
        -> [String: Any]?
    {
        do {
            _ = try DerivedRows(model, entities, url)  // an unusable model is refused before a migration
            try loadMetadata()
        } catch {
            throw AtomicErrors.opening(error, place)
        }
        let metadata = metadataValues.current
        return !ignoresVersion && AtomicMetadata.isOfOtherVersion(metadata, entities) ? metadata : nil
    }

    override func load() throws {
        var format = Self.format.init()
        do {
            do {
                try format.check(model, entities)
            } catch let failure as AtomicDamage {
                throw CoreDataError.cannotOpenStore(url: place, reason: failure.reason)
            }
            if !isReadOnly {
                FileReplacement.sweep(beside: place)
                StagedFile.sweep(beside: place)
                QuarantineFile.settle(of: place) { try Self.metadataForPersistentStore(with: place) }
            }
            if FileStamp.size(of: place) ?? 0 == 0 {
                guard try !create(format) else { return }
            }
            let file = try FileReading(place)
            contents = memory(try format.read(file, model, entities))
            stamp = try file.stamp()
            stamped = place
            self.format = format
        } catch {
            throw AtomicErrors.opening(error, place)
        }
    }

    /// - Returns: false if another process has created the file.
    private func create(_ format: any AtomicFormat) throws -> Bool {
        guard !isReadOnly else {
            throw CoreDataError.cannotOpenStore(
                url: place, .noSuchFile, reason: "There is no store, and none can be made for reading alone.")
        }
        let values = AtomicMetadata.completed(
            metadataValues.current, entities, type: type, identifier: identity.identifier)
        let tables = MemoryTables(keys: Self.format.counter())
        do {
            let save = try makeSave(tables, values, format, replacing: nil)
            try save.commit()
        } catch is FileStamp.Changed {
            isMetadataLoaded = false
            try loadMetadata()
            try adoptMetadata()
            return false
        } catch {
            throw AtomicErrors.saving(error, place, store: self)
        }
        metadataValues.adopt(values)
        contents = memory(tables)
        return true
    }

    override func forget() {
        super.forget()
        format = nil
        stamp = nil
        stamped = nil
    }

    // MARK: Saving

    /// The stamp of the file that a save may replace. nil if there must be no file yet, because the store has
    /// moved to an unused location.
    private var replaceable: FileStamp? {
        if let stamped, stamped != place, FileStamp.size(of: place) ?? 0 == 0 { return nil }
        return stamp
    }

    /// Writes the current contents to the file, without waiting for a save of a context.
    override func save() throws {
        guard let contents else { throw notOpen }
        if isReadOnly { throw CoreDataError.readOnlyStore(url, store: self) }
        try contents.blockingSaves { tables in
            let unsaved = metadataValues.unsaved
            let save = try prepare(tables, metadataValues.current, unsaved)
            do {
                try save.commit()
            } catch {
                save.rollback()
                throw error
            }
        }
    }

    override func prepare(_ tables: MemoryTables, _ changes: ChangeSet, _ outcome: SaveOutcome) throws
        -> any PreparedSave
    {
        let unsaved = metadataValues.unsaved
        let values = AtomicMetadata.completed(
            unsaved?.values ?? metadataValues.current, entities, type: type, identifier: identity.identifier)
        return try prepare(tables, values, unsaved)
    }

    private func prepare(_ tables: MemoryTables, _ values: [String: Any], _ unsaved: MetadataValues.Unsaved?) throws
        -> any PreparedSave
    {
        guard let format, stamp != nil else { throw notOpen }
        do {
            let known = replaceable
            try known?.check(place)
            let save = try makeSave(tables, values, format, replacing: known)
            save.unsaved = unsaved
            return save
        } catch {
            throw AtomicErrors.saving(error, place, store: self)
        }
    }

    private func makeSave(
        _ tables: MemoryTables, _ values: [String: Any], _ format: any AtomicFormat, replacing stamp: FileStamp?
    ) throws -> FileSave {
        let replacement = try FileReplacement(of: place)
        let content = AtomicContent(
            model: model, entities: entities, identifier: identity.identifier, metadata: values)
        let next = try format.written(tables, content) { try replacement.write($0) }
        try replacement.seal()
        return FileSave(store: self, replacement: replacement, known: stamp, format: next)
    }

    /// A complete new file in the folder of its target.
    private final class FileSave: PreparedSave {
        private let store: AtomicFileStore
        private let replacement: FileReplacement
        private let known: FileStamp?
        private let format: any AtomicFormat
        var unsaved: MetadataValues.Unsaved?

        init(store: AtomicFileStore, replacement: FileReplacement, known: FileStamp?, format: any AtomicFormat) {
            self.store = store
            self.replacement = replacement
            self.known = known
            self.format = format
        }

        func commit() throws {
            do {
                store.stamp = try replacement.commit(replacing: known)
            } catch let error as FileStamp.Changed where store.stamp == nil {
                throw error
            } catch {
                throw AtomicErrors.saving(error, replacement.target, store: store)
            }
            store.format = format
            store.stamped = store.place
            if let unsaved { store.metadataValues.didSave(unsaved) }
        }

        func rollback() { replacement.rollback() }
    }

    // MARK: Metadata of stores that are not open

    override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        do {
            return try format.metadata(of: FileReading(url))
        } catch {
            throw AtomicErrors.opening(error, url)
        }
    }

    override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        let old = try metadataForPersistentStore(with: url)
        var values = metadata ?? [:]
        if values[NSStoreModelVersionHashesKey] == nil {
            for (key, value) in old where key.hasPrefix("NSStoreModel") && values[key] == nil { values[key] = value }
        }
        values[NSStoreTypeKey] = format.type
        values[NSStoreUUIDKey] = values[NSStoreUUIDKey] as? String ?? old[NSStoreUUIDKey]
        do {
            let file = try FileReading(url)
            let replacement = try FileReplacement(of: url)
            try format.rewrite(file, metadata: values) { try replacement.write($0) }
            try replacement.seal()
            _ = try replacement.commit(replacing: file.stamp())
        } catch {
            throw AtomicErrors.saving(error, url, store: nil)
        }
    }
}
