// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides which changes of a save may change a derived value.

extension DerivedRule {
    /// A row that a save writes or deletes, with its permanent key.
    package struct Change {
        package let layout: EntityLayout
        package let key: Int64
        /// The changed slots; nil if any may have changed.
        let slots: SlotSet?
    }

    /// The changed rows of a save.
    ///
    /// - Parameter keys: permanent keys of insertions.
    package static func changes(_ changes: ChangeSet, _ keys: AssignedKeys) -> [Change] {
        changes.inserts.map { insert in
            Change(layout: insert.snapshot.layout, key: keys[insert.key] ?? insert.key, slots: nil)
        }
            + changes.updates.map { update in
                Change(
                    layout: update.snapshot.layout, key: update.key,
                    slots: update.links.isEmpty ? update.changed : nil)
            } + changes.deletes.map { Change(layout: $0.layout, key: $0.key, slots: nil) }
    }

    /// Whether a change may affect the value in the changed row, or in a row that reaches it through relationships.
    package func isConcerned(by change: Change) -> Bool {
        change.slots.map { concerns($0, of: change.layout) } ?? true
    }

    /// The keys of changed rows that have the attribute and may get another value.
    package func ownKeys(_ changes: [Change]) -> [Int64] {
        changes.filter { $0.layout.isKind(of: layout) && (isTime || isConcerned(by: $0)) }.map(\.key)
    }
}
