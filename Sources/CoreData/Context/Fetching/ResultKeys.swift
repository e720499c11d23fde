// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The records that a fetch found, in order, in a compact form.

import Foundation

/// Eight bytes for a record; two more where records of several entities or stores are mixed.
///
/// # Invariants
/// (1) `kindOf` is empty, or has as many members as `keys`.
/// (2) For a record with a temporary key, `unsaved` has the object: it could not be found after a save gave it another
///     key.
struct ResultKeys {
    /// An entity and a store, which many records share.
    struct Kind {
        let entityIndex: Int
        /// nil for records that have no store yet.
        let home: StoreIdentity?
    }

    struct Record {
        let key: ObjectKey
        let home: StoreIdentity?
    }

    private(set) var kinds: [Kind] = []
    private var keys: [Int64] = []
    private var kindOf: [UInt16] = []
    private var unsaved: [Int64: NSManagedObject] = [:]

    var count: Int { keys.count }
    var isEmpty: Bool { keys.isEmpty }

    subscript(index: Int) -> Record {
        let kind = kinds[kindOf.isEmpty ? 0 : Int(kindOf[index])]
        return Record(key: ObjectKey(kind.entityIndex, keys[index]), home: kind.home)
    }

    /// The object of a record that was not saved when it was found.
    func unsavedObject(_ key: ObjectKey) -> NSManagedObject? { key.key < 0 ? unsaved[key.key] : nil }

    mutating func reserve(_ count: Int) { keys.reserveCapacity(count) }

    /// - Parameter registry: makes the object of an unsaved record.
    mutating func append(_ record: Record, in registry: ObjectRegistry) {
        let kind = number(of: record)
        if kind > 0, kindOf.isEmpty { kindOf = Array(repeating: 0, count: keys.count) }
        if kind > 0 || !kindOf.isEmpty { kindOf.append(UInt16(kind)) }
        keys.append(record.key.key)
        if record.key.key < 0 { unsaved[record.key.key] = registry.unique(record.key, record.home, row: nil) }
    }

    private mutating func number(of record: Record) -> Int {
        // The most recent kinds first: records of one kind are usually consecutive.
        if let known = kinds.lastIndex(where: { $0.entityIndex == record.key.entityIndex && $0.home === record.home }) {
            return known
        }
        kinds.append(Kind(entityIndex: record.key.entityIndex, home: record.home))
        return kinds.count - 1
    }

    /// The records in another order, or some of them.
    func picking(_ indexes: some Sequence<Int>, in registry: ObjectRegistry) -> ResultKeys {
        var result = ResultKeys()
        for index in indexes { result.append(self[index], in: registry) }
        return result
    }

    /// The records in the range of offset and limit; a limit of 0 means no limit.
    func windowed(_ window: (offset: Int, limit: Int), in registry: ObjectRegistry) -> ResultKeys {
        let start = min(window.offset, count)
        let end = window.limit > 0 ? min(start + window.limit, count) : count
        return start == 0 && end == count ? self : picking(start..<end, in: registry)
    }
}
