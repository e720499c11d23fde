// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Performs steps of random work on several contexts, and compares them with the store after every save.

import CoreData
import CoreDataTestSupport
import Foundation

final class MergeWork {
    private let stack: Stack
    private let sides: [MergeSide]
    private let coordinators: [NSPersistentStoreCoordinator]
    private let policy: Winner?
    private var stored: [String: String] = [:]
    /// The records by label.
    private var places: [String: URL] = [:]

    /// - Parameters:
    ///   - policy: nil for the error policy.
    ///   - isApart: every context has a separate coordinator.
    init(_ kind: StoreKind, _ policy: Winner?, sides views: [MergeView], isApart: Bool) throws {
        stack = try Stack(kind, LinkedThings.model())
        self.policy = policy
        var coordinators = [stack.coordinator]
        for _ in views.dropFirst() {
            coordinators.append(isApart ? try stack.secondCoordinator().0 : stack.coordinator)
        }
        let policy = policy?.policy ?? .error
        sides = zip(views, coordinators).map { MergeSide($0, $1, policy) }
        self.coordinators = coordinators
    }

    /// - Returns: the findings afterwards.
    func perform(_ step: MergeStep) throws -> [String] {
        guard step.side < sides.count else { return [] }
        let side = sides[step.side]
        switch step {
        case .sync: return try side.sync(stored)
        case .part(_, let names):
            side.readPart(names, of: places)
            return []
        case .save: return try save(side)
        default:
            side.change(step)
            return []
        }
    }

    private func save(_ side: MergeSide) throws -> [String] {
        let touched = side.touched()
        if let failure = side.saveFailure() {
            guard policy == nil, failure.code == NSManagedObjectMergeError else {
                return ["the save failed: \(failure)"]
            }
            let findings = side.innerFindings
            return try findings.isEmpty ? side.sync(read(stack.newContext()).texts) : findings
        }
        let found = try read(stack.newContext())
        stored = found.texts
        places = found.places
        return found.findings + side.findings(touched, stored)
    }

    /// The findings of another program that reads the store.
    func finish() throws -> [String] {
        guard stack.kind.isPersistent else { return [] }
        let (coordinator, context) = try stack.secondCoordinator()
        let found = try withExtendedLifetime(coordinator) { try read(context) }
        let others = Set(found.texts.values).symmetricDifference(stored.values).sorted()
        return found.findings + others.map { "read by one and not by the other: \($0)" }
    }

    /// All records as an unused context finds them, and the faults of their links.
    private func read(_ context: NSManagedObjectContext) throws -> (
        texts: [String: String], places: [String: URL], findings: [String]
    ) {
        try withExtendedLifetime(context) {
            let things = try context.fetch(LinkedThings.request())
            let findings = LinkedThings.halfLinks(of: things).map { "stored: \($0)" }
            let texts = Dictionary(things.map { ($0.label, $0.text) }, uniquingKeysWith: { first, _ in first })
            let places = things.map { ($0.label, $0.objectID.uriRepresentation()) }
            return (texts, Dictionary(places, uniquingKeysWith: { first, _ in first }), findings)
        }
    }
}
