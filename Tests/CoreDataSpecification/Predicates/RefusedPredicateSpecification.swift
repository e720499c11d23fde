// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that a predicate that no store and no evaluator can handle is an error that names it, in every store.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Refused predicates") struct RefusedPredicateSpecification {
    /// The message of a fetch's error; nil if it succeeds.
    private func message(_ request: NSFetchRequest<NSManagedObject>, kind: StoreKind) throws -> String {
        let firm = try Firm(in: kind)
        do {
            _ = try firm.newContext().fetch(request)
            return ""
        } catch { return "\(error)" }
    }

    @Test("trees that code nested too deep", arguments: StoreKind.all)
    func depth(kind: StoreKind) throws {
        var expression = NSExpression(forKeyPath: "age")
        for _ in 0..<20_000 { expression = NSExpression(forFunction: "add:to:", arguments: [expression, 1]) }
        let comparison = NSComparisonPredicate(
            leftExpression: expression, rightExpression: NSExpression(forConstantValue: 1), modifier: .direct,
            type: .equalTo)
        #expect(try message(Firm.request("Person", comparison), kind: kind).contains("nested deeper than"))
        var compound: NSPredicate = NSPredicate(format: "age == 1")
        for _ in 0..<2_000 { compound = NSCompoundPredicate(notPredicateWithSubpredicate: compound) }
        #expect(try message(Firm.request("Person", compound), kind: kind).contains("nested deeper than"))
    }

    @Test("trees as deep as is allowed are fetched", arguments: StoreKind.all)
    func allowedDepth(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let plain = NSPredicate(format: "age == 20")
        var compound = plain
        for _ in 0..<200 { compound = NSCompoundPredicate(notPredicateWithSubpredicate: compound) }
        let context = firm.newContext()
        let expected = Firm.names(try context.fetch(Firm.request("Person", plain, sortedBy: "number")))
        #expect(!expected.isEmpty)
        #expect(Firm.names(try context.fetch(Firm.request("Person", compound, sortedBy: "number"))) == expected)
        // As generic code builds them, which does not distinguish lists.
        var chain = plain
        for age in 1_000..<1_600 {
            chain = NSCompoundPredicate(orPredicateWithSubpredicates: [chain, NSPredicate(format: "age == %d", age)])
        }
        #expect(Firm.names(try context.fetch(Firm.request("Person", chain, sortedBy: "number"))) == expected)
    }

    @Test(
        "expressions that only Apple's search services evaluate", arguments: StoreKind.all,
        ["ANYKEY == 'x'", "tokenize:using:(name, 'x') == 'y'"])
    func unsupported(kind: StoreKind, format: String) throws {
        let name = String(format.prefix { $0 != " " && $0 != "(" })
        #expect(try message(Firm.request("Person", NSPredicate(format: format)), kind: kind).contains(name))
    }

    @Test("sorting with a comparator, which is for objects in memory", arguments: StoreKind.all)
    func comparators(kind: StoreKind) throws {
        let byKey = NSSortDescriptor(key: "name", ascending: true) { _, _ in .orderedSame }
        let byKeyPath = NSSortDescriptor(keyPath: \NSManagedObject.description, ascending: true) { _, _ in .orderedSame
        }
        for descriptor in [byKey, byKeyPath] {
            let request = Firm.request("Person")
            request.sortDescriptors = [descriptor]
            #expect(try message(request, kind: kind).contains("comparator"))
        }
    }
}
