// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Edits of an app that meet those of other devices, which random edits seldom do.
import CoreData
import Foundation

/// A note and one of its tags.
struct Tagging {
    let note: NSManagedObjectID
    let tag: NSManagedObjectID
}

extension SimulatedDevice {
    /// Gives the first note a new tag with a label that no other device gives.
    func addTag(_ random: inout SimulationRandom) throws {
        _ = try asApp(&random) { context, random in
            guard let note = try notes(context).first else { return }
            let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
            tag.setValue("own \(random.id())", forKey: "label")
            tag.setValue(Set([note]), forKey: "notes")
            save(context)
        }
    }

    /// Removes the tag with the greatest label from the first note with tags, or gives a note a tag.
    ///
    /// - Returns: the note and the tag; nil if nothing was saved.
    func setTag(_ wanted: Tagging?, _ random: inout SimulationRandom) throws -> Tagging? {
        try asApp(&random) { context, _ in
            guard let chosen = try wanted ?? firstTagging(context) else { return nil }
            let (note, tag) = (context.object(with: chosen.note), context.object(with: chosen.tag))
            var tags = note.value(forKey: "tags") as? Set<NSManagedObject> ?? []
            if wanted == nil { tags.remove(tag) } else { tags.insert(tag) }
            note.setValue(tags, forKey: "tags")
            return save(context) ? chosen : nil
        }
    }

    /// Gives the first note a new cover, which takes it from another one.
    func addCover(_ random: inout SimulationRandom) throws {
        _ = try asApp(&random) { context, random in
            guard let note = try notes(context).first else { return }
            let cover = NSEntityDescription.insertNewObject(forEntityName: "Cover", into: context)
            cover.setValue(random.id(), forKey: "id")
            cover.setValue(note, forKey: "note")
            save(context)
        }
    }

    /// Moves the cover of the first note to the last one.
    func moveCover(_ random: inout SimulationRandom) throws {
        _ = try asApp(&random) { context, _ in
            let notes = try notes(context)
            guard let cover = notes.first?.value(forKey: "cover") as? NSManagedObject, notes.count > 1 else { return }
            cover.setValue(notes.last, forKey: "note")
            save(context)
        }
    }

    @discardableResult
    private func save(_ context: NSManagedObjectContext) -> Bool {
        guard (try? context.save()) != nil else { return false }
        saves += 1
        return true
    }

    private func notes(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.sortDescriptors = [NSSortDescriptor(key: "mark", ascending: true)]
        return try context.fetch(request)
    }

    private func firstTagging(_ context: NSManagedObjectContext) throws -> Tagging? {
        for note in try notes(context) {
            let tags = (note.value(forKey: "tags") as? Set<NSManagedObject> ?? []).map { tag in
                (tag.value(forKey: "label") as? String ?? "", tag.objectID)
            }
            if let tag = tags.max(by: { $0.0 < $1.0 }) { return Tagging(note: note.objectID, tag: tag.1) }
        }
        return nil
    }
}
