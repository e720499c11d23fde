// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The contents of the did-change notification of one event.

import Foundation

/// The objects of one event, by the kind of their change.
struct EventChanges {
    var inserted: [NSManagedObject] = []
    var updated: [NSManagedObject] = []
    var deleted: [NSManagedObject] = []
    var refreshed: [NSManagedObject] = []
    var invalidatedAll: [NSManagedObjectID]?

    var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty && invalidatedAll == nil
    }
}
