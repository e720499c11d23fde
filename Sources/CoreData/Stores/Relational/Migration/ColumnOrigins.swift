// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Computes the origin of each column of the destination, for the rows of each entity.

import Foundation

/// A column of a destination table.
struct ColumnPlan {
    let name: String
    let type: String
    /// By the old number of the row's entity; entities without the property have no entry.
    var origins: [Int64: RowOrigin] = [:]
}

/// The columns of all tables, except those that moved links fill later.
struct ColumnOrigins {
    private let transition: SchemaTransition
    /// By table and column.
    private var plans: [ObjectIdentifier: [String: ColumnPlan]] = [:]
    /// The order columns that a script fills at its end, by the column with the owner's key.
    private(set) var countedOrders: [(table: EntityTable, key: String, order: String)] = []
    /// The key columns that moved links fill, by table.
    private var movedKeys: [ObjectIdentifier: Set<String>] = [:]

    init(_ transition: SchemaTransition, moved: [LinkTransition]) throws {
        self.transition = transition
        for table in transition.destination.tables {
            plans[ObjectIdentifier(table)] = Dictionary(
                uniqueKeysWithValues: table.columns.map { ($0.name, ColumnPlan(name: $0.name, type: $0.type)) })
        }
        for link in moved {
            for (table, key) in link.keyColumns { movedKeys[ObjectIdentifier(table), default: []].insert(key) }
        }
        for entity in transition.entities where !entity.destination.layout.isAbstract {
            for slot in 0..<entity.destination.layout.slotCount { try add(entity, slot) }
        }
        for entity in transition.destination.entities { addMemberColumns(of: entity) }
    }

    /// In the order of the table.
    func columns(of table: EntityTable) -> [ColumnPlan] {
        table.columns.compactMap { plans[ObjectIdentifier(table)]?[$0.name] }
    }

    private mutating func set(_ column: String, of table: EntityTable, _ entity: EntityTransition, _ origin: RowOrigin)
    {
        plans[ObjectIdentifier(table)]?[column]?.origins[entity.oldNumber] = origin
    }

    private mutating func add(_ entity: EntityTransition, _ slot: Int) throws {
        let mapping = entity.destination
        switch mapping.storage[slot] {
        case .attribute(let column):
            set(column.name, of: mapping.table, entity, try AttributeOrigin(entity, slot).origin(of: column, path: []))
        case .composite(let leaves):
            for leaf in leaves {
                set(
                    leaf.column.name, of: mapping.table, entity,
                    try AttributeOrigin(entity, slot).origin(of: leaf.column, path: leaf.path))
            }
        case .toOne(let columns): addToOne(entity, slot, columns)
        case .none, .toMany: break
        }
    }

    private func isMoved(_ key: String, _ table: EntityTable) -> Bool {
        movedKeys[ObjectIdentifier(table)]?.contains(key) ?? false
    }

    private mutating func addToOne(_ entity: EntityTransition, _ slot: Int, _ columns: ToOneColumns) {
        let table = entity.destination.table
        guard !isMoved(columns.key, table), let link = LinkTransition.source(of: entity, slot, in: transition),
            let key = link.keyInA
        else {
            set(columns.key, of: table, entity, .null)
            if let column = columns.entity { set(column, of: table, entity, .null) }
            return
        }
        let targets = Set(transition.targets(entity.destination.layout, slot).map(\.number))
        let origin = KeyOrigin(transition, key: key, sources: link.targetsOfA, targets: targets)
        set(columns.key, of: table, entity, origin.key)
        if let column = columns.entity { set(column, of: table, entity, origin.entity) }
    }

    /// Columns that a to-many relationship has in the table of its members: order keys, and keys without an inverse.
    private mutating func addMemberColumns(of owner: EntityMapping) {
        let layout = owner.layout
        let inherited = layout.superIndex >= 0 ? transition.destination.mapping(layout.superIndex) : nil
        for slot in (inherited?.layout.slotCount ?? 0)..<layout.slotCount {
            guard case .toMany(.column(let key, let order, let table)) = owner.storage[slot],
                let link = LinkTransition(owner, slot, in: transition)
            else { continue }
            let isMoved = isMoved(key, table)
            for member in transition.targets(layout, slot) {
                guard let entity = transition.entity(new: member.number) else { continue }
                let source = isMoved ? nil : link.sources.first { $0.tableB == entity.source.table.name }
                if link.inverse == nil { set(key, of: table, entity, keyOrigin(source)) }
                guard let order else { continue }
                set(order, of: table, entity, orderOrigin(source))
                if let source, source.orderOfB == nil, transition.dialect.nextOrder(key) == nil {
                    countedOrders.append((table, key, order))
                }
            }
        }
    }

    private func keyOrigin(_ source: SourceLink?) -> RowOrigin {
        source?.keyInB.map { RowOrigin(.column($0.key)) } ?? .null
    }

    /// Kept if there was an order; otherwise members are ordered by their keys.
    private func orderOrigin(_ source: SourceLink?) -> RowOrigin {
        guard let source else { return .null }
        if let order = source.orderOfB { return RowOrigin(.column(order)) }
        guard let key = source.keyInB else { return .null }
        guard let next = transition.dialect.nextOrder(key.key) else { return .null }
        return RowOrigin(next, where: RowExpression(.column(key.key), .sql(" IS NOT NULL")))
    }
}

/// A change that statements cannot express.
package struct ScriptFailure: Error {
    package let entity: String?
    package let property: String?
    package let reason: String

    package init(entity: String?, property: String?, reason: String) {
        (self.entity, self.property, self.reason) = (entity, property, reason)
    }
}
