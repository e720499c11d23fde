// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares the order keys of ordered relationships with the columns of a table.

import CoreData

extension TableComparison {
    /// - Parameters:
    ///   - wanted: the column in the database.
    ///   - name: the column in the store's schema.
    /// - Returns: nil after a problem.
    mutating func place(
        _ wanted: String, _ name: String, _ subject: String, _ property: String, _ table: ServerCatalog.Table
    ) -> MappedTable.Column? {
        guard let found = found(wanted, subject, table) else { return nil }
        guard let fit = ColumnFit(key: found) else {
            problems.append(
                "\(subject): the column \(table.name).\(found.name) is \(found.type), a place is an integer")
            return nil
        }
        return Self.column(name, found, fit, property)
    }

    /// Order keys change in one statement, so a constraint that is checked row by row would refuse to swap two of them
    /// (MappedTables-O2).
    mutating func checkOrder(_ subject: String, _ places: [MappedTable.Column], _ table: ServerCatalog.Table) {
        let numbers = places.compactMap { table.column($0.place)?.number }
        for index in table.indexes where index.isUnique && !index.isDeferrable {
            guard index.columns.contains(where: numbers.contains) else { continue }
            problems.append(
                "\(subject): \(index.name) keeps places unique, and is checked row by row: make it a constraint that "
                    + "is DEFERRABLE")
        }
    }

    /// The order key columns that an insertion must fill, because they are NOT NULL without a default.
    static func needed(_ places: [MappedTable.Column], _ table: ServerCatalog.Table) -> [String] {
        places.filter { $0.isNotNull && table.column($0.place)?.hasDefault == false }.map(\.place)
    }
}
