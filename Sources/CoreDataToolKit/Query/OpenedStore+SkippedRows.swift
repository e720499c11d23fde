// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Says how many rows of a damaged store a query could not show.

import CoreData

extension OpenedStore {
    /// A sentence about rows that belong to no object, for standard error; nil where the queries so far met none.
    ///
    /// - Complexity: one pass over the entity's table where there are such rows, else none.
    package func remarkOnSkippedRows(of entityName: String) throws -> String? {
        let stores = context.persistentStoreCoordinator?.persistentStores ?? []
        guard stores.contains(where: \.hasMetForeignRows) else { return nil }
        let name = try entity(named: entityName).name ?? entityName
        let request = NSFetchRequest<NSManagedObject>(entityName: name)
        let count = try context.performAndWait {
            try request.explain(in: context).stores.reduce(0) { $0 + $1.skippedRows }
        }
        if count == 0 { return nil }
        let rows = count == 1 ? "1 row" : "\(count) rows"
        return "\(rows) in the table of \(name) passed over: Z_ENT or Z_PK belongs to no object."
    }
}
