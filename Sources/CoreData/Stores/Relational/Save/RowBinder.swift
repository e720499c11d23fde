// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Binds the slots of a snapshot to a statement, column by column: the innermost loop of a save.

import CoreDataFoundation
import Foundation
import SQLiteDriver

/// Binds the columns of one entity's plan. Replaces temporary keys of rows inserted in the same save.
struct RowBinder {
    let plan: RowPlan
    let steps: [ColumnStep]
    let schema: Schema
    let files: ExternalFiles?
    let permanentKeys: AssignedKeys

    /// - Parameter plan: a plan of a single entity.
    init(plan: RowPlan, schema: Schema, files: ExternalFiles?, permanentKeys: AssignedKeys) {
        self.plan = plan
        steps = plan.entities.first?.steps ?? []
        self.schema = schema
        self.files = files
        self.permanentKeys = permanentKeys
    }

    /// - Parameter first: the parameter index of the plan's first column, counted from 1.
    func bind(_ snapshot: Snapshot, to statement: Statement, first: Int) throws {
        for step in steps {
            let slot = Int(step.slot)
            let index = first + Int(step.column)
            if snapshot.isNull(slot) {
                try bindNull(step, statement, first)
                continue
            }
            switch step.kind {
            case .integer: try statement.bind(snapshot.integer(slot), at: index)
            case .boolean: try statement.bind(snapshot.boolean(slot) ? 1 : 0 as Int64, at: index)
            case .real, .date: try statement.bind(snapshot.double(slot), at: index)
            case .string: try statement.bind(snapshot.string(slot), at: index)
            case .key, .keyAndEntity:
                guard let reference = snapshot.reference(slot) else { continue }
                let key = reference.key < 0 ? permanentKeys[reference.key] : reference.key
                if let key { try statement.bind(key, at: index) } else { try statement.bindNull(at: index) }
                if step.kind == .keyAndEntity {
                    let number = key == nil ? nil : schema.mapping(reference.entityIndex)?.number
                    let column = first + Int(step.extra)
                    if let number { try statement.bind(number, at: column) } else { try statement.bindNull(at: column) }
                }
            default:
                if let box = snapshot.box(slot) { try bind(box, step, snapshot.layout, statement, first) }
            }
        }
    }

    private func bindNull(_ step: ColumnStep, _ statement: Statement, _ first: Int) throws {
        try statement.bindNull(at: first + Int(step.column))
        switch step.kind {
        case .keyAndEntity: try statement.bindNull(at: first + Int(step.extra))
        case .composite:
            for offset in plan.composites[Int(step.extra)].leaves.indices {
                try statement.bindNull(at: first + Int(step.column) + offset)
            }
        default: break
        }
    }

    private func bind(_ box: ValueBox, _ step: ColumnStep, _ layout: EntityLayout, _ statement: Statement, _ first: Int)
        throws
    {
        let index = first + Int(step.column)
        switch step.kind {
        case .external:
            let column =
                if let files {
                    try files.column(box, of: layout.properties[Int(step.slot)].qualifiedName)
                } else {
                    (try read(box, layout, step) as? Data).map(ExternalColumn.inline)
                }
            try bind(column.map { .blob($0) } ?? .null, statement, index)
        case .transformable:
            try bind(transformed(box, plan.transforms[Int(step.extra)], layout, Int(step.slot)), statement, index)
        case .composite:
            let values = try read(box, layout, step) as? [String: Any] ?? [:]
            for (offset, leaf) in plan.composites[Int(step.extra)].leaves.enumerated() {
                let value = Snapshot.element(leaf.path[...], of: values)
                try bind(try column(value, leaf.column.coding, layout, Int(step.slot)), statement, index + offset)
            }
        default:
            let coding: ColumnCoding =
                switch step.kind {
                case .decimal: .decimal
                case .uri: .uri
                case .uuid: .uuid
                default: .binary
                }
            try bind(try column(box.value, coding, layout, Int(step.slot)), statement, index)
        }
    }

    private func read(_ box: ValueBox, _ layout: EntityLayout, _ step: ColumnStep) throws -> Any? {
        do {
            return try box.read()
        } catch {
            throw CoreDataError.unreadableData(
                error.url, attribute: layout.properties[Int(step.slot)].qualifiedName, underlying: error.underlying)
        }
    }

    private func bind(_ value: SQLiteValue, _ statement: Statement, _ index: Int) throws {
        switch value {
        case .null: try statement.bindNull(at: index)
        case .integer(let number): try statement.bind(number, at: index)
        case .real(let number): try statement.bind(number, at: index)
        case .text(let text): try statement.bind(text, at: index)
        case .blob(let data): try statement.bind(data, at: index)
        }
    }

    /// The bytes of a transformable attribute. An unchanged value keeps the bytes read from the store.
    private func transformed(_ box: ValueBox, _ transform: AttributeTransform, _ layout: EntityLayout, _ slot: Int)
        throws
        -> SQLiteValue
    {
        if let stored = box.stored { return .blob(stored) }
        guard let value = box.value else { return .null }
        do {
            return .blob(try transform.encode(value))
        } catch let failure as TransformFailure {
            throw CoreDataError.storeOperation(
                "\(layout.name).\(layout.properties[slot].name) cannot be stored: \(failure.reason).")
        }
    }

    private func column(_ value: Any?, _ coding: ColumnCoding, _ layout: EntityLayout, _ slot: Int) throws
        -> SQLiteValue
    {
        guard let value else { return .null }
        if case .transformable(let transform) = coding {
            return try transformed(ValueBox(value), transform, layout, slot)
        }
        if case .externalBinary = coding, let data = value as? Data { return .blob(ExternalColumn.inline(data)) }
        guard let column = ColumnArgument.value(value, coding) else {
            throw CoreDataError.storeOperation(
                "\(layout.name).\(layout.properties[slot].name) cannot hold a value of type \(type(of: value)).")
        }
        return column
    }
}
