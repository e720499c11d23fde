// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The origins of the two columns of a to-one relationship: the key, and the entity of the destination.

import Foundation

/// References to rows of removed entities become nil, and entity columns get the new numbers.
struct KeyOrigin {
    let key: RowOrigin
    let entity: RowOrigin

    /// - Parameters:
    ///   - sources: the old numbers of the entities that the reference may refer to.
    ///   - targets: the new numbers of the entities that it may refer to from now on.
    init(_ transition: SchemaTransition, key columns: ToOneColumns, sources: [Int64], targets: Set<Int64>) {
        var kept: [(old: Int64, new: Int64)] = []
        var gone: [Int64] = []
        for old in sources {
            if let new = transition.entity(old: old)?.newNumber, targets.contains(new) {
                kept.append((old, new))
            } else {
                gone.append(old)
            }
        }
        guard let column = columns.entity else {
            // With a single entity, the reference needs no entity column.
            guard let only = kept.first else {
                (key, entity) = (.null, .null)
                return
            }
            key = RowOrigin(.column(columns.key))
            entity = RowOrigin(
                RowExpression(
                    .sql("CASE WHEN "), .column(columns.key),
                    .sql(" IS NOT NULL THEN \(transition.destination.literal(only.new)) END")),
                where: RowExpression(.column(columns.key), .sql(" IS NOT NULL")))
            return
        }
        key =
            gone.isEmpty
            ? RowOrigin(.column(columns.key))
            : RowOrigin(
                RowExpression(
                    .sql("CASE WHEN "), .column(column), .sql(" IN \(transition.source.list(gone)) THEN NULL ELSE "),
                    .column(columns.key), .sql(" END")),
                base: columns.key, where: RowExpression(.column(column), .sql(" IN \(transition.source.list(gone))")))
        let changed = kept.filter { $0.old != $0.new }
        guard !changed.isEmpty || !gone.isEmpty else {
            entity = RowOrigin(.column(column))
            return
        }
        let cases =
            changed.map {
                " WHEN \(transition.source.literal($0.old)) THEN \(transition.destination.literal($0.new))"
            }.joined()
            + gone.sorted().map { " WHEN \(transition.source.literal($0)) THEN NULL" }.joined()
        entity = RowOrigin(
            RowExpression(.sql("CASE "), .column(column), .sql("\(cases) ELSE "), .column(column), .sql(" END")),
            base: column,
            where: RowExpression(
                .column(column), .sql(" IN \(transition.source.list(changed.map(\.old) + gone))")))
    }
}
