// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Migrates the tables of CloudKit's mirror: updates entity numbers and removes rows of removed entities.

/// The tables that Apple's framework adds to a store that it mirrors. Their rows name objects by entity number and key.
enum MirrorTables {
    static let records = "ANSCKRECORDMETADATA"
    static let entity = "ZENTITYID"
    static let key = "ZENTITYPK"
    /// The column of other tables with the key of a record.
    static let record = "ZRECORDMETADATA"

    /// Numbers of the mirror's own entities in `Z_PRIMARYKEY`.
    static let numbers: ClosedRange<Int64> = 17_000...17_999

    static func isTable(_ name: String) -> Bool { name.hasPrefix("ANSCK") }

    /// The tables with a column, in the order of their names.
    static func tables(with column: String, _ outline: DatabaseOutline) -> [String] {
        outline.columns.filter { name, columns in isTable(name) && columns.contains { $0.name == column } }
            .keys.sorted()
    }
}

/// Migration-M31.
struct CloudMirrorMigration {
    private let tables: [String]
    /// The tables with rows that belong to a record.
    private let parts: [String]
    private let entities: [EntityTransition]

    /// nil for a store that is not mirrored.
    init?(_ transition: SchemaTransition, _ outline: DatabaseOutline) {
        tables = MirrorTables.tables(with: MirrorTables.entity, outline)
        if tables.isEmpty { return nil }
        parts = tables.contains(MirrorTables.records) ? MirrorTables.tables(with: MirrorTables.record, outline) : []
        entities = transition.entities
    }

    var statements: [String] {
        // Delete rows with any other number: a new entity may get that number.
        let isLeft = "\(MirrorTables.entity) NOT IN \(RowExpression.list(entities.map(\.oldNumber).sorted()))"
        var result = parts.map {
            "DELETE FROM \($0) WHERE \(MirrorTables.record) IN (SELECT Z_PK FROM \(MirrorTables.records) WHERE \(isLeft))"
        }
        result += tables.map { "DELETE FROM \($0) WHERE \(isLeft)" }
        let changed = entities.filter { $0.oldNumber != $0.newNumber }
        guard !changed.isEmpty else { return result }
        let cases = changed.map { " WHEN \($0.oldNumber) THEN -\($0.newNumber)" }.joined()
        let list = RowExpression.list(changed.map(\.oldNumber).sorted())
        // A unique index checks row by row, so a number must be free before another entity takes it.
        return result
            + tables.flatMap { table in
                [
                    "UPDATE \(table) SET \(MirrorTables.entity) = CASE \(MirrorTables.entity)\(cases) END "
                        + "WHERE \(MirrorTables.entity) IN \(list)",
                    "UPDATE \(table) SET \(MirrorTables.entity) = -\(MirrorTables.entity) WHERE \(MirrorTables.entity) < 0",
                ]
            }
    }
}
