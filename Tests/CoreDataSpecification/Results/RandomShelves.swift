// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Random work on a bookshop that several results controllers follow.

import CoreData
import CoreDataTestSupport
import Foundation

/// Controllers of many kinds over the same books, each with a list that follows its reports.
final class RandomShelves {
    enum Place: Sendable {
        case alone
        /// Another context saves, and this one merges.
        case besideOthers
        case child
    }

    private struct Followed {
        let controller: NSFetchedResultsController<Book>
        let list = MirroredList()
    }

    private let shop: Bookshop
    private let place: Place
    private let context: NSManagedObjectContext
    private let other: NSManagedObjectContext
    private var random: SeededGenerator
    private var followed: [Followed] = []

    init(_ store: StoreKind, _ place: Place, seed: UInt64) throws {
        shop = try Bookshop(in: store)
        self.place = place
        random = SeededGenerator(seed: seed)
        other = shop.stack.newContext()
        if place == .child {
            let parent = shop.stack.newContext(.privateQueueConcurrencyType)
            context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.parent = parent
        } else {
            context = shop.stack.newContext(.privateQueueConcurrencyType)
        }
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try context.performAndWait {
            context.undoManager = UndoManager()
            for _ in 0..<12 { insertBook() }
            try saveAll()
            try follow(nil, ["title"])
            try follow(nil, ["title"], sections: "pages")
            try follow("pages < 5", ["-pages"], sections: "author.name")
            try follow("author.name < 'c'", ["author.name", "title"], offset: 2, limit: 5)
            try follow(nil, ["-title"], sections: "pages", offset: 1, limit: 6)
            try follow("author.books.@count > 2 OR author = nil", ["author.name", "-title"], sections: "title")
            try follow("ANY author.books.pages > 7", ["pages", "title"], sections: "author.name", limit: 7)
        }
    }

    private func follow(
        _ predicate: String?, _ keys: [String], sections: String? = nil, offset: Int = 0, limit: Int = 0
    ) throws {
        let request = Book.request()
        request.predicate = predicate.map { NSPredicate(format: $0) }
        request.sortDescriptors = keys.map {
            NSSortDescriptor(key: $0.replacingOccurrences(of: "-", with: ""), ascending: !$0.hasPrefix("-"))
        }
        (request.fetchOffset, request.fetchLimit) = (offset, limit)
        let followed = Followed(
            controller: NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections, cacheName: nil))
        followed.controller.delegate = followed.list
        try followed.controller.performFetch()
        followed.list.start(followed.controller)
        self.followed.append(followed)
    }

    var pairs: Int { followed.reduce(0) { $0 + $1.list.pairs } }

    // MARK: Work

    /// - Returns: the operations.
    func step() throws -> String {
        try context.performAndWait {
            var done: [String] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) { done.append(try change()) }
            context.processPendingChanges()
            return done.joined(separator: ", ")
        }
    }

    private func change() throws -> String {
        switch Int.random(in: 0..<24, using: &random) {
        case 0...2:
            insertBook()
            return "insert"
        case 3...5:
            guard let book = try books().randomElement(using: &random) else { return "-" }
            context.delete(book)
            return "delete"
        case 6...9:
            try books().randomElement(using: &random)?.title = title()
            return "title"
        case 10...12:
            try books().randomElement(using: &random)?.pages = Int.random(in: 0..<9, using: &random)
            return "pages"
        case 13, 14:
            try books().randomElement(using: &random)?.author = try author()
            return "author"
        case 15, 16:
            try authors().randomElement(using: &random)?.name = title()
            return "rename author"
        case 17:
            guard let author = try authors().randomElement(using: &random) else { return "-" }
            context.delete(author)
            return "delete author"
        case 18: return try refresh()
        case 19:
            context.processPendingChanges()
            context.rollback()
            return "rollback"
        case 20: return try undo()
        case 21, 22:
            try saveAll()
            return "save"
        default: return try workElsewhere()
        }
    }

    private func undo() throws -> String {
        context.processPendingChanges()
        guard let manager = context.undoManager else { return "-" }
        if manager.canRedo, random.chance(0.3) {
            context.redo()
            return "redo"
        }
        let count = Int.random(in: 1...3, using: &random)
        for _ in 0..<count where manager.canUndo { context.undo() }
        return "undo \(count)"
    }

    private func refresh() throws -> String {
        if random.chance(0.2) {
            context.refreshAllObjects()
            return "refresh all"
        }
        guard let book = try books().randomElement(using: &random), !book.hasChanges else { return "-" }
        context.refresh(book, mergeChanges: random.chance(0.5))
        return "refresh"
    }

    private func workElsewhere() throws -> String {
        guard place == .besideOthers else { return "-" }
        let saves = NotificationLog(.NSManagedObjectContextDidSaveObjectIDs, of: other)
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            let books = try other.fetch(Book.request())
            guard let book = books.randomElement(using: &random) else { continue }
            switch Int.random(in: 0..<6, using: &random) {
            case 0: shop.book(title(), pages: Int.random(in: 0..<9, using: &random), by: book.author, in: other)
            case 1: other.delete(book)
            case 2: book.pages = Int.random(in: 0..<9, using: &random)
            case 3: book.author?.name = title()
            case 4: book.author = books.randomElement(using: &random)?.author
            default: book.title = title()
            }
        }
        try other.save()
        for notification in saves.notifications { context.mergeChanges(fromContextDidSave: notification) }
        other.reset()
        return "merge"
    }

    private func saveAll() throws {
        try context.save()
        guard let parent = context.parent, random.chance(0.5) else { return }
        try parent.performAndWait { try parent.save() }
        // The permanent ids of the parent's save arrive with the next event.
        try books().first?.setValue(nil, forKey: "note")
    }

    private func insertBook() {
        let book = Book(context: context)
        book.title = title()
        book.pages = Int.random(in: 0..<9, using: &random)
        book.author = try? author()
    }

    private func author() throws -> Author? {
        if random.chance(0.15) { return nil }
        let authors = try authors()
        if authors.count < 5, random.chance(0.5) {
            let author = Author(context: context)
            author.name = title()
            return author
        }
        return authors.randomElement(using: &random)
    }

    private func title() -> String { ["a", "b", "c", "d", "e", "f"].randomElement(using: &random) ?? "a" }

    private func books() throws -> [Book] { inOrder(try context.fetch(Book.request())) }

    private func authors() throws -> [Author] {
        inOrder(try context.fetch(NSFetchRequest<Author>(entityName: "Author")))
    }

    private func inOrder<T: NSManagedObject>(_ objects: [T]) -> [T] { objects.sorted { Self.tie($0) < Self.tie($1) } }

    // MARK: Judging

    /// All differences in the present state.
    func failures() throws -> [String] {
        try context.performAndWait {
            var failures: [String] = []
            let all = try books()
            for (number, followed) in followed.enumerated() {
                failures += followed.list.failures.map { "controller \(number): \($0)" }
                let expected = Self.expected(followed.controller, all)
                if expected != followed.list.sections {
                    let found = Self.text(followed.list.sections)
                    failures.append("controller \(number) lists \(found), not \(Self.text(expected))")
                }
                guard !context.hasChanges, !isParentChanged else { continue }
                let fetched = try context.fetch(followed.controller.fetchRequest)
                let grouped = Self.grouped(fetched, by: followed.controller.sectionNameKeyPath)
                let shown: [NSManagedObject] = followed.controller.fetchedObjects ?? []
                if grouped.flatMap({ $0 }) != shown {
                    failures.append("controller \(number): a fetch gives \(Self.text(grouped))")
                }
            }
            return failures
        }
    }

    private var isParentChanged: Bool {
        guard let parent = context.parent else { return false }
        return parent.performAndWait { parent.hasChanges }
    }

    private static func text(_ sections: [[NSManagedObject]]) -> String {
        sections.map { $0.map { "\($0.value(forKey: "title") ?? "-")\(tie($0).1)" }.joined(separator: " ") }
            .joined(separator: " | ")
    }

    /// The results of the request, computed from the present objects.
    private static func expected(_ controller: NSFetchedResultsController<Book>, _ all: [Book]) -> [[NSManagedObject]] {
        let request = controller.fetchRequest
        let descriptors = request.sortDescriptors ?? []
        let isUpwards = descriptors.last?.ascending ?? true
        let sorted = all.filter { request.predicate?.evaluate(with: $0) ?? true }.sorted { one, other in
            for descriptor in descriptors {
                let result = descriptor.compare(one, to: other)
                if result != .orderedSame { return result == .orderedAscending }
            }
            return isUpwards ? tie(one) < tie(other) : tie(other) < tie(one)
        }
        let rest = sorted.dropFirst(request.fetchOffset)
        let window = request.fetchLimit > 0 ? Array(rest.prefix(request.fetchLimit)) : Array(rest)
        let sections = grouped(window, by: controller.sectionNameKeyPath)
        return sections.isEmpty && controller.sectionNameKeyPath == nil ? [[]] : sections
    }

    private static func grouped(_ objects: [Book], by keyPath: String?) -> [[NSManagedObject]] {
        guard let keyPath else { return objects.isEmpty ? [] : [objects] }
        var names: [String] = []
        var sections: [[NSManagedObject]] = []
        for object in objects {
            let name = object.value(forKeyPath: keyPath).map { "\($0)" } ?? ""
            if let known = names.firstIndex(of: name) {
                sections[known].append(object)
            } else {
                names.append(name)
                sections.append([object])
            }
        }
        return sections
    }

    /// Saved objects by key, then insertions in the order in which they were made.
    private static func tie(_ object: NSManagedObject) -> (Int, Int) {
        let id = object.objectID
        let number = Int(id.uriRepresentation().lastPathComponent.dropFirst()) ?? 0
        return (id.isTemporaryID ? 1 : 0, number)
    }
}
