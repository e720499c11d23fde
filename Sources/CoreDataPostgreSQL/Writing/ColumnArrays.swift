// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Turns the rows of a save into one array per column.

import CoreData
import CoreDataFoundation
import Foundation
import PostgreSQLDriver

/// The columns of a plan for rows of one entity, filled row by row. Replaces temporary keys of rows inserted in the
/// same save.
struct ColumnArrays {
    private let plan: RowPlan
    private let steps: [ColumnStep]
    private let schema: Schema
    private let permanentKeys: AssignedKeys
    private(set) var columns: [ArrayBuilder]

    /// - Parameter plan: a plan of a single entity.
    init(_ plan: RowPlan, _ schema: Schema, _ permanentKeys: AssignedKeys, capacity: Int) {
        self.plan = plan
        self.schema = schema
        self.permanentKeys = permanentKeys
        steps = plan.entities.first?.steps ?? []
        var types = Array(repeating: TypeNumber.int64, count: plan.columns.count)
        for step in steps {
            switch step.kind {
            case .integer, .key: break
            case .boolean: types[Int(step.column)] = TypeNumber.boolean
            case .real: types[Int(step.column)] = TypeNumber.double
            case .date: types[Int(step.column)] = TypeNumber.timestamp
            case .string, .uri: types[Int(step.column)] = TypeNumber.text
            case .keyAndEntity: types[Int(step.extra)] = TypeNumber.text
            case .decimal: types[Int(step.column)] = TypeNumber.numeric
            case .uuid: types[Int(step.column)] = TypeNumber.uuid
            case .binary, .external, .transformable: types[Int(step.column)] = TypeNumber.bytes
            case .composite:
                for (offset, leaf) in plan.composites[Int(step.extra)].leaves.enumerated() {
                    types[Int(step.column) + offset] = Self.type(of: leaf.column.coding)
                }
            }
        }
        columns = types.map { ArrayBuilder(of: $0, capacity: capacity) }
    }

    private static func type(of coding: ColumnCoding) -> UInt32 {
        switch coding {
        case .integer: TypeNumber.int64
        case .boolean: TypeNumber.boolean
        case .float, .double: TypeNumber.double
        case .date: TypeNumber.timestamp
        case .decimal: TypeNumber.numeric
        case .string, .uri: TypeNumber.text
        case .uuid: TypeNumber.uuid
        case .binary, .externalBinary, .transformable: TypeNumber.bytes
        }
    }

    /// - Throws: a Cocoa error that names entity and property, for a value that the server cannot store.
    mutating func append(_ snapshot: Snapshot) throws {
        for step in steps {
            let slot = Int(step.slot)
            let column = Int(step.column)
            if snapshot.isNull(slot) {
                appendNull(step)
                continue
            }
            switch step.kind {
            case .integer: columns[column].append(snapshot.integer(slot))
            case .boolean: columns[column].append(snapshot.boolean(slot))
            case .real: columns[column].append(snapshot.double(slot))
            case .date: columns[column].append(timestamp: snapshot.double(slot))
            case .string: columns[column].append(try text(snapshot.string(slot), snapshot, slot))
            case .key, .keyAndEntity:
                let reference = snapshot.reference(slot)
                let key = reference.flatMap { $0.key < 0 ? permanentKeys[$0.key] : $0.key }
                if let key { columns[column].append(key) } else { columns[column].appendNull() }
                if step.kind == .keyAndEntity {
                    let entity = key == nil ? nil : reference.flatMap { schema.mapping($0.entityIndex)?.layout.name }
                    if let entity {
                        columns[Int(step.extra)].append(entity)
                    } else {
                        columns[Int(step.extra)].appendNull()
                    }
                }
            default:
                if let box = snapshot.box(slot) { try append(box, step, snapshot) } else { appendNull(step) }
            }
        }
    }

    private mutating func appendNull(_ step: ColumnStep) {
        switch step.kind {
        case .keyAndEntity:
            columns[Int(step.column)].appendNull()
            columns[Int(step.extra)].appendNull()
        case .composite:
            for offset in plan.composites[Int(step.extra)].leaves.indices {
                columns[Int(step.column) + offset].appendNull()
            }
        default: columns[Int(step.column)].appendNull()
        }
    }

    private mutating func append(_ box: ValueBox, _ step: ColumnStep, _ snapshot: Snapshot) throws {
        let slot = Int(step.slot)
        switch step.kind {
        case .transformable:
            try append(
                transformed(box, plan.transforms[Int(step.extra)], snapshot, slot), Int(step.column), snapshot, slot)
        case .composite:
            let values = box.value as? [String: Any] ?? [:]
            for (offset, leaf) in plan.composites[Int(step.extra)].leaves.enumerated() {
                let value = Snapshot.element(leaf.path[...], of: values)
                try append(
                    try column(value, leaf.column.coding, snapshot, slot), Int(step.column) + offset, snapshot, slot)
            }
        default:
            let coding: ColumnCoding =
                switch step.kind {
                case .decimal: .decimal
                case .uri: .uri
                case .uuid: .uuid
                default: .binary
                }
            try append(try column(read(box, snapshot, slot), coding, snapshot, slot), Int(step.column), snapshot, slot)
        }
    }

    private func read(_ box: ValueBox, _ snapshot: Snapshot, _ slot: Int) throws -> Any? {
        do {
            return try box.read()
        } catch {
            throw CoreDataError.unreadableData(
                error.url, attribute: snapshot.layout.properties[slot].qualifiedName, underlying: error.underlying)
        }
    }

    private mutating func append(_ value: ColumnValue, _ column: Int, _ snapshot: Snapshot, _ slot: Int) throws {
        switch value {
        case .null, .list: columns[column].appendNull()
        case .integer(let number): columns[column].append(number)
        case .boolean(let value): columns[column].append(value)
        case .double(let number): columns[column].append(number)
        case .decimal(let number): columns[column].append(number)
        case .date(let date): columns[column].append(timestamp: date.timeIntervalSinceReferenceDate)
        case .text(let text): columns[column].append(try self.text(text, snapshot, slot))
        case .uuid(let uuid): columns[column].append(uuid)
        case .bytes(let data): columns[column].append(data)
        }
    }

    private func text(_ text: String, _ snapshot: Snapshot, _ slot: Int) throws -> String {
        guard text.utf8.contains(0) else { return text }
        throw CoreDataError.storeOperation(
            "\(snapshot.layout.properties[slot].qualifiedName) has a string with U+0000, which PostgreSQL cannot hold.")
    }

    /// The bytes of a transformable attribute. An unchanged value keeps the bytes read from the store.
    private func transformed(_ box: ValueBox, _ transform: AttributeTransform, _ snapshot: Snapshot, _ slot: Int) throws
        -> ColumnValue
    {
        if let stored = box.stored { return .bytes(stored) }
        guard let value = box.value else { return .null }
        do {
            return .bytes(try transform.encode(value))
        } catch let failure as TransformFailure {
            throw CoreDataError.storeOperation(
                "\(snapshot.layout.properties[slot].qualifiedName) cannot be stored: \(failure.reason).")
        }
    }

    private func column(_ value: Any?, _ coding: ColumnCoding, _ snapshot: Snapshot, _ slot: Int) throws -> ColumnValue
    {
        guard let value else { return .null }
        if case .transformable(let transform) = coding {
            return try transformed(ValueBox(value), transform, snapshot, slot)
        }
        guard let column = ColumnArgument.column(value, coding) else {
            throw CoreDataError.storeOperation(
                "\(snapshot.layout.properties[slot].qualifiedName) cannot hold a value of type \(Swift.type(of: value))."
            )
        }
        return column
    }
}
