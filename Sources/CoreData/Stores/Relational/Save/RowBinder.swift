// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Gives the slots of a snapshot to a sink, column by column: the innermost loop of a save.

import CoreDataFoundation
import Foundation

/// Binds the columns of one entity's plan. Replaces temporary keys of rows inserted in the same save.
package struct RowBinder {
    let plan: RowPlan
    let steps: [ColumnStep]
    private let schema: Schema
    private let files: (any LargeDataFiles)?
    private let permanentKeys: AssignedKeys

    /// - Parameters:
    ///   - plan: a plan of a single entity.
    ///   - files: nil where large data goes into the row.
    init(plan: RowPlan, schema: Schema, files: (any LargeDataFiles)?, permanentKeys: AssignedKeys) {
        self.plan = plan
        steps = plan.entities.first?.steps ?? []
        self.schema = schema
        self.files = files
        self.permanentKeys = permanentKeys
    }

    package init(plan: RowPlan, schema: Schema, permanentKeys: AssignedKeys) {
        self.init(plan: plan, schema: schema, files: nil, permanentKeys: permanentKeys)
    }

    /// - Parameter first: the place of the plan's first column in the sink.
    package func bind<Sink: ColumnSink>(_ snapshot: Snapshot, to sink: Sink, first: Int) throws {
        for step in steps {
            let slot = Int(step.slot)
            let index = first + Int(step.column)
            if snapshot.isNull(slot) {
                try bindNull(step, sink, first)
                continue
            }
            switch step.kind {
            case .integer: try sink.bind(snapshot.integer(slot), at: index)
            case .boolean: try sink.bind(snapshot.boolean(slot), at: index)
            case .real: try sink.bind(snapshot.double(slot), at: index)
            case .date: try sink.bind(date: snapshot.double(slot), at: index)
            case .string: try sink.bind(snapshot.string(slot), at: index)
            case .key, .keyAndEntity:
                let reference = snapshot.reference(slot)
                let key = reference.flatMap { $0.key < 0 ? permanentKeys[$0.key] : $0.key }
                if let key { try sink.bind(key, at: index) } else { try sink.bindNull(at: index) }
                if step.kind == .keyAndEntity {
                    let entity = key == nil ? nil : reference.flatMap { schema.mapping($0.entityIndex) }
                    let column = first + Int(step.extra)
                    if let entity { try sink.bind(entity: entity, at: column) } else { try sink.bindNull(at: column) }
                }
            case .boxed, .external, .composite:
                if let box = snapshot.box(slot) {
                    try bind(box, step, snapshot.layout, sink, first)
                } else {
                    try bindNull(step, sink, first)
                }
            }
        }
    }

    private func bindNull<Sink: ColumnSink>(_ step: ColumnStep, _ sink: Sink, _ first: Int) throws {
        let index = first + Int(step.column)
        switch step.kind {
        case .composite:
            for offset in plan.composites[Int(step.extra)].leaves.indices { try sink.bindNull(at: index + offset) }
        case .keyAndEntity:
            try sink.bindNull(at: index)
            try sink.bindNull(at: first + Int(step.extra))
        default: try sink.bindNull(at: index)
        }
    }

    private func bind<Sink: ColumnSink>(
        _ box: ValueBox, _ step: ColumnStep, _ layout: EntityLayout, _ sink: Sink, _ first: Int
    ) throws {
        let index = first + Int(step.column)
        switch step.kind {
        case .external:
            if let files {
                let data = try files.column(box, of: layout.properties[Int(step.slot)].qualifiedName)
                return try sink.bind(data.map { .bytes($0) } ?? .null, at: index)
            }
            try bind(try read(box, layout, step), .externalBinary, layout, step, sink, index)
        case .composite:
            let values = try read(box, layout, step) as? [String: Any] ?? [:]
            for (offset, leaf) in plan.composites[Int(step.extra)].leaves.enumerated() {
                let value = Snapshot.element(leaf.path[...], of: values)
                try bind(value, leaf.column.coding, layout, step, sink, index + offset)
            }
        default:
            let coding = plan.codings[Int(step.extra)]
            if case .transformable(let transform) = coding {
                return try sink.bind(transformed(box, transform, layout, Int(step.slot)), at: index)
            }
            try bind(try read(box, layout, step), coding, layout, step, sink, index)
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

    private func bind<Sink: ColumnSink>(
        _ value: Any?, _ coding: ColumnCoding, _ layout: EntityLayout, _ step: ColumnStep, _ sink: Sink, _ index: Int
    ) throws {
        guard let value else { return try sink.bindNull(at: index) }
        if case .transformable(let transform) = coding {
            return try sink.bind(transformed(ValueBox(value), transform, layout, Int(step.slot)), at: index)
        }
        guard let column = ColumnArgument.column(value, coding) else {
            throw CoreDataError.storeOperation(
                "\(layout.name).\(layout.properties[Int(step.slot)].name) cannot hold a value of type "
                    + "\(type(of: value)).")
        }
        if case .externalBinary = coding, case .bytes(let data) = column {
            return try sink.bind(largeData: data, at: index)
        }
        try sink.bind(column, at: index)
    }

    /// The bytes of a transformable attribute. An unchanged value keeps the bytes read from the store.
    private func transformed(_ box: ValueBox, _ transform: AttributeTransform, _ layout: EntityLayout, _ slot: Int)
        throws
        -> ColumnValue
    {
        if let stored = box.stored { return .bytes(stored) }
        guard let value = box.value else { return .null }
        do {
            return .bytes(try transform.encode(value))
        } catch let failure as TransformFailure {
            throw CoreDataError.storeOperation(
                "\(layout.name).\(layout.properties[slot].name) cannot be stored: \(failure.reason).")
        }
    }
}
