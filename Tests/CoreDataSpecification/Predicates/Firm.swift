// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The sample for fetches and predicates: people of several kinds, departments, projects.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// A person may be an employee, an employee a manager; people are in a department, have a boss, and share projects.
enum FirmModel {
    static func make() -> NSManagedObjectModel {
        let person = NSEntityDescription("Person")
        person.attribute("name", .stringAttributeType, optional: false)
        person.attribute("nickname", .stringAttributeType)
        person.attribute("age", .integer16AttributeType)
        person.attribute("number", .integer64AttributeType, optional: false, default: 0)
        person.attribute("salary", .doubleAttributeType)
        person.attribute("weight", .floatAttributeType)
        person.attribute("balance", .decimalAttributeType)
        person.attribute("born", .dateAttributeType)
        person.attribute("isActive", .booleanAttributeType)
        person.attribute("badge", .UUIDAttributeType)
        person.attribute("site", .URIAttributeType)
        person.attribute("photo", .binaryDataAttributeType)
        person.attribute("mark", .integer16AttributeType)
        let employee = NSEntityDescription("Employee")
        employee.attribute("title", .stringAttributeType)
        let manager = NSEntityDescription("Manager")
        manager.attribute("level", .integer16AttributeType)
        employee.subentities = [manager]
        person.subentities = [employee]
        let department = NSEntityDescription("Department")
        department.attribute("name", .stringAttributeType, optional: false)
        department.attribute("floor", .integer32AttributeType)
        department.attribute("mark", .integer16AttributeType)
        let project = NSEntityDescription("Project")
        project.attribute("name", .stringAttributeType, optional: false)
        project.attribute("cost", .doubleAttributeType)
        person.relate("department", .one, to: department, inverse: "people", .many)
        person.relate("boss", .one, to: person, inverse: "reports", .many)
        person.relate("projects", .many, to: project, inverse: "members", .many)
        return NSManagedObjectModel(person, employee, manager, department, project)
    }
}

/// A stack with a saved firm, and the methods to query it.
final class Firm {
    let stack: Stack
    var context: NSManagedObjectContext { stack.context }
    /// Objects do not keep their context.
    private var contexts: [NSManagedObjectContext] = []
    private(set) var people: [String: NSManagedObject] = [:]
    private(set) var departments: [String: NSManagedObject] = [:]
    private(set) var projects: [String: NSManagedObject] = [:]

    init(in kind: StoreKind, filled: Bool = true) throws {
        stack = try Stack(kind, FirmModel.make())
        guard filled else { return }
        fill()
        try context.save()
    }

    /// Another context, kept as long as the firm.
    func newContext() -> NSManagedObjectContext {
        let context = stack.newContext()
        contexts.append(context)
        return context
    }

    static let day: TimeInterval = 86_400
    static let badge = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0xAB))

    @discardableResult
    func insert(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    private func fill() {
        for (name, floor) in [("Research", 1), ("Sales", 2), ("Empty", 3)] {
            departments[name] = insert("Department", ["name": name, "floor": floor])
        }
        for (name, cost) in [("Apollo", 100.0), ("Zephyr", 2.5), ("Idle", 7)] {
            projects[name] = insert("Project", ["name": name, "cost": cost])
        }
        add(
            "Manager", "Ada",
            [
                "age": 36, "salary": 5000.5, "balance": Decimal(string: "10.10")!, "level": 2, "title": "Countess",
                "born": Date(timeIntervalSinceReferenceDate: 0), "isActive": true, "badge": Self.badge, "number": 1,
                "weight": 55.5,
            ],
            "Research", boss: nil, ["Apollo", "Zephyr"])
        add(
            "Employee", "Bob",
            [
                "age": 20, "salary": 1000, "balance": Decimal(string: "-3.5")!, "title": "Engineer",
                "nickname": "bobby",
                "born": Date(timeIntervalSinceReferenceDate: Self.day), "isActive": false, "number": -7,
                "weight": 80.25,
            ],
            "Research", boss: "Ada", ["Apollo"])
        add(
            "Employee", "bob",
            [
                "age": 40, "salary": 0.1, "balance": Decimal(string: "0.1")!, "title": "engineer",
                "isActive": true, "number": 9_007_199_254_740_993, "site": URL(string: "https://example.org/bob")!,
            ],
            "Sales", boss: "Ada", ["Zephyr"])
        add(
            "Person", "Élodie",
            [
                "age": 65, "nickname": "ELO", "born": Date(timeIntervalSinceReferenceDate: -Self.day * 365.5),
                "isActive": true, "number": 3, "photo": Data([1, 2, 3]),
            ], "Sales", boss: "Bob", [])
        add(
            "Person", "elodie", ["age": 20, "nickname": "élo", "number": 4, "salary": 1000], "Sales", boss: "Bob",
            ["Apollo", "Zephyr"])
        add("Person", "Straße", ["number": 5, "nickname": "50%_*?", "age": 7], nil, boss: nil, [])
        add(
            "Person", "STRASSE", ["number": 6, "nickname": "", "salary": 250.25, "isActive": false], nil, boss: "bob",
            ["Idle"])
        add(
            "Manager", "İpek",
            ["number": 7, "age": 50, "level": 1, "nickname": "a\nb", "title": "Boss", "salary": 9.5], "Sales",
            boss: "Ada", [])
    }

    private func add(
        _ entity: String, _ name: String, _ values: [String: Any], _ department: String?, boss: String?,
        _ projects: [String]
    ) {
        let person = insert(entity, values)
        person.setValue(name, forKey: "name")
        person.setValue(department.map { departments[$0]! }, forKey: "department")
        person.setValue(boss.map { people[$0]! }, forKey: "boss")
        person.setValue(NSSet(array: projects.map { self.projects[$0]! }), forKey: "projects")
        people[name] = person
    }

    func person(_ name: String) -> NSManagedObject { people[name]! }
    func department(_ name: String) -> NSManagedObject { departments[name]! }

    static func request(_ entity: String = "Person", _ predicate: NSPredicate? = nil, sortedBy key: String? = nil)
        -> NSFetchRequest<NSManagedObject>
    {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        if let key { request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)] }
        return request
    }

    static func names(_ objects: [NSManagedObject]) -> [String] {
        objects.map { $0.value(forKey: "name") as? String ?? "" }
    }

    /// The names of the matches of a predicate, in order of name. They are fetched from the store, evaluated in memory,
    /// and fetched among changed objects; all three must agree.
    func find(_ predicate: NSPredicate, in entity: String = "Person", _ location: SourceLocation = #_sourceLocation)
        throws
        -> [String]
    {
        let request = Self.request(entity, predicate)
        let stored = Self.names(try context.fetch(request)).sorted()
        let all = try context.fetch(Self.request(entity))
        let filtered = Self.names(all.filter { predicate.evaluate(with: $0) }).sorted()
        #expect(filtered == stored, "\(predicate), in memory and from the store", sourceLocation: location)
        #expect(try context.count(for: request) == stored.count, "\(predicate), counted", sourceLocation: location)
        for object in all where object.entity.attributesByName["mark"] != nil { object.setValue(1, forKey: "mark") }
        let changed = Self.names(try context.fetch(request)).sorted()
        #expect(changed == stored, "\(predicate), of changed objects", sourceLocation: location)
        context.rollback()
        return stored
    }

    /// Expects the matches of a predicate, in any order.
    func expect(
        _ format: String, _ arguments: Any..., in entity: String = "Person", finds names: [String],
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let found = try find(NSPredicate(format: format, argumentArray: arguments), in: entity, location)
        #expect(found == names.sorted(), "\(format)", sourceLocation: location)
    }
}
