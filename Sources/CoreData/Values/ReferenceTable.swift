// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The keys for the references of a custom store, while the store is open.

import Synchronization

/// Ids have keys of 64 bits, but custom stores have references. This table maps between them.
///
/// # Invariants
/// (1) One key for each reference below a root entity, and one reference for each key, for the life of the table: ids
///     stay equal, and outlive the store. After renaming, a key has only its new reference.
/// (2) A number from 1 to 2^22 is its own key, so that records with such numbers are in their order. All others get
///     keys above it, in the order of their first use.
/// (3) The known entity of a key is the most specific one that an id, or a record that was read, has named.
///
/// Thread-safe. Costs some 100 bytes for each record that was ever used, unless (2) avoids them.
final class ReferenceTable: Sendable {
    fileprivate static let ownKeys: ClosedRange<Int64> = 1...(1 << 22)

    fileprivate struct Table {
        var keys: [ReferenceValue: Int64] = [:]
        var references: [ReferenceValue] = []
        /// Used if the root entity has subentities.
        var layouts: [Int64: EntityLayout] = [:]
    }

    /// By the index of the root entity.
    private let tables = Mutex<[Int: Table]>([:])

    /// The key of a reference; a new one for an unknown reference.
    func key(of reference: ReferenceValue, _ layout: EntityLayout) -> Int64 {
        let isAlone = layout.superIndex < 0 && !layout.hasSubentities
        if isAlone, case .integer(let number) = reference, Self.ownKeys.contains(number) { return number }
        return tables.withLock { tables in
            let key = tables[layout.rootIndex, default: Table()].key(of: reference)
            if !isAlone { tables[layout.rootIndex]?.note(layout, of: key) }
            return key
        }
    }

    /// Assigns a key another reference: that of a record that had none until it was saved.
    ///
    /// - Returns: `false` if another key has the reference; then nothing changes.
    func rename(_ key: Int64, to reference: ReferenceValue, root: Int) -> Bool {
        tables.withLock { $0[root, default: Table()].rename(key, to: reference) }
    }

    /// nil for an unknown key.
    func reference(of key: Int64, root: Int) -> ReferenceValue? {
        if Self.ownKeys.contains(key) { return .integer(key) }
        return tables.withLock { $0[root]?.reference(of: key) }
    }

    /// The entity of a record, as far as it is known.
    func layout(of key: Int64, _ layout: EntityLayout) -> EntityLayout {
        if layout.superIndex < 0, !layout.hasSubentities { return layout }
        return tables.withLock { $0[layout.rootIndex]?.layouts[key] } ?? layout
    }

    /// Records the entity of a record that was read.
    func learn(_ layout: EntityLayout, of key: Int64) {
        if layout.superIndex < 0, !layout.hasSubentities { return }
        tables.withLock { $0[layout.rootIndex, default: Table()].layouts[key] = layout }
    }
}

extension ReferenceTable.Table {
    fileprivate mutating func key(of reference: ReferenceValue) -> Int64 {
        if case .integer(let number) = reference, ReferenceTable.ownKeys.contains(number) { return number }
        if let key = keys[reference] { return key }
        references.append(reference)
        let key = ReferenceTable.ownKeys.upperBound + Int64(references.count)
        keys[reference] = key
        return key
    }

    fileprivate func reference(of key: Int64) -> ReferenceValue? {
        let position = key - ReferenceTable.ownKeys.upperBound - 1
        return references.indices.contains(Int(position)) ? references[Int(position)] : nil
    }

    fileprivate mutating func rename(_ key: Int64, to reference: ReferenceValue) -> Bool {
        let position = Int(key - ReferenceTable.ownKeys.upperBound - 1)
        guard references.indices.contains(position) else { return false }
        if let other = keys[reference] { return other == key }
        keys[references[position]] = nil
        keys[reference] = key
        references[position] = reference
        return true
    }

    fileprivate mutating func note(_ layout: EntityLayout, of key: Int64) {
        if let known = layouts[key], known.isKind(of: layout) { return }
        layouts[key] = layout
    }
}
