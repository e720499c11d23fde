// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Turns the rows of a history's tables into transactions and changes.

import Foundation

/// The history of a store in the tables of a database. Both layouts are queried for the same columns in the same order.
package protocol RelationalHistorySource: HistorySource {
    associatedtype Row: ColumnSource

    var schema: Schema { get }
    /// The place of the store, for errors.
    var place: String { get }

    /// The updated properties; nil if another version of the entity had other properties.
    func slots(_ row: Row, at column: Int, of layout: EntityLayout) -> SlotSet?

    /// The kept values of a deleted record, from this column on.
    func tombstone(_ row: Row, at column: Int, of layout: EntityLayout) -> [AnyHashable: Any]?
}

extension RelationalHistorySource {
    /// - Parameter row: number, time, author, name of the context, bundle, process.
    package func transaction(_ row: Row) throws -> HistoryTransactionRecord {
        guard let number = row.integer(at: 0), let time = row.date(at: 1) else {
            throw damaged("transaction \(row.key(at: 0)) has no time")
        }
        return HistoryTransactionRecord(
            number: number, time: time, author: row.text(at: 2), contextName: row.text(at: 3),
            bundleID: row.text(at: 4) ?? "", processID: row.text(at: 5) ?? "")
    }

    /// nil for an entity that the store does not contain.
    ///
    /// - Parameter row: number, transaction, kind, entity, key, properties, values of a deleted record.
    package func change(_ row: Row) throws -> HistoryChangeRecord? {
        let number = row.key(at: 0)
        guard let type = row.integer(at: 2).flatMap({ NSPersistentHistoryChangeType(rawValue: Int($0)) }) else {
            throw damaged("change \(number) is of no known kind")
        }
        guard let layout = row.entity(at: 3, schema).map({ schema.model.layouts[$0] }), schema.mapping(layout) != nil
        else { return nil }
        let key = row.key(at: 4)
        guard key > 0 else { throw damaged("change \(number) names no record") }
        return HistoryChangeRecord(
            number: number, transaction: row.key(at: 1), type: type, layout: layout, key: key,
            slots: type == .update ? slots(row, at: 5, of: layout) : nil,
            tombstone: type == .delete ? tombstone(row, at: 6, of: layout) : nil)
    }

    private func damaged(_ what: String) -> NSError {
        CoreDataError.storeOperation(
            "The history of the store \(place) is damaged: \(what). Its objects are not concerned.")
    }
}
