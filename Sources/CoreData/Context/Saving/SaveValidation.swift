// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Validates everything that is about to be saved, and reports all failures at once.

import Foundation

struct SaveValidation {
    private let context: NSManagedObjectContext

    init(_ context: NSManagedObjectContext) { self.context = context }

    /// - Throws: the one failure, or 1560 with all of them.
    func run() throws {
        var errors: [NSError] = []
        for object in context.tracker.unsaved where object.hasChanges && !object.flags.contains(.inaccessible) {
            do {
                if object.isDeleted {
                    try object.validateForDelete()
                } else if object.isInserted {
                    try object.validateForInsert()
                } else if object.hasPersistentChangedValues {
                    try object.validateForUpdate()
                }
            } catch {
                errors.append(error as NSError)
            }
        }
        if let error = CoreDataError.multipleValidation(errors) { throw error }
    }
}
