// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The entities of a schema within the statements of a migration.

import Foundation

extension NSManagedObjectModel {
    /// The tables of a store of this version. The model, which this freezes, must be retained as long as the schema.
    ///
    /// - Parameter hashes: the version hashes of the store.
    package func schema(of hashes: [String: Data], _ dialect: any Dialect) -> Schema {
        freeze()
        return Schema(model: ModelLayout(entities: entities), entities: Set(hashes.keys), dialect: dialect)
    }
}

extension Schema {
    /// The entity of a table's rows within a script: a column, or the only entity.
    package func entity(of table: EntityTable) -> String {
        dialect.entityColumn(of: table.root)
            ?? dialect.literal(StoredEntity(number: mapping(table.root)?.number ?? 0, name: table.root.name))
    }

    /// The number of the entity of a table's rows, as an expression.
    func entityNumber(in table: EntityTable) -> String {
        let cases = entities.filter { $0.table === table }.map { " WHEN \(literal($0.number)) THEN \($0.number)" }
        return "CASE \(entity(of: table))\(cases.joined()) END"
    }

    /// An entity of this schema within a script, by its number.
    package func literal(_ number: Int64) -> String {
        dialect.literal(StoredEntity(number: number, name: layout(number: number)?.name ?? ""))
    }

    /// A list for IN.
    package func list(_ numbers: some Sequence<Int64>) -> String {
        "(" + numbers.sorted().map(literal).joined(separator: ", ") + ")"
    }
}
