// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that random typed predicates find the objects that their evaluation finds, in each kind of store.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing
import TypedPredicates

@Suite("Typed predicates have one meaning") struct RandomTypedPredicateSpecification {
    /// The number of predicates for each kind of store. The environment's COREDATA_TYPED_PREDICATES sets a greater one,
    /// COREDATA_RANDOM_SEED another seed.
    private static let count =
        ProcessInfo.processInfo.environment["COREDATA_TYPED_PREDICATES"].flatMap(Int.init) ?? 400
    private static let seed =
        ProcessInfo.processInfo.environment["COREDATA_RANDOM_SEED"].flatMap(UInt64.init) ?? 20_261_127

    @Test(
        "random predicates find what they hold for: among unsaved objects, in the store, and among changed objects",
        arguments: StoreKind.all)
    func differential(kind: StoreKind) throws {
        let stack = try Stack(kind, Crates.model())
        Crates.fill(stack, count: 30, seed: Self.seed)
        try compare("unsaved", stack.context, count: Self.count / 4)
        try stack.context.save()
        let context = stack.newContext()
        try compare("saved", context, count: Self.count)
        for crate in try context.fetch(NSFetchRequest<Crate>(entityName: "Crate")) { crate.setValue(1, forKey: "mark") }
        try compare("changed", context, count: Self.count / 4)
    }

    private func compare(_ state: String, _ context: NSManagedObjectContext, count: Int) throws {
        var random = RandomTypedPredicates(seed: Self.seed, Crates.leaves)
        let request = NSFetchRequest<Crate>(entityName: "Crate")
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        let all = try context.fetch(request)
        try #require(all.count == 30)
        var differences = 0
        for round in 0..<count where differences < 10 {
            let typed = random.predicate()
            let expected = try all.filter { try typed.evaluate($0) }.map(\.number)
            let predicate = try NSPredicate.converting(typed)
            request.predicate = predicate
            let found = Result { try context.fetch(request).map(\.number) }
            if (try? found.get()) != expected { differences += 1 }
            #expect(try found.get() == expected, "\(state), \(round): \(predicate)")
            #expect(all.filter { predicate.evaluate(with: $0) }.map(\.number) == expected, "\(round): \(predicate)")
        }
    }
}
