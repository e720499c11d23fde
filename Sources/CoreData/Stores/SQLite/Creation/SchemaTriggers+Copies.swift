// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The triggers of derived attributes that copy a value through a to-one relationship.

import CoreDataFoundation
import Foundation

extension SchemaTriggers {
    /// A derived attribute with an expression such as `owner.name`: a to-one relationship and an attribute of its
    /// destination.
    struct Copy {
        /// The entity that declares the attribute.
        let mapping: EntityMapping
        let attribute: String
        /// Quoted, like the following names.
        let column: String
        /// The column with the key of the destination.
        let key: String
        let target: EntityTable
        /// The copied column.
        let value: String
        let triggers: [String]
    }

    var copies: [Copy] {
        schema.entities.flatMap { mapping in
            let layout = mapping.layout
            let inherited = layout.superIndex >= 0 ? schema.model.layouts[layout.superIndex].slotCount : 0
            return (inherited..<layout.slotCount).compactMap { copy($0, mapping) }
        }
    }

    /// nil for any other expression, and for attributes with columns of different codings. A file of large data
    /// belongs to one row, so it is not copied.
    func copy(_ slot: Int, _ mapping: EntityMapping) -> Copy? {
        guard case .attribute(let column) = mapping.storage[slot],
            let derived = mapping.layout.properties[slot] as? NSDerivedAttributeDescription,
            case .keyPath(let path)? = derived.derivationExpression?.syntax
        else { return nil }
        let names = KeyPathTranslator.components(path)
        guard names.count == 2, let link = mapping.layout.slot(names[0]),
            case .toOne(let columns) = mapping.storage[link],
            let target = schema.mapping(Int(mapping.layout[link].destination)),
            let copied = target.layout.slot(names[1]), case .attribute(let value) = target.storage[copied],
            column.coding.isCopied(from: value.coding)
        else { return nil }
        return Copy(
            mapping: mapping, attribute: derived.name, column: SchemaNaming.quoted(column.name),
            key: SchemaNaming.quoted(columns.key), target: target.table, value: SchemaNaming.quoted(value.name),
            triggers: triggers(
                mapping, derived.name, SchemaNaming.quoted(column.name), SchemaNaming.quoted(columns.key),
                target.table, SchemaNaming.quoted(value.name)))
    }

    /// Apple's four triggers, in Apple's order. A deleted destination needs none: the references to its row are cleared
    /// first.
    private func triggers(
        _ mapping: EntityMapping, _ attribute: String, _ column: String, _ key: String, _ target: EntityTable,
        _ value: String
    ) -> [String] {
        let table = mapping.table.sql
        func trigger(_ place: EntityTable, _ kind: String, _ event: String, _ body: String) -> String {
            let name = SchemaNaming.quoted("Z_DA_\(place.name)_\(mapping.layout.name)_\(attribute)_\(kind)")
            return "CREATE TRIGGER \(name) AFTER \(event) ON \(place.sql) FOR EACH ROW BEGIN \(body) END"
        }
        func source(inserting: Bool) -> String {
            "UPDATE \(table) SET \(column) = (SELECT \(value) FROM \(target.sql) WHERE Z_PK = NEW.\(key)) "
                + "WHERE Z_PK = NEW.Z_PK; "
                + report(mapping, attribute, column, key: "NEW.Z_PK", inserting: inserting)
        }
        func parameter(inserting: Bool) -> String {
            "UPDATE \(table) SET \(column) = NEW.\(value) WHERE \(key) = NEW.Z_PK; "
                + report(mapping, attribute, column, key: "NEW.Z_PK", in: key, inserting: inserting)
        }
        return [
            trigger(mapping.table, "SOURCE_INSERT", "INSERT", source(inserting: true)),
            trigger(mapping.table, "SOURCE_UPDATE", "UPDATE OF \(key)", source(inserting: false)),
            trigger(target, "PARAMETER_INSERT", "INSERT", parameter(inserting: true)),
            trigger(target, "PARAMETER_UPDATE", "UPDATE OF \(value)", parameter(inserting: false)),
        ]
    }
}

extension ColumnCoding {
    /// Whether a value of another column can be copied without conversion.
    fileprivate func isCopied(from other: ColumnCoding) -> Bool {
        switch (self, other) {
        case (.integer, .integer), (.boolean, .boolean), (.float, .float), (.double, .double), (.date, .date),
            (.decimal, .decimal), (.string, .string), (.uri, .uri), (.uuid, .uuid), (.binary, .binary):
            true
        default: false
        }
    }
}
