// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The schema that a SQLite file of a version has.

extension MigrationTarget {
    /// The schema of a new store, with the names that the file's join tables have.
    func schema(like inventory: StoreInventory) -> Schema {
        let found = try? Schema(model: layout, entities: names, in: inventory)
        return Schema(model: layout, entities: names, keeping: found.map { JoinNaming($0) })
    }
}
