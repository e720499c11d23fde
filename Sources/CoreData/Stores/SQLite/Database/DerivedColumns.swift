// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Computes derived attributes that no trigger maintains, within the transaction of each save.

import CoreDataFoundation
import Foundation
import SQLiteDriver

/// The derived columns that the store computes: values at the end of longer paths, sums over members, folded strings.
///
/// Apple uses triggers for these, too, but their text is unknown. Triggers of another form would call functions that
/// Apple's framework lacks, so it could no longer write to the file.
struct DerivedColumns {
    struct Column {
        var mapping: EntityMapping
        var attribute: String
        var name: String
        /// The column's value for the row with the alias `t0`, as a subquery.
        var value: SQLText
        /// The root entities of other rows on which the value depends.
        var sources: Set<Int>
        /// The numbers of the entities with this column.
        var family: [Int64]
        var entities: String { family.map(String.init).joined(separator: ", ") }
    }

    let columns: [Column]
    /// Columns with triggers that no deletion fires: a row may keep the key of a deleted destination.
    private let copies: [SchemaTriggers.Copy]

    /// - Parameters:
    ///   - triggers: the names of the store's triggers, which maintain their columns; empty to compute all columns.
    ///   - isStrict: whether columns that cannot be computed are refused. Otherwise they are left unchanged.
    /// - Throws: if `isStrict`, a Cocoa error that names an attribute that SQL cannot compute.
    init(schema: Schema, triggers: [String], isStrict: Bool) throws {
        var columns: [Column] = []
        for mapping in schema.entities {
            let layout = mapping.layout
            let inherited = layout.superIndex >= 0 ? schema.model.layouts[layout.superIndex].slotCount : 0
            for slot in inherited..<layout.slotCount {
                guard case .attribute(let attribute) = mapping.storage[slot],
                    case .computed? = Derivation(layout, slot: slot, model: schema.model),
                    let expression = (layout.properties[slot] as? NSDerivedAttributeDescription)?.derivationExpression
                else { continue }
                if Self.hasTrigger(layout.properties[slot].name, mapping, triggers) { continue }
                let level = QueryLevel(schema: schema, numbers: AliasNumbers())
                let place = level.place(layout)
                do {
                    let translator = ExpressionTranslator(schema: schema, place: place, isDerivation: true)
                    let operand = try translator.operand(expression.syntax)
                    var isCut = false
                    if case .integer = attribute.coding { isCut = operand.values.isNumber && operand.values != .whole }
                    let head: SQLText =
                        isCut ? "(SELECT CAST(\(operand.sql) AS INTEGER) " : "(SELECT \(operand.asReal) "
                    let tail = "FROM \(mapping.table.sql) AS \(place.alias)\(level.joinText) WHERE "
                    columns.append(
                        Column(
                            mapping: mapping, attribute: layout.properties[slot].name,
                            name: SchemaNaming.quoted(attribute.name),
                            value: head + SQLText(raw: tail + "\(place.alias).Z_PK = \(mapping.table.sql).Z_PK)"),
                            sources: Self.sources(expression.syntax, layout, schema),
                            family: schema.familyNumbers(of: layout)))
                } catch let failure as NotTranslatable {
                    guard isStrict else { continue }
                    throw CoreDataError.storeOperation(
                        "The store cannot compute \(layout.name).\(layout.properties[slot].name): \(failure.reason).")
                }
            }
        }
        self.columns = columns
        copies =
            triggers.isEmpty
            ? [] : SchemaTriggers(schema: schema).copies.filter { Self.hasTrigger($0.attribute, $0.mapping, triggers) }
    }

    private static func hasTrigger(_ attribute: String, _ mapping: EntityMapping, _ triggers: [String]) -> Bool {
        let infix = "_\(mapping.layout.name)_\(attribute)_"
        return triggers.contains { $0.hasPrefix("Z_DA_") && $0.contains(infix) }
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
        if columns.isEmpty, copies.isEmpty { return }
        var written: [Int: [Int64]] = [:]
        var touched: Set<Int> = []
        for insert in changes.inserts {
            let key = insert.key < 0 ? permanentKeys[insert.key] ?? 0 : insert.key
            written[insert.snapshot.layout.rootIndex, default: []].append(key)
        }
        for update in changes.updates { written[update.snapshot.layout.rootIndex, default: []].append(update.key) }
        var deleted: [Int: [Int64]] = [:]
        for delete in changes.deletes {
            touched.insert(delete.layout.rootIndex)
            deleted[delete.layout.rootIndex, default: []].append(delete.key)
        }
        for copy in copies {
            guard let keys = deleted[copy.target.root.rootIndex] else { continue }
            let list = KeyList(keys)
            try empty(copy, SQLText("\(copy.key) \(list.condition)", list.values), on: connection, recorder)
        }
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

    /// Updates the columns that depend on rows of some root entities, regardless of which rows changed.
    func update(touching roots: Set<Int>, on connection: Connection, recorder: DerivedRecorder) throws {
        for column in columns
        where roots.contains(column.mapping.layout.rootIndex) || !column.sources.isDisjoint(with: roots) {
            try update(column, nil, on: connection, recorder)
        }
        for copy in copies where roots.contains(copy.target.root.rootIndex) {
            let isDangling: SQLText =
                "\(raw: copy.key) NOT NULL AND \(raw: copy.key) NOT IN (SELECT Z_PK FROM \(raw: copy.target.sql))"
            try empty(copy, isDangling, on: connection, recorder)
        }
    }

    /// Clears copies of values of deleted rows.
    private func empty(
        _ copy: SchemaTriggers.Copy, _ condition: SQLText, on connection: Connection, _ recorder: DerivedRecorder
    ) throws {
        try run(
            "UPDATE \(raw: copy.mapping.table.sql) SET \(raw: copy.column) = NULL WHERE \(condition) "
                + "AND \(raw: copy.column) NOT NULL RETURNING Z_ENT, Z_PK", on: connection, recorder)
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
        try run(update, on: connection, recorder)
    }

    /// Runs an update that returns entities and keys.
    private func run(_ update: SQLText, on connection: Connection, _ recorder: DerivedRecorder) throws {
        for row in try connection.rows(update.text, update.values.map(\.sqlite)) {
            guard let entity = row[0].integerValue, let key = row[1].integerValue else { continue }
            recorder.record(entity: entity, key: key)
        }
    }
}
