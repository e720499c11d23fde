// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States how often a save with conflicts is tried again.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Lets another context commit between the conflict and the next attempt.
private final class InterruptedPolicy: NSMergePolicy, @unchecked Sendable {
    private let interrupt: @Sendable () -> Void
    private let resolves: Bool

    init(resolves: Bool, _ interrupt: @escaping @Sendable () -> Void) {
        self.interrupt = interrupt
        self.resolves = resolves
        super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    }

    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        if resolves { try super.resolve(optimisticLockingConflicts: list) }
        interrupt()
    }
}

private final class Interruptions: @unchecked Sendable {
    var left: Int
    var failure: (any Error)?
    init(_ count: Int) { left = count }
}

@Suite("Conflicts that come back") struct RepeatedConflictSpecification {
    /// Proves: C23
    @Test("a save succeeds though others commit between its attempts; no change is lost", arguments: StoreKind.all)
    func othersCommit(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let book = shop.book("Dune")
        try shop.context.save()
        let id = book.objectID
        let other = shop.stack.newContext(.privateQueueConcurrencyType)
        let interruptions = Interruptions(25)
        book.title = "Mine"
        try other.performAndWait { try Self.addPage(id, other) }
        shop.context.mergePolicy = InterruptedPolicy(resolves: true) {
            guard interruptions.left > 0 else { return }
            interruptions.left -= 1
            do {
                try other.performAndWait { try Self.addPage(id, other) }
            } catch {
                interruptions.failure = error
            }
        }
        try shop.context.save()
        #expect(interruptions.left == 0 && interruptions.failure == nil)
        let third = shop.stack.newContext(.privateQueueConcurrencyType)
        let values = try third.performAndWait {
            let stored = try #require(try third.existingObject(with: id) as? Book)
            return "\(stored.title ?? "") \(stored.pages)"
        }
        #expect(values == "Mine 126")
    }

    /// Proves: C23
    @Test("a policy that does not resolve its conflicts fails the save, and everything stays pending")
    func unresolved() throws {
        let shop = try Bookshop(in: .sqlite)
        let book = shop.book("Dune")
        try shop.context.save()
        let id = book.objectID
        let other = shop.stack.newContext(.privateQueueConcurrencyType)
        try other.performAndWait { try Self.addPage(id, other) }
        book.title = "Mine"
        shop.context.mergePolicy = InterruptedPolicy(resolves: false) {}
        let error = try #require(shop.context.saveFailure())
        #expect(error.code == NSPersistentStoreSaveError)
        #expect(error.localizedDescription.contains("Conflicts came back"))
        #expect(book.title == "Mine" && book.hasChanges)
    }

    private static func addPage(_ id: NSManagedObjectID, _ context: NSManagedObjectContext) throws {
        context.refreshAllObjects()
        let book = try #require(try context.existingObject(with: id) as? Book)
        book.pages += 1
        try context.save()
    }
}
