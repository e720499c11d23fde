// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The indexes of values that a model asks for. StructuredValues-6.

import Foundation

extension ValueTable {
    /// One index for each table of which an attribute has indexed paths.
    static func wanted(by schema: Schema) -> [ValueTable] {
        guard schema.model.hasPathsInside else { return [] }
        return schema.tables.compactMap { table in
            var (columns, paths): (Set<String>, Set<String>) = ([], [])
            for mapping in schema.entities where mapping.table === table {
                for value in indexed(mapping, schema) {
                    columns.insert(value.column.name)
                    paths.formUnion(value.paths.map(\.name))
                }
            }
            if paths.isEmpty { return nil }
            return ValueTable(content: table.name, columns: Array(columns), paths: Array(paths))
        }
    }

    /// An attribute of an entity with indexed paths.
    struct Indexed {
        let column: AttributeColumn
        let paths: [(name: String, path: InsidePath)]
    }

    static func indexed(_ mapping: EntityMapping, _ schema: Schema) -> [Indexed] {
        mapping.layout.attributeSlots.compactMap { slot in
            guard let attribute = mapping.layout.attribute(slot), attribute.userInfo != nil,
                case .attribute(let column) = mapping.storage[slot]
            else { return nil }
            let entity = declaring(slot, mapping.layout, schema.model).name
            let paths = attribute.indexedPaths.map { (name: name(of: $0, entity), path: $0) }
            return paths.isEmpty ? nil : Indexed(column: column, paths: paths)
        }
    }

    /// The name of a path in an index, for an entity that has its attribute; nil for an unknown attribute.
    static func name(of path: InsidePath, in layout: EntityLayout, _ model: ModelLayout) -> String? {
        layout.slot(path.attribute).map { name(of: path, declaring($0, layout, model).name) }
    }

    private static func name(of path: InsidePath, _ entity: String) -> String { entity + "/" + path.key }

    /// Two subentities may declare attributes with one name.
    private static func declaring(_ slot: Int, _ layout: EntityLayout, _ model: ModelLayout) -> EntityLayout {
        var layout = layout
        while layout.superIndex >= 0, slot < model.layouts[layout.superIndex].slotCount {
            layout = model.layouts[layout.superIndex]
        }
        return layout
    }

    /// - Throws: the first path of an entity that no index can have.
    static func checkPaths(of layout: EntityLayout, _ schema: Schema) throws(WrongIndexedPath) {
        for slot in 0..<layout.slotCount {
            guard let attribute = layout.properties[slot] as? NSAttributeDescription else { continue }
            try attribute.checkIndexedPaths(of: declaring(slot, layout, schema.model).name)
        }
    }
}
