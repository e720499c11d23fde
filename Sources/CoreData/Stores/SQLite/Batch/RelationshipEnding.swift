// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Ends the relationships of the remaining rows to the rows that a batch deletion has deleted.

import SQLiteDriver

/// Denies the deletion, or nullifies to-ones and removes links.
struct RelationshipEnding {
    private let transaction: BatchTransaction
    private let waves: DeletionWaves
    /// The root entities of changed rows.
    private(set) var touched: Set<Int> = []

    private var connection: Connection { transaction.connection }
    private var schema: Schema { transaction.schema }

    init(_ transaction: BatchTransaction, _ waves: DeletionWaves) {
        (self.transaction, self.waves) = (transaction, waves)
    }

    /// - Throws: 1600 if a remaining row is at the other end of a relationship with the rule Deny.
    func checkDenials(_ layout: EntityLayout, _ group: DeletedRows.Group) throws {
        for slot in layout.relationshipSlots where waves.isDenied(slot, layout) {
            guard let rows = RowSelection(destinationsOf: slot, layout, group, schema) else { continue }
            let sql = SQLText(raw: "SELECT 1") + rows.tail + SQLText(raw: " LIMIT 1")
            guard try connection.value(sql.text, sql.values.map(\.sqlite)) != nil else { continue }
            throw CoreDataError.validation(
                .validationRelationshipDeniedDelete, object: nil, entity: layout.entity,
                key: layout.properties[slot].name)
        }
    }

    /// - Throws: 1570 if a remaining row would lose the destination of a mandatory to-one.
    mutating func run(_ layout: EntityLayout, _ group: DeletedRows.Group, _ report: inout BatchReport) throws {
        let list = KeyList(group.keys)
        for slot in layout.relationshipSlots {
            if waves.isNullified(slot, layout), let inverse = schema.inverseEnd(of: slot, layout) {
                try nullify(Int(layout[slot].inverse), inverse, list, &report)
            }
        }
        try schema.unlink(layout, list, on: connection)
    }

    private mutating func nullify(
        _ slot: Int, _ end: Schema.InverseEnd, _ list: KeyList, _ report: inout BatchReport
    ) throws {
        let column = SchemaNaming.quoted(end.columns.key)
        let condition = "\(column) \(list.condition)"
        guard end.layout.properties[slot].isOptional else {
            let row = try connection.value("SELECT 1 FROM \(end.table.sql) WHERE \(condition) LIMIT 1", list.arguments)
            guard row == nil else {
                throw CoreDataError.validation(
                    .validationMissingMandatoryProperty, object: nil, entity: end.layout.entity,
                    key: end.layout.properties[slot].name)
            }
            return
        }
        let entity = end.columns.entity.map { "\(SchemaNaming.quoted($0)) = NULL, " } ?? ""
        let update =
            "UPDATE \(end.table.sql) SET \(column) = NULL, \(entity)\(VersionColumn.increment) WHERE \(condition)"
        guard report.isWanted else {
            if try connection.run(update, list.arguments) > 0 { touched.insert(end.layout.rootIndex) }
            return
        }
        var slots = SlotSet()
        slots.insert(slot)
        for row in try connection.rows(update + " RETURNING Z_PK, Z_ENT", list.arguments) {
            guard let key = row[0].integerValue, let number = row[1].integerValue,
                let layout = schema.layout(number: number)
            else { continue }
            touched.insert(layout.rootIndex)
            report.update(layout, key, slots)
        }
    }
}

extension Schema {
    /// The to-one in the table of a relationship's destination that is its inverse.
    typealias InverseEnd = (table: EntityTable, layout: EntityLayout, columns: ToOneColumns)

    /// The to-one of the destination that is the inverse of a relationship; nil for other relationships.
    func inverseEnd(of slot: Int, _ layout: EntityLayout) -> InverseEnd? {
        let place = layout[slot]
        guard place.inverse >= 0 else { return nil }
        let destination = model.layouts[Int(place.destination)]
        guard let mapping = mapping(destination), case .toOne(let columns) = mapping.storage[Int(place.inverse)]
        else { return nil }
        return (mapping.table, destination, columns)
    }
}
