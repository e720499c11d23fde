// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The changes of one transaction, as they go into a history.

import Foundation

/// Collects the changes of one transaction.
///
/// # Use
/// A store that keeps a history makes one for each transaction, reports every record that the transaction inserts,
/// updates or deletes, and adds the changes to its history before it commits. Records may be reported in any order and
/// more than once: `settled` reduces them to one change per record (History-4).
package struct RecordedChanges {
    package struct Update {
        package var layout: EntityLayout
        package var key: Int64
        package var slots: SlotSet
    }

    package struct Record {
        package var layout: EntityLayout
        package var key: Int64
    }

    package var author: String?
    package var contextName: String?
    package var inserts: [Record] = []
    package var updates: [Update] = []
    package var deletes: [Record] = []
    /// Whether no record was reported twice, as in a save.
    var isSettled = false

    init(author: String?, contextName: String?) {
        self.author = author
        self.contextName = contextName
    }

    package var isEmpty: Bool { inserts.isEmpty && updates.isEmpty && deletes.isEmpty }

    mutating func insert(_ layout: EntityLayout, _ key: Int64) { inserts.append(Record(layout: layout, key: key)) }

    /// - Parameter slots: the properties that changed; an empty set records no change.
    mutating func update(_ layout: EntityLayout, _ key: Int64, _ slots: SlotSet) {
        if !slots.isEmpty { updates.append(Update(layout: layout, key: key, slots: slots)) }
    }

    mutating func delete(_ layout: EntityLayout, _ key: Int64) { deletes.append(Record(layout: layout, key: key)) }

    /// One change per record: an insertion and an update are an insertion, a deletion replaces an update, and an
    /// insertion and a deletion cancel each other.
    package func settled() -> RecordedChanges {
        if isSettled || [inserts.isEmpty, updates.isEmpty, deletes.isEmpty].filter({ !$0 }).count == 0 { return self }
        var result = RecordedChanges(author: author, contextName: contextName)
        result.isSettled = true
        func name(_ layout: EntityLayout, _ key: Int64) -> ObjectKey { ObjectKey(layout.rootIndex, key) }
        let inserted = Set(inserts.map { name($0.layout, $0.key) })
        let deleted = Set(deletes.map { name($0.layout, $0.key) })
        var known: Set<ObjectKey> = []
        result.inserts = inserts.filter {
            let name = name($0.layout, $0.key)
            return !deleted.contains(name) && known.insert(name).inserted
        }
        var places: [ObjectKey: Int] = [:]
        for update in updates {
            let name = name(update.layout, update.key)
            if inserted.contains(name) || deleted.contains(name) { continue }
            if let place = places[name] {
                result.updates[place].slots.formUnion(update.slots)
            } else {
                places[name] = result.updates.count
                result.updates.append(update)
            }
        }
        known = []
        result.deletes = deletes.filter {
            let name = name($0.layout, $0.key)
            return !inserted.contains(name) && known.insert(name).inserted
        }
        return result
    }
}

extension RecordedChanges {
    /// The changes of a save.
    ///
    /// - Parameter keys: the permanent keys of insertions.
    package init(_ changes: ChangeSet, _ keys: AssignedKeys) {
        self.init(author: changes.author, contextName: changes.contextName)
        isSettled = true
        inserts.reserveCapacity(changes.inserts.count)
        for position in changes.inserts.indices {
            let key = changes.inserts[position].key
            insert(changes.inserts[position].snapshot.layout, key < 0 ? keys[key] ?? 0 : key)
        }
        updates.reserveCapacity(changes.updates.count)
        for position in changes.updates.indices {
            var slots = changes.updates[position].changed
            for link in changes.updates[position].links { slots.insert(link.slot) }
            update(changes.updates[position].snapshot.layout, changes.updates[position].key, slots)
        }
        for delete in changes.deletes { self.delete(delete.layout, delete.key) }
    }
}
