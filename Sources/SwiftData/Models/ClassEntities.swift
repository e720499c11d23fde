// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The entities of model classes, for instances that are in no context yet.

import CoreData
import Foundation
import Synchronization

/// The entity that new instances of a class have before they are inserted. Not for direct use: each class has one.
public final class _ClassEntity: Sendable {
    let type: any PersistentModel.Type
    private let current = Mutex<EntityCompanion?>(nil)

    /// The record of a class.
    public nonisolated init(_ type: any PersistentModel.Type) { self.type = type }

    /// The entity in the schema that was used last. Before the first one, that of a schema of this class and the
    /// classes that its relationships reach.
    var companion: EntityCompanion {
        if let known = current.withLock({ $0 }) { return known }
        _ = SchemaModel.ofClass(type)
        guard let made = current.withLock({ $0 }) else {
            preconditionFailure("'\(type)' has no entity: mark the class '@Model'.")
        }
        return made
    }

    func use(_ companion: EntityCompanion) { current.withLock { $0 = companion } }
}

/// Finds the entities of classes.
enum ClassEntities {
    static func entity(of type: any PersistentModel.Type) -> NSEntityDescription {
        type._$entity.companion.entity
    }
}
