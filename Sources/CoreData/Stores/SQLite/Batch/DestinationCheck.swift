// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Refuses rows of a batch request that lead to records which do not exist.

import Foundation
import SQLiteDriver

/// Checks the to-one relationships of rows, with one statement for each relationship and group of rows. The rows in
/// memory are checked by `StagedRows`.
struct DestinationCheck {
    /// Bounds the memory: the keys of forgotten records are looked up again.
    private static let mostKnown = 10_000

    private struct End {
        let slot: Int
        let table: String
        /// Keys with a row.
        var known: Set<Int64> = []
    }

    private let model: ModelLayout
    private var ends: [End]

    /// - Parameter slots: the to-one relationships to check.
    init(_ layout: EntityLayout, _ slots: some Sequence<Int>, _ schema: Schema) {
        model = schema.model
        ends = slots.compactMap { slot in
            schema.mapping(Int(layout[slot].destination)).map { End(slot: slot, table: $0.table.sql) }
        }
    }

    /// - Throws: 133000 for the first record that does not exist.
    mutating func check(_ rows: some Collection<Snapshot>, on connection: Connection) throws {
        for position in ends.indices {
            let references = rows.compactMap { $0.reference(ends[position].slot) }
            let unknown = Set(references.map(\.key)).subtracting(ends[position].known)
            if unknown.isEmpty { continue }
            let list = KeyList(unknown.sorted())
            let found = try connection.rows(
                "SELECT Z_PK FROM \(ends[position].table) WHERE Z_PK \(list.condition)", list.arguments)
            let present = Set(found.compactMap { $0[0].integerValue })
            if let missing = references.first(where: { unknown.contains($0.key) && !present.contains($0.key) }) {
                throw CoreDataError.missingDestination(missing.key, model.layouts[missing.entityIndex].name)
            }
            if ends[position].known.count > Self.mostKnown { ends[position].known = [] }
            ends[position].known.formUnion(present)
        }
    }
}
