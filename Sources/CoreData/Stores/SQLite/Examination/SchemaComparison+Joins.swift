// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compares the indexes of join tables within one entity, which a file may name after either relationship.

import Foundation
import SQLiteDriver

extension SchemaComparison {
    /// Removes the indexes of such tables from the comparison if one of them covers both columns: its name does not
    /// matter (Stores-K31).
    static func settleJoins(_ schema: Schema, _ wanted: inout [String: String], _ found: inout [SchemaEntry]) {
        for join in schema.joinTables where join.owner === join.member && !join.isReflexive {
            let columns: Set<Substring> = [Substring(join.ownerColumn), Substring(join.memberColumn)]
            let own = found.filter { entry in
                entry.tableName == join.name
                    && entry.sql.map { columns.isSubset(of: DatabaseOutline.words($0)) } ?? false
            }
            if own.isEmpty { continue }
            found.removeAll { entry in own.contains { $0.name == entry.name } }
            wanted["\(join.name)_\(join.memberColumn)_INDEX"] = nil
        }
    }
}
