// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Computes a derived attribute of rows in memory.

import Foundation

extension DerivedRule {
    /// The rows of the rule's entity whose value changes, with the new value and the same version.
    package func changed(_ rows: [FetchedRow], _ source: RelatedRows, now: Date) throws -> [FetchedRow] {
        let rows = rows.filter { $0.snapshot.layout.isKind(of: layout) }
        try source.read(paths, of: rows)
        return try withExtendedLifetime(source) {
            try rows.compactMap { row in
                let value = try value(of: RowView(row, source), now: now) { slot in
                    try source.storedMembers(of: slot, layout: row.snapshot.layout, key: row.key).count
                }
                let copy = row.snapshot.copy()
                if value == nil || !copy.setValue(value, slot) { copy.setNull(slot) }
                if copy.isEqual(row.snapshot, slot: slot) { return nil }
                copy.stamp = RowClock.now
                return FetchedRow(key: row.key, snapshot: copy)
            }
        }
    }
}
