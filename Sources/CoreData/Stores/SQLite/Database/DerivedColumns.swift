// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Computes derived attributes that no trigger maintains, within the transaction of each save.

import CoreDataFoundation
import Foundation
import SQLiteDriver

/// The derived columns that the store computes: values through to-one relationships, sums over members, folded strings.
///
/// Apple uses triggers for these, too, but their text is unknown. Triggers of our own would call functions that Apple's
/// framework lacks, so it could no longer write to the file.
struct DerivedColumns {
    struct Column {
        var mapping: EntityMapping
        var attribute: String
        var name: String
        /// The column's value for the row with the alias `t0`, as a subquery.
        var value: SQLText
        /// The root entities of other rows that the value depends on.
        var sources: Set<Int>
        /// The numbers of the entities with this column.
        var family: [Int64]
        var entities: String { family.map(String.init).joined(separator: ", ") }
    }

    let columns: [Column]
    var isEmpty: Bool { columns.isEmpty }

    /// - Parameter triggers: the names of an existing store's triggers; nil for a new store. Columns with triggers are
    ///   left to them, and columns that cannot be computed stay unchanged.
    /// - Throws: a Cocoa error for a new store, naming an attribute that SQL cannot compute.
    init(schema: Schema, triggers: [String]?) throws {
        var columns: [Column] = []
        for mapping in schema.entities {
            let layout = mapping.layout
            let inherited = layout.superIndex >= 0 ? schema.model.layouts[layout.superIndex].slotCount : 0
            for slot in inherited..<layout.slotCount {
                guard case .attribute(let attribute) = mapping.storage[slot],
                    case .computed? = Derivation(layout, slot: slot, model: schema.model),
                    let expression = (layout.properties[slot] as? NSDerivedAttributeDescription)?.derivationExpression
                else { continue }
                let infix = "_\(layout.name)_\(layout.properties[slot].name)_"
                if triggers?.contains(where: { $0.hasPrefix("Z_DA_") && $0.contains(infix) }) == true { continue }
                let level = QueryLevel(schema: schema, numbers: AliasNumbers())
                let place = level.place(layout)
                do {
                    let translator = ExpressionTranslator(schema: schema, place: place, isDerivation: true)
                    let operand = try translator.operand(expression.syntax)
                    let head: SQLText = "(SELECT \(operand.sql) "
                    let tail = "FROM \(mapping.table.sql) AS \(place.alias)\(level.joinText) WHERE "
                    columns.append(
                        Column(
                            mapping: mapping, attribute: layout.properties[slot].name,
                            name: SchemaNaming.quoted(attribute.name),
                            value: head + SQLText(raw: tail + "\(place.alias).Z_PK = \(mapping.table.sql).Z_PK)"),
                            sources: Self.sources(expression.syntax, layout, schema),
                            family: schema.familyNumbers(of: layout)))
                } catch let failure as NotTranslatable {
                    if triggers != nil { continue }
                    throw CoreDataError.storeOperation(
                        "The store cannot compute \(layout.name).\(layout.properties[slot].name): \(failure.reason).")
                }
            }
        }
        self.columns = columns
    }

    /// The root entities on the key paths of an expression.
    private static func sources(_ expression: ExpressionSyntax, _ layout: EntityLayout, _ schema: Schema) -> Set<Int> {
        switch expression {
        case .keyPath(let path):
            var current = layout
            var result: Set<Int> = []
            for name in KeyPathTranslator.components(path) where !name.hasPrefix("@") {
                guard let slot = current.slot(name), current[slot].destination >= 0 else { break }
                current = schema.model.layouts[Int(current[slot].destination)]
                result.insert(current.rootIndex)
            }
            return result
        case .function(_, let arguments):
            return arguments.reduce(into: []) { $0.formUnion(sources($1, layout, schema)) }
        default: return []
        }
    }

    /// Updates the columns after all rows are written, within the transaction.
    func update(
        _ changes: ChangeSet, _ permanentKeys: AssignedKeys, on connection: Connection, recorder: DerivedRecorder
    )
        throws
    {
        if columns.isEmpty { return }
        var written: [Int: [Int64]] = [:]
        var touched: Set<Int> = []
        for insert in changes.inserts {
            let key = insert.key < 0 ? permanentKeys[insert.key] ?? 0 : insert.key
            written[insert.snapshot.layout.rootIndex, default: []].append(key)
        }
        for update in changes.updates { written[update.snapshot.layout.rootIndex, default: []].append(update.key) }
        for delete in changes.deletes { touched.insert(delete.layout.rootIndex) }
        touched.formUnion(written.keys)
        for column in columns {
            let root = column.mapping.layout.rootIndex
            if !column.sources.isDisjoint(with: touched) {
                // The value depends on other rows, so every row is compared.
                try update(column, nil, on: connection, recorder)
            } else if let keys = written[root] {
                try update(column, keys, on: connection, recorder)
            }
        }
    }

    /// Updates the columns that depend on rows of some root entities, whichever of them changed.
    func update(touching roots: Set<Int>, on connection: Connection, recorder: DerivedRecorder) throws {
        for column in columns
        where roots.contains(column.mapping.layout.rootIndex) || !column.sources.isDisjoint(with: roots) {
            try update(column, nil, on: connection, recorder)
        }
    }

    private func update(_ column: Column, _ keys: [Int64]?, on connection: Connection, _ recorder: DerivedRecorder)
        throws
    {
        let table = column.mapping.table.sql
        var condition: SQLText = "\(raw: column.name) IS NOT \(column.value) AND Z_ENT IN (\(raw: column.entities))"
        if let keys {
            let list = KeyList(keys)
            condition += " AND Z_PK \(raw: list.condition)" + SQLText("", list.values)
        }
        let update: SQLText =
            "UPDATE \(raw: table) SET \(raw: column.name) = \(column.value) WHERE \(condition) RETURNING Z_ENT, Z_PK"
        for row in try connection.rows(update.text, update.values.map(\.sqlite)) {
            guard let entity = row[0].integerValue, let key = row[1].integerValue else { continue }
            recorder.record(entity: entity, key: key)
        }
    }
}
