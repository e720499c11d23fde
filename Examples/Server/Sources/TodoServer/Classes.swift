// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The managed object classes of the model.

import CoreData
import Foundation

final class Project: NSManagedObject {
    @NSManaged var name: String?
    @NSManaged var todos: Set<Todo>
}

final class Todo: NSManagedObject {
    @NSManaged var created: Date?
    @NSManaged var id: UUID?
    @NSManaged var isDone: Bool
    @NSManaged var title: String?
    @NSManaged var project: Project?

    override func awakeFromInsert() {
        super.awakeFromInsert()
        created = Date()
        id = UUID()
    }
}
