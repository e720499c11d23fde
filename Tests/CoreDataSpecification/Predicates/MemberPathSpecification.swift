// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the values of key paths through to-manys, in stores and in contexts.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// A firm has three people. Two of them work in one department and earn the same; the third has no values.
@Suite("Key paths through to-manys") struct MemberPathSpecification {
    private static let statements = [
        // Values are a set: without nil, each once.
        "distinct:(people.department.name).@count == 1", "people.department.@count == 1",
        "people.department.name.@count == 1", "people.wage.@count == 1", "people.@count == 3",
        "people.department.@sum.budget == 100", "people.department.@avg.budget == 100",
        "SUBQUERY(people.department, $d, $d.name == 'office').@count == 1",
        // Aggregates run over the members.
        "people.@sum.wage == 20", "people.@max.wage == 10", "people.@sum.department.budget == 200",
        // Functions run over the members that have a value.
        "sum:(people.wage) == 20", "count:(people.department.name) == 2", "count:(people.wage) == 2",
        "average:(people.wage) == 10", "count:(people) == 3",
    ]

    /// Proves: M4
    @Test(
        "duplicates and missing values count alike in stores and in contexts", arguments: StoreKind.all,
        ["people", "ranked"])
    func paths(kind: StoreKind, key: String) throws {
        let stack = try firm(kind)
        for state in ["unsaved", "saved", "changed"] {
            if state == "saved" { try stack.context.save() }
            if state == "changed" {
                let firm = try #require(stack.context.registeredObjects.first { $0.entity.name == "Firm" })
                firm.setValue("changed", forKey: "name")
            }
            for statement in Self.statements {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Firm")
                request.predicate = NSPredicate(format: statement.replacingOccurrences(of: "people", with: key))
                #expect(try stack.context.count(for: request) == 1, "\(statement), \(state)")
            }
        }
    }

    /// Decided by `value(forKeyPath:)` with `people.wage.@sum`, an operator after the property.
    /// Proves: M4
    @Test("@sum, @avg, @min and @max at the end of a key path run over all members", .tags(.assumed))
    func lastOperator() throws {
        let stack = try firm(.inMemory)
        let firm = try #require(stack.context.registeredObjects.first { $0.entity.name == "Firm" })
        #expect(firm.value(forKeyPath: "people.wage.@sum") as? Int == 20)
        #expect(firm.value(forKeyPath: "ranked.wage.@max") as? Int == 10)
        #expect(firm.value(forKeyPath: "people.department.budget.@sum") as? Int == 200)
        #expect(firm.value(forKeyPath: "people.wage.@avg") as? Double == 20.0 / 3)
    }

    private func firm(_ kind: StoreKind) throws -> Stack {
        let (firm, person) = (NSEntityDescription("Firm"), NSEntityDescription("Person"))
        let department = NSEntityDescription("Department")
        for entity in [firm, person, department] { entity.attribute("name", .stringAttributeType) }
        person.attribute("wage", .integer64AttributeType)
        department.attribute("budget", .integer64AttributeType)
        firm.relate("people", .many, to: person, inverse: "firm", .one)
        firm.relate("ranked", .ordered, to: person, inverse: "ranking", .one)
        person.relate("department", .one, to: department, inverse: "staff", .many)
        let stack = try Stack(kind, NSManagedObjectModel(firm, person, department))
        stack.context.retainsRegisteredObjects = true
        let (office, owner) = (stack.insert("Department"), stack.insert("Firm"))
        office.setValue("office", forKey: "name")
        office.setValue(100, forKey: "budget")
        for name in ["Ada", "Bob", "Cy"] {
            let object = stack.insert("Person")
            object.setValue(name, forKey: "name")
            object.setValue(owner, forKey: "firm")
            object.setValue(owner, forKey: "ranking")
            if name == "Cy" { continue }
            object.setValue(10, forKey: "wage")
            object.setValue(office, forKey: "department")
        }
        return stack
    }
}
