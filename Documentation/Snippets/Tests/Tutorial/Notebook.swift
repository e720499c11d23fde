// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The model of the tutorial: notes in folders, with tags.

import CoreDataModeling
import Foundation

// snippet: classes
@ManagedObject final class Memo: NSManagedObject {
    var title: String = ""
    var text: String?
    @Attribute(.indexed) var isPinned: Bool = false
    var created: Date?
    @Relationship(inverse: "notes") var folder: Folder?
    @Relationship(inverse: "notes") var tags: Set<Tag>

    override func awakeFromInsert() {
        super.awakeFromInsert()
        created = Date()
    }
}

@ManagedObject final class Folder: NSManagedObject {
    var name: String = ""
    @Relationship(inverse: "folder", deleteRule: .cascade) var notes: Set<Memo>
}

@ManagedObject final class Tag: NSManagedObject {
    @Attribute(.unique, rules: ["SELF.length > 0"]) var name: String = ""
    @Relationship(inverse: "tags") var notes: Set<Memo>
}
// end

// snippet: stack
struct Notebook: Sendable {
    static let model = try! NSManagedObjectModel(classes: [Memo.self, Folder.self, Tag.self])
    let container: NSPersistentContainer

    /// Opens the notebook in a file, or in memory if there is no file.
    init(at url: URL? = nil) async throws {
        container = NSPersistentContainer(name: "Notebook", managedObjectModel: Self.model)
        let description = NSPersistentStoreDescription(url: url ?? URL(fileURLWithPath: "/dev/null"))
        container.persistentStoreDescriptions = [description]
        try await container.loadPersistentStores()
    }
}
// end
