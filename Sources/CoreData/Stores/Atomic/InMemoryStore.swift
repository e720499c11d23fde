// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store in memory: the same behaviour as on disk, and gone with its coordinator.

import Foundation

/// Reading a row copies nothing: contexts share the snapshots. Readers work on the tables as they were when they began;
/// a save
/// changes them under the lock.
final class InMemoryStore: NSPersistentStore, RecordStore, RowSource {
    let rowCache = RowCache()
    /// Held for the whole of a save; `lock` is taken within it.
    private let saving = NSLock()
    private let lock = NSLock()
    private var tables = MemoryTables()  // guarded by `lock`
    private var compiled: ModelLayout?

    static var addressing: StoreAddressing { .none }
    override var type: String { NSInMemoryStoreType }

    var layouts: ModelLayout {
        guard let compiled else { preconditionFailure("The store is used before it was opened.") }
        return compiled
    }

    func open(model: ModelLayout, entities: [NSEntityDescription]) throws {
        for entity in entities {
            guard let derived = entity.properties.first(where: { $0 is NSDerivedAttributeDescription }) else {
                continue
            }
            throw CoreDataError.cannotOpenStore(
                url: url, reason: "\(derived.qualifiedName) is derived, which stores in memory do not support.")
        }
        compiled = model
        var hashes: [String: Data] = [:]
        for entity in entities { if let name = entity.name { hashes[name] = entity.versionHash } }
        metadataValues.adopt([
            NSStoreTypeKey: type, NSStoreUUIDKey: identity.identifier, NSStoreModelVersionHashesKey: hashes,
            "NSStoreModelVersionHashesVersion": 3,
        ])
    }

    func close() throws { lock.withLock { tables = MemoryTables() } }

    // MARK: Reading

    func rows(_ keys: [Int64], root: EntityLayout, in burst: ReadBurst?) throws -> [FetchedRow] {
        reader.rows(keys, root: root)
    }

    func members(of slot: Int, layout: EntityLayout, owners: [Int64], in burst: ReadBurst?) throws -> [Int64:
        [Reference]]
    {
        reader.occupied(slot, layout: layout, owners: owners)
    }

    func storedRow(_ reference: Reference) throws -> FetchedRow? {
        let root = layouts.layouts[reference.entityIndex].rootIndex
        return lock.withLock { tables.tables[root]?[reference.key] }.map {
            FetchedRow(key: reference.key, snapshot: $0)
        }
    }

    func storedMembers(of slot: Int, layout: EntityLayout, key: Int64) throws -> [Reference] {
        reader.members(of: slot, layout: layout, owners: [key])[key] ?? []
    }

    func fetch(_ fetch: ResolvedFetch, in burst: ReadBurst?) throws -> FetchOutcome {
        try RowFetch(fetch, self).run(over: reader.candidates(fetch))
    }

    func explain(_ fetch: ResolvedFetch, in burst: ReadBurst?) throws -> FetchExplanation.Store {
        FetchExplanation.Store(
            identifier: identity.identifier, type: type, sql: nil, valueTypes: [], queryPlan: [],
            inMemory: fetch.doneOnRows)
    }

    /// The first save that follows copies the tables it changes.
    func pinned() throws -> (any RecordSource)? { MemoryView(reader, identifier: identity.identifier) }

    private var reader: MemoryReader { MemoryReader(current, layouts) }

    /// The tables as they are now; a save that follows copies what it changes.
    private var current: MemoryTables { lock.withLock { tables } }

    // MARK: Writing

    func reserveKeys(_ count: Int, for layout: EntityLayout) throws -> Int64 {
        lock.withLock {
            let first = tables.tables[layout.rootIndex, default: .init()].lastKey + 1
            tables.tables[layout.rootIndex, default: .init()].lastKey += Int64(count)
            return first
        }
    }

    var commitsSurely: Bool { true }

    /// Readers do not wait for `confirm`: they have the tables as they were until everything is settled.
    func save(_ changes: ChangeSet, confirm: () throws -> Bool) throws -> SaveOutcome {
        try saving.withLock {
            var writer = MemoryWriter(current, layouts)
            guard writer.allows(changes), try confirm() else { return writer.outcome }
            lock.withLock { writer.write(changes, to: &tables) }
            if let metadata = metadataValues.unsaved { metadataValues.didSave(metadata) }
            return writer.outcome
        }
    }
}
