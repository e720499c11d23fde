// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Random edits of an app, each one a save.
import CoreData
import Foundation

/// Edits objects of a context, as an app's code would.
struct SimulationEdits {
    let context: NSManagedObjectContext
    var random: SimulationRandom
    /// The users to whom new objects belong, the editing one several times; empty in runs without shapes.
    var owners: [String] = []
    /// Whether the last save had changes that a store keeps.
    private(set) var isPersistent = false
    /// The objects that were inserted since the last save, in this order: their ids are random until then.
    private var inserted: [NSManagedObject] = []

    init(context: NSManagedObjectContext, random: SimulationRandom, owners: [String]) {
        self.context = context
        self.random = random
        self.owners = owners
    }

    /// Makes one to four edits and saves them as one transaction. A save that the model's rules forbid changes
    /// nothing.
    ///
    /// - Returns: whether it was saved.
    mutating func transaction(isServer: Bool) throws -> Bool {
        for _ in 0..<Int.random(in: 1...4, using: &random) { try edit(isServer: isServer) }
        try giveOwners()
        guard context.hasChanges else { return false }
        context.processPendingChanges()
        isPersistent =
            !context.insertedObjects.isEmpty || !context.deletedObjects.isEmpty
            || context.updatedObjects.contains { $0.hasPersistentChangedValues && !$0.changedValues().isEmpty }
        do {
            try context.save()
            return true
        } catch {
            context.rollback()
            return false
        }
    }

    /// New objects get owners, and some others new ones.
    private mutating func giveOwners() throws {
        guard !owners.isEmpty else { return }
        for object in inserted where ["Note", "Folder"].contains(object.entity.name ?? "") && !object.isDeleted {
            object.setValue(owner(), forKey: "owner")
        }
        if random.chance(0.2) { try any("Note")?.setValue(owner(), forKey: "owner") }
        if random.chance(0.1) { try any("Folder")?.setValue(owner(), forKey: "owner") }
    }

    private mutating func owner() -> String { owners[Int.random(in: 0..<owners.count, using: &random)] }

    private mutating func edit(isServer: Bool) throws {
        let number = Int.random(in: 0..<(isServer ? 28 : 27), using: &random)
        switch number {
        case 0: insert("Folder").setValue(text(), forKey: "title")
        case _ where try all("Note").count < 2: try insertNote()
        case 1...3: try insertNote()
        case 4: try insertTag()
        case 5...6: try insertStep()
        case 7: try insertCover()
        case 8...10: try any("Note")?.setValue(text(), forKey: "title")
        case 11: try any("Note")?.setValue(Int.random(in: 0...110, using: &random), forKey: "size")
        case 12: try weigh()
        case 13...14: try count()
        case 15...16: try any("Note")?.setValue(try any("Folder"), forKey: "folder")
        case 17...18: try toggleTag()
        case 19: try moveStep()
        case 20: try any("Cover")?.setValue(try any("Note"), forKey: "note")
        case 21...22: try pair()
        case 23: try any("Tag")?.setValue(label(), forKey: "label")
        case 24: try delete()
        case 25...26: try any("Note")?.setValue(photo(), forKey: "photo")
        default: insert(SimulationModel.hidden).setValue(text(), forKey: "text")
        }
    }

    private mutating func insert(_ entity: String) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        inserted.append(object)
        return object
    }

    private mutating func text() -> String { "t\(Int.random(in: 0..<1000, using: &random))" }
    /// One of twelve photos, so that some have equal content, or none.
    private mutating func photo() -> Data? {
        let number = Int.random(in: 0..<14, using: &random)
        return number > 11 ? nil : Data(repeating: UInt8(number + 1), count: number * 13)
    }
    private mutating func label() -> String { "l\(Int.random(in: 0..<6, using: &random))" }

    /// One of the objects of an entity, by the order of their ids; new ones by that of their insertion.
    private mutating func any(_ entity: String) throws -> NSManagedObject? {
        let objects = try all(entity)
        return objects.isEmpty ? nil : objects[Int.random(in: 0..<objects.count, using: &random)]
    }

    private func all(_ entity: String) throws -> [NSManagedObject] {
        let objects = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)).filter { !$0.isDeleted }
        let saved = objects.filter { !$0.objectID.isTemporaryID }
            .map { ($0.objectID.uriRepresentation().absoluteString, $0) }
            .sorted { ($0.0.utf8.count, $0.0) < ($1.0.utf8.count, $1.0) }.map(\.1)
        return saved + inserted.filter { $0.entity.name == entity && objects.contains($0) }
    }

    private mutating func insertNote() throws {
        let note = insert("Note")
        var source = random
        note.setValue(source.id().uuidString, forKey: "mark")
        note.setValue(text(), forKey: "title")
        note.setValue(Int.random(in: 0...5, using: &random), forKey: "views")
        note.setValue(
            Date(timeIntervalSinceReferenceDate: Double(Int.random(in: 0..<9, using: &random))), forKey: "day")
        if random.chance(0.5) { note.setValue(try any("Folder"), forKey: "folder") }
    }

    private mutating func weigh() throws {
        let (note, weight) = (try any("Note"), Double.random(in: -1...1, using: &random))
        let isOld = note?.entity.attributesByName["mass"] != nil
        note?.setValue(weight, forKey: isOld ? "mass" : "weight")
        if !isOld { note?.setValue("extra \(weight)", forKey: "extra") }
    }

    private mutating func insertTag() throws {
        let label = label()
        let tags = try all("Tag")
        if tags.contains(where: { $0.value(forKey: "label") as? String == label }) { return }
        let tag = insert("Tag")
        tag.setValue(label, forKey: "label")
        tag.setValue(text(), forKey: "color")
        if random.chance(0.5), let note = try any("Note") {
            tag.setValue(Set([note]), forKey: "notes")
        }
    }

    private mutating func insertStep() throws {
        guard let note = try any("Note") else { return }
        let step = insert("Step")
        step.setValue(text(), forKey: "text")
        step.setValue(note, forKey: "note")
    }

    private mutating func insertCover() throws {
        let cover = insert("Cover")
        cover.setValue(random.id(), forKey: "id")
        cover.setValue(try any("Note"), forKey: "note")
    }

    private mutating func count() throws {
        guard let note = try any("Note") else { return }
        let views = (note.value(forKey: "views") as? NSNumber)?.int64Value ?? 0
        note.setValue(views + Int64.random(in: 1...9, using: &random), forKey: "views")
    }

    private mutating func toggleTag() throws {
        guard let note = try any("Note"), let tag = try any("Tag") else { return }
        var tags = note.value(forKey: "tags") as? Set<NSManagedObject> ?? []
        if tags.remove(tag) == nil { tags.insert(tag) }
        note.setValue(tags, forKey: "tags")
    }

    private mutating func moveStep() throws {
        let notes = try all("Note").filter { ($0.value(forKey: "steps") as? NSOrderedSet)?.count ?? 0 > 1 }
        guard let note = notes.randomElement(using: &random),
            let steps = note.value(forKey: "steps") as? NSOrderedSet
        else { return }
        var array = steps.array
        let moved = array.remove(at: Int.random(in: 0..<array.count, using: &random))
        array.insert(moved, at: Int.random(in: 0...array.count, using: &random))
        note.setValue(NSOrderedSet(array: array), forKey: "steps")
    }

    /// Makes, changes or deletes both halves of a pair.
    private mutating func pair() throws {
        let halves = try all("Half")
        if halves.isEmpty || random.chance(0.3) {
            let (name, value) = (random.id().uuidString, Int.random(in: 0..<1000, using: &random))
            for half in [insert("Half"), insert("Half")] {
                half.setValue(name, forKey: "pair")
                half.setValue(value, forKey: "value")
            }
            return
        }
        let name = halves[Int.random(in: 0..<halves.count, using: &random)].value(forKey: "pair") as? String
        let value = Int.random(in: 0..<1000, using: &random)
        let isDeletion = random.chance(0.15)
        for half in halves where half.value(forKey: "pair") as? String == name {
            if isDeletion { context.delete(half) } else { half.setValue(value, forKey: "value") }
        }
    }

    private mutating func delete() throws {
        let entity = ["Folder", "Note", "Note", "Tag", "Step", "Cover"][Int.random(in: 0..<6, using: &random)]
        if let object = try any(entity) { context.delete(object) }
    }
}
