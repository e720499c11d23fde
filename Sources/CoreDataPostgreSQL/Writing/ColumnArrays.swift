// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Turns the rows of a save into one array per column.

import CoreData
import CoreDataFoundation
import Foundation
import PostgreSQLDriver

/// The columns of a plan for rows of one entity, filled row by row. Replaces temporary keys of rows inserted in the
/// same save.
final class ColumnArrays: ColumnSink {
    private let binder: RowBinder
    private let plan: RowPlan
    private(set) var columns: [ArrayBuilder]

    /// - Parameter plan: a plan of a single entity.
    init(_ plan: RowPlan, _ schema: Schema, _ permanentKeys: AssignedKeys, capacity: Int) {
        self.plan = plan
        binder = RowBinder(plan: plan, schema: schema, permanentKeys: permanentKeys)
        var types = Array(repeating: TypeNumber.int64, count: plan.columns.count)
        for step in plan.entities.first?.steps ?? [] {
            switch step.kind {
            case .integer, .key: break
            case .boolean: types[Int(step.column)] = TypeNumber.boolean
            case .real: types[Int(step.column)] = TypeNumber.double
            case .date: types[Int(step.column)] = TypeNumber.timestamp
            case .string: types[Int(step.column)] = TypeNumber.text
            case .keyAndEntity: types[Int(step.extra)] = TypeNumber.text
            case .boxed: types[Int(step.column)] = Self.type(of: plan.codings[Int(step.extra)])
            case .external: types[Int(step.column)] = TypeNumber.bytes
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
    func append(_ snapshot: Snapshot) throws {
        do {
            try binder.bind(snapshot, to: self, first: 0)
        } catch let text as UnfitText {
            throw CoreDataError.storeOperation(
                "\(property(text.column, snapshot.layout)) has a string with U+0000, which PostgreSQL cannot hold.")
        }
    }

    private struct UnfitText: Error {
        let column: Int
    }

    private func property(_ column: Int, _ layout: EntityLayout) -> String {
        let step = plan.entities.first?.steps.first { step in
            let leaves = step.kind == .composite ? plan.composites[Int(step.extra)].leaves.count : 1
            return (Int(step.column)..<Int(step.column) + leaves).contains(column)
        }
        return step.map { layout.properties[Int($0.slot)].qualifiedName } ?? layout.name
    }

    // MARK: Values

    func bindNull(at column: Int) { columns[column].appendNull() }
    func bind(_ value: Int64, at column: Int) { columns[column].append(value) }
    func bind(_ value: Bool, at column: Int) { columns[column].append(value) }
    func bind(_ value: Double, at column: Int) { columns[column].append(value) }
    func bind(date: Double, at column: Int) { columns[column].append(timestamp: date) }
    func bind(largeData: Data, at column: Int) { columns[column].append(largeData) }
    func bind(entity: EntityMapping, at column: Int) { columns[column].append(entity.layout.name) }

    func bind(_ value: String, at column: Int) throws {
        if value.utf8.contains(0) { throw UnfitText(column: column) }
        columns[column].append(value)
    }

    func bind(_ value: ColumnValue, at column: Int) throws {
        switch value {
        case .null, .list: bindNull(at: column)
        case .integer(let number): bind(number, at: column)
        case .boolean(let value): bind(value, at: column)
        case .double(let number): bind(number, at: column)
        case .decimal(let number): columns[column].append(number)
        case .date(let date): bind(date: date.timeIntervalSinceReferenceDate, at: column)
        case .text(let text): try bind(text, at: column)
        case .uuid(let uuid): columns[column].append(uuid)
        case .bytes(let data): columns[column].append(data)
        }
    }
}
