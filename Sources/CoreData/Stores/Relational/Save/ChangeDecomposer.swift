// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decomposes a change set into row operations.

/// Turns a change set into row operations, in no particular order. Called once per save by `SavePlanner`; no I/O.
package struct ChangeDecomposer {
    package let schema: Schema
    private let joinPositions: [ObjectIdentifier: Int]

    package init(schema: Schema) {
        self.schema = schema
        joinPositions = Dictionary(
            uniqueKeysWithValues: schema.joinTables.enumerated().map { (ObjectIdentifier($1), $0) })
    }

    package struct Parts: Equatable {
        package var checks: [RowOperation] = []
        package var unlinking: [RowOperation] = []
        package var deletes: [RowOperation] = []
        package var updates: [RowOperation] = []
        package var inserts: [RowOperation] = []
        package var linking: [RowOperation] = []
        package var ordering: [RowOperation] = []

        package var count: Int {
            checks.count + unlinking.count + deletes.count + updates.count + inserts.count + linking.count
                + ordering.count
        }
    }

    package func parts(of changes: ChangeSet) -> Parts {
        var parts = Parts()
        parts.checks = changes.checks.indices.map(RowOperation.check)
        // Rows of entities without links need no unlinking.
        if hasLinked(changes.deletes) { parts.unlinking = [.unlinkAll(changes.deletes.indices)] }
        if !changes.deletes.isEmpty { parts.deletes = [.delete(changes.deletes.indices)] }
        if !changes.updates.isEmpty { parts.updates = [.update(changes.updates.indices)] }
        if !changes.inserts.isEmpty { parts.inserts = [.insert(changes.inserts.indices)] }
        // Most saves change no links. Links to deleted rows are removed with the rows.
        guard
            changes.inserts.contains(where: { !$0.links.isEmpty })
                || changes.updates.contains(where: { !$0.links.isEmpty })
        else { return parts }
        var links = LinkCollector(leaving: Set(changes.deletes.map { ObjectKey($0.layout.rootIndex, $0.key) }))
        for insert in changes.inserts where !insert.links.isEmpty {
            collect(insert.links, insert.snapshot.layout, insert.key, &links)
        }
        for update in changes.updates where !update.links.isEmpty {
            collect(update.links, update.snapshot.layout, update.key, &links)
        }
        parts.unlinking += links.removed
        parts.linking = links.added
        parts.ordering = links.ordered
        return parts
    }

    private func hasLinked(_ deletes: [ChangeSet.Delete]) -> Bool {
        var known: EntityLayout?
        return deletes.contains { delete in
            if delete.layout === known { return false }
            known = delete.layout
            return isLinked(delete.layout)
        }
    }

    /// Whether rows of the entity can be part of join tables, or own members through one-way columns.
    private func isLinked(_ layout: EntityLayout) -> Bool {
        guard let mapping = schema.mapping(layout) else { return false }
        return layout.toManySlots.contains { slot in
            switch mapping.storage[slot] {
            case .toMany(.join): true
            case .toMany(.column): layout[slot].inverse < 0
            default: false
            }
        }
    }

    private struct LinkCollector {
        var removed: [RowOperation] = []
        var added: [RowOperation] = []
        var ordered: [RowOperation] = []
        private var knownRemovals: Set<JoinLink> = []
        private var knownAdditions: Set<JoinLink> = []
        private let leaving: Set<ObjectKey>

        init(leaving: Set<ObjectKey>) { self.leaving = leaving }

        func isLeaving(_ member: Reference, _ model: ModelLayout) -> Bool {
            !leaving.isEmpty && leaving.contains(ObjectKey(model.layouts[member.entityIndex].rootIndex, member.key))
        }

        mutating func remove(_ link: JoinLink) {
            if knownRemovals.insert(link).inserted { removed.append(.unlink(link)) }
        }

        mutating func add(_ link: JoinLink) {
            if knownAdditions.insert(link).inserted { added.append(.link(link)) }
        }
    }

    private func collect(
        _ links: [ChangeSet.Links], _ layout: EntityLayout, _ key: Int64, _ collector: inout LinkCollector
    ) {
        guard let mapping = schema.mapping(layout) else { return }
        for link in links {
            guard mapping.storage.indices.contains(link.slot), case .toMany(let storage) = mapping.storage[link.slot]
            else {
                continue
            }
            var isOrdered = false
            switch storage {
            case .join(let table, let isOwner):
                guard let position = joinPositions[ObjectIdentifier(table)] else { continue }
                for member in link.removed where !collector.isLeaving(member, schema.model) {
                    joinLinks(position, table, isOwner, key, member.key).forEach { collector.remove($0) }
                }
                for member in link.added {
                    joinLinks(position, table, isOwner, key, member.key).forEach { collector.add($0) }
                }
                isOrdered = table.order(of: isOwner) != nil
            case .column(_, let order, _):
                if layout[link.slot].inverse < 0 {
                    for member in link.removed where !collector.isLeaving(member, schema.model) {
                        collector.removed.append(
                            .disown(OneWayLink(layout: layout.index, slot: link.slot, owner: key, member: member.key)))
                    }
                    for member in link.added {
                        collector.added.append(
                            .own(OneWayLink(layout: layout.index, slot: link.slot, owner: key, member: member.key)))
                    }
                }
                isOrdered = order != nil
            }
            if isOrdered, let order = link.order {
                collector.ordered.append(
                    .order(OrderedMembers(layout: layout.index, slot: link.slot, owner: key, members: order.map(\.key)))
                )
            }
        }
    }

    /// A relationship that is its own inverse has a link in each direction, so that it reads the same from both ends.
    private func joinLinks(_ position: Int, _ table: JoinTable, _ isOwner: Bool, _ key: Int64, _ other: Int64)
        -> [JoinLink]
    {
        let link = JoinLink(table: position, owner: isOwner ? key : other, member: isOwner ? other : key)
        guard table.isReflexive, key != other else { return [link] }
        return [link, JoinLink(table: position, owner: link.member, member: link.owner)]
    }
}
