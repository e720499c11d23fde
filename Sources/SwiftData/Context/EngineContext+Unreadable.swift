// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Refuses saves that would overwrite values that could not be decoded. SwiftData-V6.

import CoreData
import Foundation

extension EngineContext {
    /// - Throws: an error if the save would overwrite bytes that could not be decoded. SwiftData-V6.
    func checkUnreadable() throws {
        for case let row as ModelRow in unsavedObjects.updated {
            guard let key = row.replacedUnread else { continue }
            throw ModelError(
                .modelValidationFailure, entity: row.entity.name, property: key, identifier: PersistentIdentifier(row),
                "the record has a value that the type of the property cannot be made of, so a save would lose it: roll "
                    + "back and use a type that reads it, or set the property through `managedObject` to replace it")
        }
    }
}
