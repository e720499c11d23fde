// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Random searches have one answer: by each store, with unsaved changes, and by the evaluation of each object.

#if !canImport(ObjectiveC)
    import CoreData
    import CoreDataTestSupport
    import Foundation
    import Testing

    @Suite("Random searches") struct RandomSearchSpecification {
        /// Each kind, and those with full-text indexes also with these.
        private static let stores: [(kind: StoreKind, hasIndex: Bool)] =
            StoreKind.all.map { ($0, false) }
            + StoreKind.all.filter { $0 == .sqlite || $0.isOnServer }.map { ($0, true) }

        @Test("a fetch finds the objects for which its predicate is true", arguments: stores, [1, 2] as [UInt64])
        func answers(store: (kind: StoreKind, hasIndex: Bool), seed: UInt64) throws {
            var random = RandomSearches(seed: seed)
            let papers = try Papers(in: store.kind, options: store.hasIndex ? [NSFullTextIndexOption: true] : nil)
            for number in 0..<12 { random.paper(number, in: papers) }
            try papers.context.save()
            let objects = try papers.context.fetch(Papers.request("number >= 0"))
            // Some are changed, one is deleted, and some are new.
            for number in [1, 5, 8] { random.change(objects[number]) }
            papers.context.delete(objects[3])
            for number in 12..<15 { random.paper(number, in: papers) }
            for isSaved in [false, true] {
                if isSaved { try papers.context.save() }
                let context = isSaved ? papers.stack.newContext() : papers.context
                let present = try papers.context.fetch(Papers.request("number >= 0"))
                for _ in 0..<40 {
                    let query = try SearchQuery(random.query())
                    let predicate = NSPredicate(format: "SELF MATCHING %@", query)
                    let expected = present.filter { predicate.evaluate(with: $0) }
                        .map { $0.value(forKey: "number") as? Int ?? -1 }
                    let found = try papers.numbers("SELF MATCHING %@", query, in: context)
                    #expect(found == expected, "\(query), saved: \(isSaved)")
                    let others = try papers.numbers("NOT SELF MATCHING %@", query, in: context)
                    #expect(Set(others).isDisjoint(with: found) && others.count + found.count == 14, "NOT \(query)")
                    let ranked = try context.search(query, in: NSFetchRequest<NSManagedObject>(entityName: "Paper"))
                    #expect(Set(ranked.map { $0.object.value(forKey: "number") as? Int ?? -1 }) == Set(expected))
                }
            }
        }
    }
#endif
