// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Delete rules read and write sets of rows: the number of statements does not depend on that of the deleted objects.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Proves: C20, and the limit that deletions run a bounded number of statements
@Suite("Statements of deletions") struct DeletionStatementTests {
    @Test("are as many for thousands of objects as for a hundred", arguments: Deletion.allCases, [true, false])
    func bounded(deletion: Deletion, asFaults: Bool) throws {
        let few = try statements(deletion, 100, asFaults: asFaults)
        let many = try statements(deletion, deletion == .books ? 4_000 : 2_000, asFaults: asFaults)
        #expect(many.count == few.count)
        #expect(many.count <= deletion.mostStatements, "\(many.map { $0.prefix(100) })")
    }

    private func statements(_ deletion: Deletion, _ count: Int, asFaults: Bool) throws -> [String] {
        let stack = try Stack(.sqlite, deletion.model)
        var objects = deletion.populate(stack.context, count)
        try stack.context.save()
        let left = try rowCount(stack) - objects.count - deletion.cascaded(count)
        let context = asFaults ? stack.newContext() : stack.context
        if asFaults {
            (stack.store as? SQLiteStore)?.rowCache.forgetAll()
            objects = objects.map { context.object(with: $0.objectID) }
        }
        let counter = try StatementCounter(stack.store)
        for object in objects { context.delete(object) }
        try context.save()
        let statements = counter.statements
        #expect(try rowCount(stack) == left)
        return statements
    }

    private func rowCount(_ stack: Stack) throws -> Int {
        try stack.model.entities.reduce(0) { sum, entity in
            sum + (try stack.newContext().count(for: NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")))
        }
    }

    /// Proves: C20
    @Test("that a Deny rule forbids are as many, too") func denied() throws {
        let few = try deniedStatements(100)
        let many = try deniedStatements(2_000)
        #expect(many == few)
        #expect(many <= 10)
    }

    private func deniedStatements(_ count: Int) throws -> Int {
        let company = try Company(in: .sqlite)
        for number in 0..<count { company.employee("\(number)", in: company.department("\(number)")) }
        try company.context.save()
        (company.stack.store as? SQLiteStore)?.rowCache.forgetAll()
        let context = company.stack.newContext()
        let request = NSFetchRequest<Department>(entityName: "Department")
        let departments = try context.fetch(request)
        let counter = try StatementCounter(company.stack.store)
        for department in departments { context.delete(department) }
        let error = context.saveFailure()
        let statements = counter.statements.count
        #expect(error?.code == CocoaError.Code.validationMultipleErrors.rawValue)
        #expect((error?.userInfo[NSDetailedErrorsKey] as? [NSError])?.count == count)
        return statements
    }
}

/// Many objects that are deleted at once, and the effect on their neighbours.
enum Deletion: CaseIterable {
    /// Of one author with many books: the books stay, without an author.
    case ownerOfMany
    /// Many books, each with a separate author, who stays.
    case membersOfMany
    /// Many books with a chapter each, which are deleted too, and tags, which stay.
    case books
    /// Of the root of a tree ten levels deep.
    case tree
    /// Members of ordered relationships, each of another owner, which stays.
    case orderedMembers
    /// Nodes with neighbours, a twin and a next one, which stay.
    case neighbours

    var model: NSManagedObjectModel {
        switch self {
        case .ownerOfMany, .membersOfMany, .books: BookshopModel.make()
        case .tree, .orderedMembers, .neighbours: GraphModel.make()
        }
    }

    /// One for each relationship that is followed, some for each wave, and the save's own.
    var mostStatements: Int {
        switch self {
        case .tree: 50
        default: 20
        }
    }

    /// - Returns: the objects to delete.
    func populate(_ context: NSManagedObjectContext, _ count: Int) -> [NSManagedObject] {
        switch self {
        case .ownerOfMany:
            let author = Author(context: context)
            author.name = "Anonymous"
            for number in 0..<count { book(number, context).author = author }
            return [author]
        case .membersOfMany:
            return (0..<count).map { number in
                let author = Author(context: context)
                author.name = "\(number)"
                let book = book(number, context)
                book.author = author
                return book
            }
        case .books:
            let tags = (0..<10).map { number in
                let tag = Tag(context: context)
                tag.name = "\(number)"
                return tag
            }
            return (0..<count).map { number in
                let book = book(number, context)
                book.tags = [tags[number % 10], tags[(number + 1) % 10]]
                Chapter(context: context).book = book
                return book
            }
        case .tree:
            let root = Node(context: context)
            var level = [root]
            for _ in 0..<9 {
                level = (0..<count / 10).map { number in
                    let node = Node(context: context)
                    node.parent = level[number % level.count]
                    return node
                }
            }
            return [root]
        case .orderedMembers:
            return (0..<count).map { _ in
                let (child, parent) = (Node(context: context), Node(context: context))
                child.parent = parent
                Node(context: context).parent = parent
                return child
            }
        case .neighbours:
            let common = Node(context: context)
            return (0..<count).map { _ in
                let (node, other) = (Node(context: context), Node(context: context))
                node.neighbours = [other, common]
                node.twin = other
                node.next = other
                return node
            }
        }
    }

    /// The number of objects that are deleted as well.
    func cascaded(_ count: Int) -> Int {
        switch self {
        case .books: count
        case .tree: count / 10 * 9
        default: 0
        }
    }

    private func book(_ number: Int, _ context: NSManagedObjectContext) -> Book {
        let book = Book(context: context)
        book.title = "\(number)"
        return book
    }
}
