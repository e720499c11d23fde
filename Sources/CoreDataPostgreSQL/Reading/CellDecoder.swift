// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes snapshots of the rows that the server sends: the hottest loop of a fetch.

import CoreData
import CoreDataFoundation
import Foundation
import PostgreSQLDriver

/// Reads rows that begin with key and version, then the entity if a table has several, then the columns of a plan.
///
/// A column type that differs from the model's is an error: another program has migrated the store (PostgreSQL-M5).
struct CellDecoder {
    private let plan: RowPlan
    private let schema: Schema
    private let cache: CacheFillPermit
    private let root: Int
    private let hasKinds: Bool
    /// The name of a mapped table; nil for the store's own tables.
    private let mapped: String?
    private let entities: [String: RowPlan.Entity]
    private let stamp = RowClock.now
    private var last: (name: String, entity: RowPlan.Entity)?
    private var hasCheckedTypes = false

    init(_ opened: OpenServer, _ plan: RowPlan, root: EntityLayout, _ cache: CacheFillPermit) {
        self.plan = plan
        schema = opened.schema
        self.cache = cache
        self.root = root.rootIndex
        hasKinds = opened.schema.model.layouts[root.rootIndex].hasSubentities
        mapped = opened.schema.mapping(root).flatMap { opened.dialect.mapped[$0.table.name] }
            .map { "\($0.schema).\($0.table)" }
        entities = Dictionary(plan.entities.map { ($0.layout.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private var base: Int { hasKinds ? 3 : 2 }

    /// nil for a row of an entity that is not in the plan.
    ///
    /// - Throws: an error that says that the table has changed (`StoreErrors.missesTables`).
    mutating func row(_ cells: CellRow) throws -> FetchedRow? {
        if !hasCheckedTypes { try checkTypes(cells) }
        guard let key = cells[0].integer, let version = cells[1].integer, let entity = entity(cells) else { return nil }
        if key < 1 {
            if let mapped { throw RefusedKey(entity: entity.layout.name, table: mapped, key: key) }
            return nil
        }
        let layout = entity.layout
        if !layout.hasDerivedAttributes, let known = cache.row(root: root, key: key), known.version == version,
            known.hasLayout(layout)
        {
            return FetchedRow(key: key, snapshot: known)
        }
        let snapshot = Snapshot.make(layout, version: version)
        snapshot.stamp = stamp
        decode(cells, entity.steps, into: snapshot)
        return FetchedRow(key: key, snapshot: snapshot)
    }

    /// Checks the first row; the types are the same for all rows.
    private mutating func checkTypes(_ cells: CellRow) throws {
        hasCheckedTypes = true
        for entity in plan.entities {
            for step in entity.steps where !Self.fits(step.kind, cells.type(base + Int(step.column))) {
                throw PostgreSQLError(.server, code: "0A000", "A column has another type than the model says.")
            }
        }
    }

    /// Numbers and dates have several types of equal length; other values cannot be confused.
    private static func fits(_ kind: ColumnStep.Kind, _ type: UInt32) -> Bool {
        switch kind {
        case .integer, .key, .keyAndEntity:
            type == TypeNumber.int64 || type == TypeNumber.int32 || type == TypeNumber.int16
        case .real: type == TypeNumber.double || type == TypeNumber.float
        case .boolean: type == TypeNumber.boolean
        case .date: type == TypeNumber.timestamp
        case .decimal: type == TypeNumber.numeric
        case .string, .uri, .uuid, .binary, .external, .transformable, .composite: true
        }
    }

    private mutating func entity(_ cells: CellRow) -> RowPlan.Entity? {
        guard hasKinds else { return plan.entities.first }
        guard let name = cells[2].text else { return nil }
        // Rows of one entity usually come together.
        if let last, last.name == name { return last.entity }
        guard let entity = entities[name] else { return nil }
        last = (name, entity)
        return entity
    }

    private func decode(_ cells: CellRow, _ steps: [ColumnStep], into snapshot: Snapshot) {
        var filling = SnapshotFilling(snapshot)
        for step in steps {
            let (slot, word) = (Int(step.slot), Int(step.word))
            let cell = cells[base + Int(step.column)]
            if cell.isNull, step.kind != .composite { continue }
            switch step.kind {
            case .integer: if let value = cell.integer { filling.set(value, slot, word: word) }
            case .boolean: if let value = cell.integer { filling.set(value != 0, slot, bit: word) }
            case .real: if let value = cell.double { filling.set(value, slot, word: word) }
            case .date: if let value = cell.timestamp { filling.set(value, slot, word: word) }
            case .string: if let value = cell.text { filling.set(value, slot, word: word) }
            case .key: if let key = cell.integer, key > 0 { filling.set(key, slot, word: word) }
            case .keyAndEntity:
                guard let key = cell.integer, key > 0 else { continue }
                let entity = cells[base + Int(step.extra)].text.flatMap(schema.model.layout(named:))?.index
                let destination = snapshot.place(slot).destination
                filling.set(key, entity: entity ?? Int(destination), slot, word: word)
            default:
                if let box = box(cells, step, cell) { filling.set(box, slot, word: word) }
            }
        }
    }

    private func box(_ cells: CellRow, _ step: ColumnStep, _ cell: WireCell) -> ValueBox? {
        switch step.kind {
        case .decimal: return cell.decimal.map { ValueBox(NSDecimalNumber(decimal: $0)) }
        case .uri: return cell.text.flatMap { URL(string: $0) }.map { ValueBox($0) }
        case .uuid: return cell.uuid.map { ValueBox($0) }
        case .binary, .external: return cell.data.map { ValueBox($0) }
        case .transformable: return cell.data.map { ValueBox(encoded: $0, plan.transforms[Int(step.extra)]) }
        case .composite:
            let composite = plan.composites[Int(step.extra)]
            let values = CellValues.composite(composite.leaves, cells, base + Int(step.column))
            return (values ?? (composite.isMandatory ? [:] : nil)).map { ValueBox($0) }
        default: return nil
        }
    }
}

/// A row of a mapped table with a key that no object can have (MappedTables-K2).
struct RefusedKey: Error {
    let entity: String
    let table: String
    let key: Int64
}

/// The values of single cells, as the attributes have them.
enum CellValues {
    /// nil when all leaves are null.
    static func composite(_ leaves: [CompositeLeaf], _ cells: CellRow, _ first: Int) -> [String: Any]? {
        var result: [String: Any] = [:]
        for (offset, leaf) in leaves.enumerated() {
            guard let value = value(leaf.column.coding, cells[first + offset]) else { continue }
            insert(value, leaf.path[...], into: &result)
        }
        return result.isEmpty ? nil : result
    }

    private static func insert(_ value: Any, _ path: ArraySlice<String>, into values: inout [String: Any]) {
        guard let name = path.first else { return }
        if path.count == 1 {
            values[name] = value
        } else {
            var nested = values[name] as? [String: Any] ?? [:]
            insert(value, path.dropFirst(), into: &nested)
            values[name] = nested
        }
    }

    /// Numbers are `NSNumber`; nil is null.
    static func value(_ coding: ColumnCoding, _ cell: WireCell) -> Any? {
        switch coding {
        case .integer: cell.integer.map { NSNumber(value: $0) }
        case .boolean: cell.integer.map { NSNumber(value: $0 != 0) }
        case .float: cell.double.map { NSNumber(value: Float($0)) }
        case .double: cell.double.map { NSNumber(value: $0) }
        case .date: cell.timestamp.map { Date(timeIntervalSinceReferenceDate: $0) }
        case .decimal: cell.decimal.map { NSDecimalNumber(decimal: $0) }
        case .string: cell.text
        case .uri: cell.text.flatMap { URL(string: $0) }
        case .uuid: cell.uuid
        case .binary, .externalBinary: cell.data
        case .transformable(let transform): cell.data.flatMap { transform.decode($0) }
        }
    }

    /// A computed value, by the type that the server reports.
    static func computed(_ cell: WireCell, _ type: UInt32, _ kind: ValueKind) -> Any? {
        if cell.isNull { return nil }
        if kind == .url { return cell.text.flatMap { URL(string: $0) } }
        if kind == .decimal, type == TypeNumber.numeric { return cell.decimal.map { NSDecimalNumber(decimal: $0) } }
        switch type {
        case TypeNumber.int16, TypeNumber.int32, TypeNumber.int64: return cell.integer.map { NSNumber(value: $0) }
        case TypeNumber.boolean: return cell.integer.map { NSNumber(value: $0 != 0) }
        case TypeNumber.float, TypeNumber.double: return cell.double.map { NSNumber(value: $0) }
        case TypeNumber.numeric: return cell.decimal.map(number)
        case TypeNumber.timestamp: return cell.timestamp.map { Date(timeIntervalSinceReferenceDate: $0) }
        case TypeNumber.uuid: return cell.uuid
        case TypeNumber.bytes: return cell.data
        default: return cell.text
        }
    }

    /// A sum of integers is an integer if it fits, although the server may sum in another type.
    private static func number(_ decimal: Decimal) -> NSNumber {
        let number = NSDecimalNumber(decimal: decimal)
        let integer = number.int64Value
        return Decimal(integer) == decimal ? NSNumber(value: integer) : number
    }
}
