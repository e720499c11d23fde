// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Computes the derived attributes of the rows in memory that a save may affect.

import Foundation

/// # Order
/// 1. Before the save: find the rows that depend on changed or deleted rows.
/// 2. After the save: find the rows that depend on inserted or changed rows.
/// 3. Compute both sets from the current rows, attribute by attribute.
///
/// A row depends on another one when its derivation reaches it through relationships; the search follows them
/// backwards. A save therefore costs in proportion to its changes, plus one pass over a table for each relationship
/// that only its other end stores.
struct DerivedRows {
    private let rules: [DerivedRule]
    private let model: ModelLayout

    /// The dependent rows of each rule.
    typealias Dependents = [Set<Int64>]

    typealias Change = DerivedRule.Change

    /// nil for a model without derived attributes.
    ///
    /// - Throws: 134080 for an attribute that cannot be computed, and for a derived attribute in a uniqueness
    ///   rule, because the rule must be checked before the save writes.
    init?(_ model: ModelLayout, _ entities: [NSEntityDescription], _ url: URL?) throws {
        self.model = model
        do {
            rules = try DerivedRule.all(model, entities)
        } catch let unfit as DerivedRule.UnsupportedDerivation {
            throw CoreDataError.cannotOpenStore(url: url, reason: unfit.reason)
        }
        if rules.isEmpty { return nil }
        for rule in rules {
            let property = rule.layout.properties[rule.slot]
            for layout in rule.layout.familyIndexes.map({ model.layouts[$0] })
            where layout.uniquenessRules(model).contains(where: { $0.names.contains(property.name) }) {
                throw CoreDataError.cannotOpenStore(
                    url: url,
                    reason: "\(property.qualifiedName) is derived and has to be unique: only SQLite stores can do both."
                )
            }
        }
    }

    // MARK: 1, 2

    /// - Parameter reader: reads the current tables. Release it before they change.
    func dependents(on changes: [Change], in reader: MemoryReader) -> Dependents {
        rules.map { rule in
            var keys = Set(rule.ownKeys(changes))
            if rule.paths.isEmpty { return keys }
            let concerned = changes.filter(rule.isConcerned)
            if concerned.isEmpty { return keys }
            for branch in rule.paths.branches { keys.formUnion(owners(branch, concerned, reader)) }
            return keys
        }
    }

    /// The rows from which a branch reaches a change.
    private func owners(_ branch: RelationshipPaths.Branch, _ changes: [Change], _ reader: MemoryReader) -> Set<Int64> {
        let start = model.layouts[branch.step.layoutIndex]
        let destination = model.layouts[Int(start[branch.step.slot].destination)]
        var keys = Set(changes.filter { $0.layout.isKind(of: destination) }.map(\.key))
        for next in branch.rest.branches { keys.formUnion(owners(next, changes, reader)) }
        return keys.isEmpty ? [] : reader.owners(of: branch.step.slot, layout: start, leadingTo: keys)
    }

    // MARK: 3

    /// Computes and sets the values of rows.
    ///
    /// - Returns: the changed rows.
    func update(_ dependents: [Dependents], in tables: inout MemoryTables) -> Set<ObjectKey> {
        let now = Date()
        var changed: Set<ObjectKey> = []
        for (position, rule) in rules.enumerated() {
            let keys = dependents.reduce(into: Set<Int64>()) { $0.formUnion($1[position]) }
            if keys.isEmpty { continue }
            let root = rule.layout.rootIndex
            for row in rows(keys.sorted(), rule, now, tables) {
                tables.tables[root]?.set(row.key, row.snapshot)
                changed.insert(ObjectKey(root, row.key))
            }
        }
        return changed
    }

    /// The rows with a changed value. The reader is released before the tables change.
    private func rows(_ keys: [Int64], _ rule: DerivedRule, _ now: Date, _ tables: MemoryTables) -> [FetchedRow] {
        let reader = MemoryReader(tables, model)
        let source = RelatedRows(
            model, rows: { reader.rows($0, root: $1) }, members: { reader.members(of: $0, layout: $1, owners: $2) })
        let rows = reader.rows(keys, root: model.layouts[rule.layout.rootIndex])
        return (try? rule.changed(rows, source, now: now)) ?? []  // reading from memory does not fail
    }
}

extension Snapshot {
    /// Copies the derived values of the previous row: only the store may set them.
    func takeDerivedValues(of old: Snapshot?) {
        for slot in layout.attributeSlots where layout[slot].isDerived {
            guard let value = old?.value(slot) else {
                setNull(slot)
                continue
            }
            setValue(value, slot)
        }
    }
}
