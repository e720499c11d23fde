// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the comments of managed objects, ids and models.

import CoreDataModeling
import Foundation
import Testing

// snippet: accessor
final class Poem: NSManagedObject {
    var author: String? {
        get {
            willAccessValue(forKey: "author")
            defer { didAccessValue(forKey: "author") }
            return primitiveValue(forKey: "author") as? String
        }
        set {
            willChangeValue(forKey: "author")
            setPrimitiveValue(newValue, forKey: "author")
            didChangeValue(forKey: "author")
        }
    }
}
// end

@ManagedObject final class Binder: NSManagedObject {
    var scanCount: Int = 0
    @Relationship(inverse: "binder") var scans: Set<Scan>
}

@ManagedObject final class Scan: NSManagedObject {
    var title: String = ""
    var modified: Date?
    @Relationship(inverse: "scans") var binder: Binder?

    // snippet: willSave
    override func willSave() {
        super.willSave()
        guard !isDeleted, changedValues()["modified"] == nil else { return }  // the program set it
        modified = Date()
    }
    // end

    // snippet: prepareForDeletion
    override func prepareForDeletion() {
        super.prepareForDeletion()
        if !isDeleted { binder?.scanCount -= 1 }  // a second delete(_:) calls this method again
    }
    // end
}

@Suite("Comments: objects") @MainActor struct ObjectExamples {
    private func filled() async throws -> (NSManagedObjectContext, Memo) {
        let context = try await Notebook().container.viewContext
        let note = Memo(context: context)
        note.title = "Groceries"
        try context.save()
        return (context, note)
    }

    @Test("an object is made, changed and saved") func making() async throws {
        let context = try await Notebook().container.viewContext
        // snippet: make
        let note = Memo(context: context)
        note.title = "Groceries"
        try context.save()
        // end
        #expect(!note.hasChanges)
    }

    @Test("a fault reads its row when a property is read") func faults() async throws {
        let (context, saved) = try await filled()
        let id = saved.objectID
        context.refreshAllObjects()
        // snippet: fault
        let note = context.object(with: id)
        print(note.isFault)  // true
        print(note.value(forKey: "title") ?? "")  // reads the row
        print(note.isFault)  // false
        // end
        #expect(!note.isFault)
    }

    @Test("changes since the last save") func changes() async throws {
        let (context, note) = try await filled()
        // snippet: changes
        note.title = "Grocery list"
        print(note.changedValues())  // ["title": "Grocery list"]
        print(note.committedValues(forKeys: ["title"]))  // ["title": "Groceries"]
        if note.hasChanges { try context.save() }
        print(note.changedValues())  // [:]
        // end
        #expect(note.changedValues().isEmpty)
    }

    @Test("a context without changes is not saved") func pending() async throws {
        let (context, note) = try await filled()
        note.title = "Garden"
        // snippet: pending
        if context.hasChanges { try context.save() }
        // end
        #expect(!context.hasChanges)
    }

    @Test("methods around a save and a deletion") func lifeCycle() async throws {
        let container = NSPersistentContainer(
            name: "Scans", managedObjectModel: try NSManagedObjectModel(classes: [Scan.self, Binder.self]))
        container.persistentStoreDescriptions = [NSPersistentStoreDescription()]
        try await container.loadPersistentStores()
        let context = container.viewContext
        let (scan, binder) = (Scan(context: context), Binder(context: context))
        (scan.title, scan.binder, binder.scanCount) = ("Passport", binder, 1)
        try context.save()
        #expect(scan.modified != nil)
        context.delete(scan)
        context.delete(scan)
        try context.save()
        #expect(binder.scanCount == 0)
    }

    @Test("the URI of an id outlives the program") func uris() async throws {
        let (context, note) = try await filled()
        // snippet: uri
        let uri = note.objectID.uriRepresentation()  // a file may keep its text
        if let id = context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri) {
            let same = try context.existingObject(with: id)
            print(same.objectID == note.objectID)  // true
        }
        // end
        #expect(context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri) == note.objectID)
    }

    @Test("an id goes to another context") func ids() async throws {
        let (context, note) = try await filled()
        let background = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        background.persistentStoreCoordinator = context.persistentStoreCoordinator
        // snippet: id
        let id = note.objectID  // permanent, because the note is saved
        try await background.perform {
            (background.object(with: id) as? Memo)?.title = "Grocery list"
            try background.save()
        }
        // end
        context.refreshAllObjects()
        #expect(note.title == "Grocery list")
    }

    @Test("accessors of a class by hand, and a model from a file") func model() async throws {
        let folder = try EmptyFolder()
        let url = folder.url.appending(path: "Poems.xcdatamodel")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let contents = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Poem" representedClassName="Poem">
                    <attribute name="author" optional="YES" attributeType="String"/>
                </entity>
            </model>
            """
        try contents.write(to: url.appending(path: "contents"), atomically: true, encoding: .utf8)
        // snippet: model
        guard let model = NSManagedObjectModel(contentsOf: url) else {
            throw CocoaError(.fileReadCorruptFile, userInfo: [NSFilePathErrorKey: url.path])
        }
        model.entitiesByName["Poem"]?.managedObjectClassName = NSStringFromClass(Poem.self)
        let container = NSPersistentContainer(name: "Poems", managedObjectModel: model)
        // end
        container.persistentStoreDescriptions = [NSPersistentStoreDescription()]
        try await container.loadPersistentStores()
        let poem = Poem(context: container.viewContext)
        poem.author = "Matsuo Basho"
        #expect(poem.changedValues().keys.sorted() == ["author"])
    }
}
