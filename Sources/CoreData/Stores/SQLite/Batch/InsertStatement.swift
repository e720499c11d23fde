// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes the INSERT of a batch insertion, with its clauses for conflicts of unique values.

import Foundation

/// The statement of a batch insertion into one entity, for any number of rows. No I/O.
///
/// Throws `NotTranslatable` for insertions that the store does row by row: into entities with a one-to-one
/// relationship, and of rows that update existing records with values in files or with a place in an order.
struct InsertStatement {
    let plan: RowPlan
    let width: Int
    private let mapping: EntityMapping
    private let conflicts: Conflicts

    private enum Conflicts {
        case fail
        case ignore
        /// The unique columns of each rule.
        case update(targets: [String], givenAlone: Bool)
    }

    /// Whether existing records may be changed.
    var mayUpdate: Bool { if case .update = conflicts { true } else { false } }
    /// Whether fewer rows may be written than were given.
    var mayLeaveOut: Bool { if case .ignore = conflicts { true } else { false } }
    /// Whether rows with other given slots need a different statement.
    var tellsGiven: Bool { if case .update(_, true) = conflicts { true } else { false } }

    init(schema: Schema, plan: RowPlan, insertion: BatchInsertion) throws {
        let layout = insertion.layout
        let mapping = try schema.held(layout.index)
        self.mapping = mapping
        self.plan = plan
        width = plan.columns.count + 3
        let rules = layout.uniquenessRules(schema.model)
        switch insertion.uniqueness {
        case _ where rules.isEmpty, .fails: conflicts = .fail
        case .keepsRecord: conflicts = .ignore
        case .updates(let givenAlone):
            conflicts = .update(
                targets: rules.map { Self.columns(of: $0, mapping).joined(separator: ", ") }, givenAlone: givenAlone)
        }
        for slot in layout.toOneSlots where layout[slot].inverse >= 0 {
            let inverse = schema.model.layouts[Int(layout[slot].destination)][Int(layout[slot].inverse)]
            if inverse.kind == .reference || inverse.isOrdered && mayUpdate {
                throw NotTranslatable(reason: "a relationship whose other end is written as well")
            }
        }
        if mayUpdate,
            plan.entities.first?.steps.contains(where: { $0.kind == .external || $0.kind == .composite }) == true
        {
            throw NotTranslatable(reason: "data that may lie in files")
        }
    }

    /// The columns of a uniqueness rule.
    static func columns(of rule: UniquenessRule, _ mapping: EntityMapping) -> [String] {
        rule.names.compactMap { name in
            switch mapping.layout.slot(name).map({ mapping.storage[$0] }) {
            case .attribute(let column)?: SchemaNaming.quoted(column.name)
            case .toOne(let columns)?: SchemaNaming.quoted(columns.key)
            default: nil
            }
        }
    }

    /// - Parameters:
    ///   - rows: how many rows one execution inserts.
    ///   - given: the slots that an existing record takes over; nil for all that the request may set.
    func text(rows: Int, given: SlotSet?, returnsKeys: Bool) -> String {
        let row = "(" + Array(repeating: "?", count: width).joined(separator: ", ") + ")"
        var text =
            "INSERT INTO \(mapping.table.sql) (Z_PK, Z_ENT, Z_OPT\(plan.columns.map { ", " + $0 }.joined())) VALUES "
            + Array(repeating: row, count: rows).joined(separator: ", ")
        switch conflicts {
        case .fail: break
        case .ignore: text += " ON CONFLICT DO NOTHING"
        case .update(let targets, let givenAlone):
            let assignments = assignments(givenAlone ? given : nil)
            for target in targets { text += " ON CONFLICT (\(target)) DO UPDATE SET \(assignments)" }
        }
        return returnsKeys ? text + " RETURNING Z_PK, Z_ENT" : text
    }

    private func assignments(_ given: SlotSet?) -> String {
        var sets = ""
        for step in plan.entities.first?.steps ?? [] {
            let slot = Int(step.slot)
            let isReference = mapping.layout[slot].kind == .reference
            if let given, !given.contains(slot) { continue }
            var positions = [Int(step.column)]
            if step.kind == .keyAndEntity { positions.append(Int(step.extra)) }
            for position in positions {
                let column = plan.columns[position]
                // Relationships that were not given are kept.
                sets +=
                    isReference && given == nil
                    ? "\(column) = IFNULL(excluded.\(column), \(column)), " : "\(column) = excluded.\(column), "
            }
        }
        return sets + VersionColumn.increment
    }
}
