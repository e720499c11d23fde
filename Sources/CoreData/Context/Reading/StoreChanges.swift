// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The changes of one save in one store, with the objects that they come from, and the outcome.

/// Made by `ChangeCollection`; the source adds the outcome.
struct StoreChanges {
    let store: any RecordStore
    /// The moment of the store's row cache before the save writes.
    let moment: Int
    var set = ChangeSet()
    var inserted: [NSManagedObject] = []
    var updated: [NSManagedObject] = []
    var deleted: [NSManagedObject] = []
    /// Objects with the flag `checked` that did not change.
    var checked: [NSManagedObject] = []
    var outcome = SaveOutcome()

    init(store: any RecordStore) {
        self.store = store
        moment = store.rowCache.moment
    }

    func with(_ outcome: SaveOutcome) -> StoreChanges {
        var result = self
        result.outcome = outcome
        return result
    }
}
