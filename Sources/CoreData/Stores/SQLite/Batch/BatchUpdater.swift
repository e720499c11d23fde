// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs the statement of a batch update.

import Foundation
import SQLiteDriver

struct BatchUpdater {
    private let transaction: BatchTransaction
    private let update: BatchUpdate
    private let statement: UpdateStatement

    init(_ transaction: BatchTransaction, _ update: BatchUpdate, _ statement: UpdateStatement) {
        self.transaction = transaction
        self.update = update
        self.statement = statement
    }

    func run(_ report: inout BatchReport) throws -> BatchResult {
        try checkMandatory()
        let connection = transaction.connection
        let returnsKeys = transaction.batch.wantsIDs || report.isWanted
        var outcome = BatchOutcome()
        let binder = RowBinder(
            plan: statement.constants, schema: transaction.schema, files: nil, permanentKeys: AssignedKeys())
        outcome.count = try connection.withStatement(statement.text + (returnsKeys ? " RETURNING Z_PK, Z_ENT" : "")) {
            prepared in
            try binder.bind(update.constants, to: prepared, first: 1)
            for (offset, value) in statement.values.enumerated() {
                try prepared.bind(value.sqlite, at: statement.constants.columns.count + offset + 1)
            }
            while try prepared.step() {
                let key = prepared.int64(at: 0)
                guard let layout = transaction.schema.layout(number: prepared.int64(at: 1)) else { continue }
                if transaction.batch.wantsIDs { outcome.ids.append(transaction.id(layout, key)) }
                if report.isWanted { report.update(layout, key, update.changed) }
            }
            return connection.changes
        }
        guard outcome.count > 0 else { return (outcome, .nothing) }
        let layout = update.fetch.layout
        var destinations = DestinationCheck(
            layout, layout.toOneSlots.filter(update.constantSlots.contains), transaction.schema)
        try destinations.check(CollectionOfOne(update.constants), on: connection)
        try transaction.updateDerived([update.fetch.layout.rootIndex])
        return (outcome, .everything)
    }

    /// - Throws: 1570 if an expression is nil for a record and the attribute is mandatory.
    private func checkMandatory() throws {
        for check in statement.checks
        where try transaction.connection.value(check.sql.text, check.sql.values.map(\.sqlite)) != nil {
            let layout = update.fetch.layout
            throw CoreDataError.validation(
                .validationMissingMandatoryProperty, object: nil, entity: layout.entity,
                key: layout.properties[check.slot].name)
        }
    }
}
