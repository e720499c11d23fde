// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which values a predicate reads of objects, evaluated on one after the other.

import CoreData
import CoreDataTestSupport
import Foundation
import Observation
import Synchronization
import Testing

@Suite("Predicates that are evaluated on objects") struct EvaluationSpecification {
    private static func names(_ objects: [Any], _ format: String) -> [String] {
        let predicate = NSPredicate(format: format)
        return objects.filter { predicate.evaluate(with: $0) }.compactMap {
            (($0 as? NSManagedObject)?.value(forKey: "name") ?? ($0 as? [String: Any])?["name"]) as? String
        }
    }

    /// Proves: F18
    @Test("a class that overrides value(forKey:) supplies the values", arguments: StoreKind.all)
    func overriddenValues(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let shouting = ShoutingPerson(
            entity: try #require(NSEntityDescription.entity(forEntityName: "Person", in: firm.context)),
            insertInto: firm.context)
        shouting.setPrimitiveValue("Grace", forKey: "name")
        let ada = try #require(firm.people["Ada"])
        #expect(Self.names([ada, shouting, ada], "name == 'GRACE'") == ["GRACE"])
        #expect(Self.names([shouting, ada], "name == 'Grace' OR name == 'Ada'") == ["Ada"])
    }

    @Test(
        "one predicate sees objects of different entities, dictionaries and nil in any order", arguments: StoreKind.all)
    func mixture(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let ada = try #require(firm.people["Ada"])
        let research = try #require(firm.departments["Research"])
        let mixed: [Any] = [ada, research, ["name": "Ada"], NSNull(), research, ada, ["name": "Bob", "age": 1]]
        #expect(Self.names(mixed, "name == 'Ada'") == ["Ada", "Ada", "Ada"])
        #expect(Self.names(mixed, "name IN {'Research', 'Bob'}") == ["Research", "Research", "Bob"])
        #expect(!NSPredicate(format: "name == 'Ada'").evaluate(with: nil))
        #expect(NSPredicate(format: "name == nil").evaluate(with: nil))
    }

    @Test("faults are fired, and unsaved values seen", arguments: StoreKind.all)
    func faults(kind: StoreKind) throws {
        let firm = try Firm(in: kind)
        let ada = try #require(firm.people["Ada"])
        firm.context.refresh(ada, mergeChanges: false)
        #expect(ada.isFault)
        #expect(NSPredicate(format: "age == 36 AND department.name == 'Research'").evaluate(with: ada))
        #expect(!ada.isFault)
        ada.setValue(37, forKey: "age")
        ada.setValue(nil, forKey: "department")
        #expect(NSPredicate(format: "age == 37 AND department.name == nil").evaluate(with: ada))
    }

    @Test("a predicate that reads a property makes its observer depend on it")
    func tracking() throws {
        let firm = try Firm(in: .inMemory)
        let ada = try #require(firm.people["Ada"])
        let predicate = NSPredicate(format: "age > 30 AND name BEGINSWITH 'A'")
        #expect(predicate.evaluate(with: ada))
        let isTold = Mutex(false)
        withObservationTracking {
            _ = predicate.evaluate(with: ada)
        } onChange: {
            isTold.withLock { $0 = true }
        }
        ada.setValue(29, forKey: "age")
        #expect(isTold.withLock { $0 })
    }

    @Test("a predicate is evaluated on several threads at once")
    func threads() {
        // A predicate may be shared, although Foundation's class is not declared sendable.
        nonisolated(unsafe) let predicate = NSPredicate(format: "a > 10 AND (b BEGINSWITH[cd] 'é' OR a IN {12, 14})")
        let expected = (0..<200).filter { $0 > 10 && ($0 % 3 == 0 || [12, 14].contains($0)) }.count
        let counts = Mutex<[Int]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let found = (0..<200).filter {
                predicate.evaluate(with: ["a": $0, "b": $0 % 3 == 0 ? "Eva" : "x"] as [String: Any])
            }
            counts.withLock { $0.append(found.count) }
        }
        #expect(counts.withLock { $0 } == Array(repeating: expected, count: 8))
    }

    @Test("a compound predicate calls the overridden evaluation of a part")
    func ownAnswer() {
        let stubborn = StubbornPredicate(
            leftExpression: CoreData.NSExpression(forConstantValue: 1),
            rightExpression: CoreData.NSExpression(forConstantValue: 2),
            modifier: .direct, type: .equalTo)
        let both = NSPredicate(format: "%@ AND 1 == 1", stubborn)
        #expect(both.evaluate(with: nil))
        #expect(NSPredicate(format: "NOT %@", stubborn).evaluate(with: nil) == false)
    }
}

final class ShoutingPerson: NSManagedObject {
    override func value(forKey key: String) -> Any? {
        let value = super.value(forKey: key)
        return key == "name" ? (value as? String)?.uppercased() : value
    }
}

/// Is true for every object.
final class StubbornPredicate: CoreData.NSComparisonPredicate {
    override func evaluate(with object: Any?) -> Bool { true }
    override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool { true }
}
