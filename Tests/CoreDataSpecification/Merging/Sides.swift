// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Two contexts that change the same records: the scene of the suites about merging.

import CoreData
import CoreDataTestSupport
import Foundation

/// The policies that resolve conflicts.
enum Winner: String, CaseIterable, CustomStringConvertible {
    case store
    case object
    case overwrite
    case rollback

    var policy: NSMergePolicy {
        switch self {
        case .store: .mergeByPropertyStoreTrump
        case .object: .mergeByPropertyObjectTrump
        case .overwrite: .overwrite
        case .rollback: .rollback
        }
    }

    var description: String { rawValue }
}

/// "Mine" is the context that saves last and meets the conflict; "theirs" saved before.
struct Sides {
    let stack: Stack
    let mine: NSManagedObjectContext
    let theirs: NSManagedObjectContext

    init(_ stack: Stack) {
        self.stack = stack
        mine = stack.context
        theirs = stack.newContext()
    }

    /// The other context's object for a record.
    func their<T: NSManagedObject>(_ object: T) throws -> T {
        guard let object = try theirs.existingObject(with: object.objectID) as? T else { throw CocoaError(.coreData) }
        return object
    }

    /// Saves theirs, then mine with a policy.
    func save(_ winner: Winner) throws -> NSError? {
        try theirs.save()
        mine.mergePolicy = winner.policy
        return mine.saveFailure()
    }

    /// The object for a record in an unused context.
    func stored<T: NSManagedObject>(_ object: T) throws -> T {
        let context = stack.newContext()
        // Related objects need their context for as long as the caller reads them.
        context.retainsRegisteredObjects = true
        kept.contexts.append(context)
        guard let object = try context.existingObject(with: object.objectID) as? T else { throw CocoaError(.coreData) }
        return object
    }

    private let kept = Kept()

    private final class Kept {
        var contexts: [NSManagedObjectContext] = []
    }
}

extension Sequence where Element: NSManagedObject {
    /// The values of one attribute, sorted.
    func names(_ key: String) -> [String] { compactMap { $0.value(forKey: key) as? String }.sorted() }
}
