// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What a context tells its children when it has saved. NestedContexts-7, NestedContexts-11 and NestedContexts-13.

import Foundation
import Synchronization

/// What a child has to know so that it goes on speaking of the same records as its parent.
struct FamilyNews: Sendable {
    /// Permanent ids of records that had temporary keys.
    var permanentIDs: [Int64: NSManagedObjectID] = [:]
    /// What `willSave` and the like made of values that a child may have given.
    var settled: [Settlement] = []

    /// A record whose values the parent changed on its own while it saved.
    struct Settlement: @unchecked Sendable {  // both blocks are shared, hence immutable
        let id: NSManagedObjectID
        let before: Snapshot
        let after: Snapshot
    }

    var isEmpty: Bool { permanentIDs.isEmpty && settled.isEmpty }
}

/// Letters to one context. Any thread may post, the context's queue reads.
final class Mailbox: Sendable {
    private let letters = Mutex<[FamilyNews]>([])
    private let hasLetters = Atomic<Bool>(false)

    /// Costs a load.
    @inline(__always) var isFull: Bool { hasLetters.load(ordering: .acquiring) }

    func post(_ news: FamilyNews) {
        letters.withLock { $0.append(news) }
        hasLetters.store(true, ordering: .releasing)
    }

    func take() -> [FamilyNews] {
        letters.withLock { letters in
            hasLetters.store(false, ordering: .relaxed)
            defer { letters = [] }
            return letters
        }
    }
}

extension NSManagedObjectContext {
    /// Takes in what an ancestor has told. On the context's queue.
    @inline(__always) func readNews() {
        if mailbox.isFull { openMail() }
    }

    func learnKeys() {
        if mailbox.isFull, queue.isCurrent(self) { openMail() }
    }

    private func openMail() {
        for news in mailbox.take() {
            for (temporary, id) in news.permanentIDs { registry.learn(id, of: temporary) }
            for settlement in news.settled { settle(settlement) }
        }
    }

    /// Posts to all descendants; each reads when its queue is next entered, or when it asks its parent.
    func tellDescendants(_ news: FamilyNews) {
        for child in children.all() {
            child.mailbox.post(news)
            child.tellDescendants(news)
        }
    }

    /// What the parent made of a value that it had from here is no conflict: the next comparison starts from there.
    private func settle(_ settlement: FamilyNews.Settlement) {
        let (before, after) = (settlement.before, settlement.after)
        guard let object = registry.object(settlement.id.objectKey, settlement.id.home), !object.isFault,
            let base = object.parentRow
        else { return }
        let row = base.copy()
        for slot in row.layout.attributeSlots + row.layout.toOneSlots
        where !before.isEqual(after, slot: slot) && base.isEqual(before, slot: slot) { row.take(slot, from: after) }
        object.extensionMade.parentRow = row
    }

    /// The store of the record that a reference means, for an object that is in no store yet itself.
    func home(of reference: Reference) -> StoreIdentity? {
        guard let coordinator = persistentStoreCoordinator else { return nil }
        let stores = coordinator.persistentStores
        if stores.count == 1 { return stores[0].identity }
        if let home = registry.home(of: reference) { return home }
        if let parent = ParentAccess(self) { return parent.home(of: reference) }
        return coordinator.store(forInserting: registry.model.layouts[reference.entityIndex])?.identity
    }
}

extension NSManagedObject {
    /// The row that the parent is known to have: the one that was read there, or what the parent made of it while it
    /// saved.
    final var parentRow: Snapshot? { rare?.parentRow ?? rare?.committed ?? snapshot }
}
