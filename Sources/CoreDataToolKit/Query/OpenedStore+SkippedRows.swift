// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reports the number of rows of a damaged store that a query could not show.

import CoreData

extension OpenedStore {
    /// A message about rows that belong to no object, for standard error; nil if no query has found any.
    ///
    /// - Complexity: one pass over the entity's table if there are such rows, otherwise none.
    package func skippedRowsMessage(of entityName: String) throws -> String? {
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
