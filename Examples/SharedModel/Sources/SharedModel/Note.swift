// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A hand-written class that also compiles with Apple's framework.

import CoreData

#if canImport(ObjectiveC)
    @objc(Note)
#endif
public final class Note: NSManagedObject {
    public enum Kind: Int16, Sendable {
        case plain, list, drawing
    }

    @NSManaged public var title: String
    @NSManaged public private(set) var created: Date
    @NSManaged public var colour: Colour?
    @NSManaged public var pages: NSOrderedSet?
    @NSManaged public var tags: Set<Tag>
    @NSManaged private var primitiveKind: NSNumber?

    public var kind: Kind {
        get {
            willAccessValue(forKey: "kind")
            defer { didAccessValue(forKey: "kind") }
            return primitiveKind.flatMap { Kind(rawValue: $0.int16Value) } ?? .plain
        }
        set {
            willChangeValue(forKey: "kind")
            primitiveKind = NSNumber(value: newValue.rawValue)
            didChangeValue(forKey: "kind")
        }
    }

    public override func awakeFromInsert() {
        super.awakeFromInsert()
        created = Date()
    }

    public class func request(tagged name: String) -> NSFetchRequest<Note> {
        let request = NSFetchRequest<Note>(entityName: "Note")
        request.predicate = NSPredicate(format: "ANY tags.name == %@", name)
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        return request
    }
}

// MARK: Generated accessors for pages and tags
extension Note {
    @NSManaged public func addToPages(_ value: Page)
    @NSManaged public func insertIntoPages(_ value: Page, at idx: Int)
    @NSManaged public func removeFromPages(at idx: Int)
    @NSManaged public func addToTags(_ value: Tag)
    @NSManaged public func removeFromTags(_ values: NSSet)
}
