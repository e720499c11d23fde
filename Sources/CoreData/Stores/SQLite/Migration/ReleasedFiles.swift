// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the columns whose large data lie in files that no row refers to after a migration.

import Foundation

struct ReleasedFiles {
    let transition: SchemaTransition

    /// Each query selects columns with a file's name, as `ExternalColumn` reads them.
    var queries: [String] {
        var columns: [String: [String: Set<Int64>]] = [:]
        for mapping in transition.source.entities where !mapping.layout.isAbstract {
            for column in ended(mapping) {
                columns[mapping.table.name, default: [:]][column, default: []].insert(mapping.number)
            }
        }
        return columns.sorted { $0.key < $1.key }.flatMap { table, columns in
            columns.sorted { $0.key < $1.key }.map { column, numbers in
                let quoted = SchemaNaming.quoted(column)
                return
                    "SELECT \(quoted) FROM \(SchemaNaming.quoted(table)) WHERE Z_ENT IN \(RowExpression.list(numbers)) "
                    + "AND LENGTH(\(quoted)) = 38 AND SUBSTR(\(quoted), 1, 1) = X'02'"
            }
        }
    }

    /// The columns with files to which the rows of an entity no longer refer.
    private func ended(_ mapping: EntityMapping) -> [String] {
        let all = mapping.storage.flatMap(\.externalColumns)
        guard let entity = transition.entity(old: mapping.number) else { return all }
        var kept: Set<String> = []
        for slot in 0..<entity.destination.layout.slotCount {
            guard let old = entity.sourceSlot(slot) else { continue }
            let isExternal = !entity.destination.storage[slot].externalColumns.isEmpty
            if isExternal { kept.formUnion(entity.source.storage[old].externalColumns) }
        }
        return all.filter { !kept.contains($0) }
    }
}
