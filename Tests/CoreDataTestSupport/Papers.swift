// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The sample for full-text search: folders, papers, letters.

public import CoreData

/// A folder has many papers; a letter is a paper with a sender. Names, titles, bodies and senders are searched,
/// keywords by trigrams.
public enum PapersModel {
    public static func make() -> NSManagedObjectModel {
        let folder = NSEntityDescription("Folder")
        folder.attribute("name", .stringAttributeType).isIndexedBySpotlight = true
        let paper = NSEntityDescription("Paper")
        paper.attribute("title", .stringAttributeType).isIndexedBySpotlight = true
        paper.attribute("body", .stringAttributeType).isIndexedBySpotlight = true
        let keywords = paper.attribute("keywords", .stringAttributeType)
        keywords.isIndexedBySpotlight = true
        keywords.userInfo = ["search": "trigram"]
        paper.attribute("number", .integer64AttributeType, optional: false, default: 0)
        paper.attribute("remark", .stringAttributeType)
        let letter = NSEntityDescription("Letter")
        letter.attribute("sender", .stringAttributeType).isIndexedBySpotlight = true
        paper.subentities = [letter]
        folder.relate("papers", .many, to: paper, inverse: "folder", .one)
        // Not searched.
        let shelf = NSEntityDescription("Shelf")
        shelf.attribute("label", .stringAttributeType)
        shelf.relate("folders", .many, to: folder, inverse: "shelf", .one)
        return NSManagedObjectModel(folder, paper, letter, shelf)
    }
}

/// A stack with papers, found by their numbers.
public struct Papers {
    public let stack: Stack
    public var context: NSManagedObjectContext { stack.context }

    public init(in kind: StoreKind, options: [AnyHashable: Any]? = nil) throws {
        stack = try Stack(kind, PapersModel.make(), options: options)
    }

    /// Inserts a paper, or a letter if it has a sender.
    @discardableResult
    public func paper(
        _ number: Int, _ title: String?, _ body: String? = nil, keywords: String? = nil, sender: String? = nil,
        in folder: NSManagedObject? = nil
    ) -> NSManagedObject {
        let entity = sender == nil ? "Paper" : "Letter"
        let paper = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        paper.setValue(number, forKey: "number")
        paper.setValue(title, forKey: "title")
        paper.setValue(body, forKey: "body")
        paper.setValue(keywords, forKey: "keywords")
        if let sender { paper.setValue(sender, forKey: "sender") }
        paper.setValue(folder, forKey: "folder")
        return paper
    }

    @discardableResult
    public func folder(_ name: String) -> NSManagedObject {
        let folder = NSEntityDescription.insertNewObject(forEntityName: "Folder", into: context)
        folder.setValue(name, forKey: "name")
        return folder
    }

    public static func request(_ format: String, _ arguments: Any...) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Paper")
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        return request
    }

    /// The numbers of the papers that match, in order.
    public func numbers(_ format: String, _ arguments: Any..., in context: NSManagedObjectContext? = nil) throws
        -> [Int]
    {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Paper")
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        return try (context ?? self.context).fetch(request).map { $0.value(forKey: "number") as? Int ?? -1 }
    }
}
