// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares a root entity and its subentities with the one table that contains all their rows.

import CoreData

extension TableComparison {
    func root(of layout: EntityLayout) -> EntityLayout { schema.model.layouts[layout.rootIndex] }

    /// The column that identifies the entity of a row; nil if there is no such column, or after a problem.
    mutating func kind(_ root: EntityMapping, _ wish: TableMapping.Entity, _ table: ServerCatalog.Table)
        -> MappedTable.Kind?
    {
        let name = root.layout.name
        guard let wanted = wish.kind else {
            if root.layout.hasSubentities {
                problems.append("\(name) has subentities: name the column with the kind of a row (postgresql.kind)")
            }
            return nil
        }
        guard let column = found(wanted, name, table) else { return nil }
        let members = root.layout.familyIndexes.map { schema.model.layouts[$0] }.filter { !$0.isAbstract }
        let values = members.map { MappedTable.Kind.Value(entity: $0.name, text: mapping.value(of: $0.name)) }
        for (text, group) in Dictionary(grouping: values, by: \.text).sorted(by: { $0.key < $1.key })
        where group.count > 1 {
            problems.append(
                "\(group.map(\.entity).sorted().joined(separator: " and ")) have the same postgresql.value '\(text)'")
        }
        for value in values where !fits(value.text, column) {
            problems.append(
                "\(value.entity): the value '\(value.text)' does not fit the column \(table.name).\(column.name) of "
                    + "type \(column.type) (postgresql.value)")
        }
        return MappedTable.Kind(column: column.name, type: column.type, values: values)
    }

    private func fits(_ value: String, _ column: ServerCatalog.Column) -> Bool {
        if column.isArray || column.isGenerated { return false }
        if column.kind == "e" { return catalog.labels[column.plainType]?.contains(value) ?? false }
        switch column.base {
        case "int2": return Int16(value) != nil
        case "int4": return Int32(value) != nil
        case "int8": return Int64(value) != nil
        case "text", "varchar", "bpchar": return value.unicodeScalars.count <= column.length ?? .max
        default: return false
        }
    }

    /// Two properties of one entity must not share a column. Those of two subentities may, because no row belongs to
    /// both.
    mutating func checkSharing(
        _ entity: EntityMapping, _ all: [MappedTable.Column], _ others: [MappedTable.Column], _ kind: MappedTable.Kind?
    ) {
        let names = Set(RowPlan(schema: schema, layouts: [entity.layout]).columns)
        let columns = all.filter { column in
            names.contains(PostgreSQLDialect.quoted(column.name)) || others.contains { $0.name == column.name }
        }
        for (place, group) in Dictionary(grouping: columns, by: \.place).sorted(by: { $0.key < $1.key }) {
            let properties = group.map(\.property) + (kind?.column == place ? ["the kind"] : [])
            if properties.count < 2 { continue }
            problems.append(
                "\(entity.layout.name): \(properties.sorted().joined(separator: " and ")) cannot share the column \(place)"
            )
        }
    }
}
