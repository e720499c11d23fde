// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads related rows for evaluation in memory, for many rows at once.

import Foundation

/// The rows that a fetch reads through relationships. Used for one fetch, on one thread.
package final class RelatedRows: RowGraph {
    private struct Members: Hashable {
        let layoutIndex: Int
        let slot: Int
    }

    package let layouts: ModelLayout
    private let readRows: ([Int64], EntityLayout) throws -> [FetchedRow]
    private let readMembers: (Int, EntityLayout, [Int64]) throws -> [Int64: [Reference]]
    private let makeResult: ((ObjectKey) -> AnyHashable)?
    /// By root entity and key; nil for a row that was not found.
    private var rows: [Int: [Int64: FetchedRow?]] = [:]
    private var members: [Members: [Int64: [Reference]]] = [:]

    /// - Parameters:
    ///   - rows: reads rows by key below a root entity.
    ///   - members: reads the members of a to-many relationship for several owners.
    ///   - result: the representation of an object in dictionaries; nil for its key.
    package init(
        _ layouts: ModelLayout, rows: @escaping ([Int64], EntityLayout) throws -> [FetchedRow],
        members: @escaping (Int, EntityLayout, [Int64]) throws -> [Int64: [Reference]],
        result: ((ObjectKey) -> AnyHashable)? = nil
    ) {
        self.layouts = layouts
        readRows = rows
        readMembers = members
        makeResult = result
    }

    package func storedRow(_ reference: Reference) throws -> FetchedRow? {
        let root = root(of: reference)
        if let known = rows[root.index]?[reference.key] { return known }
        return try readRows([reference.key], root).first
    }

    package func storedMembers(of slot: Int, layout: EntityLayout, key: Int64) throws -> [Reference] {
        if let known = members[Members(layoutIndex: layout.index, slot: slot)]?[key] { return known }
        return try readMembers(slot, layout, [key])[key] ?? []
    }

    package func result(for key: ObjectKey) -> AnyHashable { makeResult?(key) ?? AnyHashable(key) }

    /// Reads all rows on the paths: one statement for each step, and one more for the keys of a to-many's members.
    package func read(_ paths: RelationshipPaths, of owners: [FetchedRow]) throws {
        if owners.isEmpty { return }
        for branch in paths.branches {
            let references = try references(branch.step, owners)
            try read(branch.rest, of: try destinations(references))
        }
    }

    /// Forgets the rows, which are not needed after their owners have been evaluated.
    package func forget() {
        rows = [:]
        members = [:]
    }

    private func references(_ step: PathStep, _ owners: [FetchedRow]) throws -> [Reference] {
        guard layouts.layouts[step.layoutIndex][step.slot].kind == .toMany else {
            return owners.compactMap {
                $0.snapshot.layout.slotCount > step.slot ? $0.snapshot.reference(step.slot) : nil
            }
        }
        var result: [Reference] = []
        for (layoutIndex, group) in Dictionary(grouping: owners, by: { $0.snapshot.layout.index }) {
            let place = Members(layoutIndex: layoutIndex, slot: step.slot)
            let unknown = group.map(\.key).filter { members[place]?[$0] == nil }
            let found = try unknown.isEmpty ? [:] : readMembers(step.slot, layouts.layouts[layoutIndex], unknown)
            for key in unknown { members[place, default: [:]][key] = found[key] ?? [] }
            for owner in group { result += members[place]?[owner.key] ?? [] }
        }
        return result
    }

    /// - Returns: each row once.
    private func destinations(_ references: [Reference]) throws -> [FetchedRow] {
        var result: [FetchedRow] = []
        for (rootIndex, group) in Dictionary(grouping: references, by: { root(of: $0).index }) {
            let keys = Set(group.map(\.key))
            let unknown = keys.filter { rows[rootIndex]?[$0] == nil }
            var table = rows.removeValue(forKey: rootIndex) ?? [:]
            for key in unknown { table.updateValue(nil, forKey: key) }
            for row in try unknown.isEmpty ? [] : readRows(unknown.sorted(), layouts.layouts[rootIndex]) {
                table.updateValue(row, forKey: row.key)
            }
            for key in keys { if let row = table[key] ?? nil { result.append(row) } }
            rows[rootIndex] = table
        }
        return result
    }

    private func root(of reference: Reference) -> EntityLayout {
        layouts.layouts[layouts.layouts[reference.entityIndex].rootIndex]
    }
}
