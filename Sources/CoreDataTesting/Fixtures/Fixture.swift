// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes believable objects that keep the rules of the model.

public import CoreData
import Foundation

/// Makes objects with believable values that keep the rules of the model: mandatory values, limits, lengths, patterns,
/// unique values, numbers of members, and both ends of relationships.
///
/// ```swift
/// let fixture = Fixture(in: context, seed: 7)
/// let memo = try fixture.make(Memo.self) { $0.title = "Groceries" }  // the other mandatory values are made
/// try fixture.populate(["Memo": 100])
/// try context.save()
/// ```
///
/// The same seed gives the same objects for the same model and the same calls. Texts follow from the names of
/// attributes: `email`, `firstName`, `city`, `title`. Objects that a mandatory relationship needs are made as well.
/// Attributes with values that `awakeFromInsert` has set keep them.
///
/// Of regular expressions, fixtures understand characters, classes, groups, alternatives and repetitions; give values
/// for attributes with others (`values`).
///
/// - Important: use it on the queue of the context.
/// - Complexity: proportional to the number of objects. The first object with a unique value reads the objects of its
///   entity.
public final class Fixture {
    /// Values that replace the fixture's own, by "Book.isbn" or "isbn". The closure is called with the number of the
    /// object, from 0.
    ///
    /// ```swift
    /// fixture.values["Book.isbn"] = { "978-\($0)" }
    /// ```
    public var values: [String: (Int) -> Any?] = [:]

    let context: NSManagedObjectContext
    var numbers: FixtureNumbers
    /// The objects that the fixture has made, by entity.
    var made: [String: [NSManagedObject]] = [:]
    private var taken = TakenValues()
    private var plans: [String: EntityPlan] = [:]
    private var sequence = 0

    /// - Parameters:
    ///   - context: the context of the objects. The fixture does not save it.
    ///   - seed: any number.
    public init(in context: NSManagedObjectContext, seed: UInt64 = 0) {
        self.context = context
        numbers = FixtureNumbers(seed: seed)
    }

    /// Makes an object of a class, with values for all attributes and for mandatory relationships.
    ///
    /// - Parameter set: sets the values that the test is about. It is called before relationships are made.
    /// - Throws: `FixtureError`, and the errors of `set`.
    @discardableResult
    public func make<Object: NSManagedObject>(
        _ type: Object.Type = Object.self, _ set: (Object) throws -> Void = { _ in }
    ) throws -> Object {
        let name = Object.entity().name ?? ""
        let made = try insert(name, setsValues: true) { if let object = $0 as? Object { try set(object) } }
        guard let object = made as? Object else {
            throw FixtureError.noEntity(name)
        }
        try completeRelationships(of: [object])
        return object
    }

    /// Makes objects of an entity, with values for all attributes and for mandatory relationships.
    ///
    /// - Throws: `FixtureError`.
    @discardableResult
    public func make(_ entityName: String, count: Int = 1) throws -> [NSManagedObject] {
        let objects = try (0..<count).map { _ in try insert(entityName) }
        try completeRelationships(of: objects)
        return objects
    }

    /// Makes objects of several entities and links them with one another, optional relationships included.
    ///
    /// ```swift
    /// try fixture.populate(["Author": 10, "Book": 100])
    /// ```
    ///
    /// - Parameter counts: the numbers of objects by entity. More are made where a mandatory relationship needs them.
    /// - Throws: `FixtureError`.
    public func populate(_ counts: [String: Int]) throws {
        var objects: [NSManagedObject] = []
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
            objects += try (0..<count).map { _ in try insert(name) }
        }
        linkAtRandom(objects)
        try completeRelationships(of: objects)
    }

    /// Makes a number of objects, about as many of each entity of the model that is not abstract.
    ///
    /// - Throws: `FixtureError`.
    public func populate(_ count: Int) throws {
        let names = entities.filter { !$0.isAbstract }.compactMap(\.name).sorted()
        var counts: [String: Int] = [:]
        for (index, name) in names.enumerated() {
            counts[name] = count / names.count + (index < count % names.count ? 1 : 0)
        }
        try populate(counts)
    }

    var entities: [NSEntityDescription] { context.persistentStoreCoordinator?.managedObjectModel.entities ?? [] }

    /// The plan of an entity; nil for one that the model does not have.
    func plan(_ name: String) -> EntityPlan? {
        if let known = plans[name] { return known }
        let plan = entities.first { $0.name == name }.map(EntityPlan.init)
        plans[name] = plan
        return plan
    }

    // MARK: Attributes

    /// A new object with values for its attributes.
    func insert(_ name: String) throws -> NSManagedObject { try insert(name, setsValues: false) { _ in } }

    private func insert(
        _ name: String, setsValues: Bool, _ set: (NSManagedObject) throws -> Void
    ) throws -> NSManagedObject {
        guard let plan = plan(name), !plan.entity.isAbstract else { throw FixtureError.noEntity(name) }
        let object = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
        let number = made[name, default: []].count
        for attribute in plan.attributes { try setValue(of: attribute, object, number, plan) }
        var given = Set(plan.attributes.map(\.name).filter { isGiven($0, name) })
        if setsValues {
            let keys = plan.attributes.map(\.name)
            let before = object.dictionaryWithValues(forKeys: keys)
            try set(object)
            let after = object.dictionaryWithValues(forKeys: keys)
            given.formUnion(keys.filter { !Self.isEqual(before[$0], after[$0]) })
        }
        if !plan.constraints.isEmpty { try taken.read(plan.entity, context, but: object) }
        for names in plan.constraints { try makeUnique(object, names, given, plan) }
        made[name, default: []].append(object)
        return object
    }

    private func isGiven(_ attribute: String, _ entity: String) -> Bool {
        values["\(entity).\(attribute)"] != nil || values[attribute] != nil
    }

    private static func isEqual(_ one: Any?, _ other: Any?) -> Bool {
        switch (one, other) {
        case (nil, nil): true
        case (let one?, let other?):
            (one as? NSObject)?.isEqual(other) ?? (one as? AnyHashable == other as? AnyHashable)
        default: false
        }
    }

    private func setValue(
        of attribute: NSAttributeDescription, _ object: NSManagedObject, _ number: Int, _ plan: EntityPlan
    ) throws {
        if !values.isEmpty,
            let value = values["\(plan.entity.name ?? "").\(attribute.name)"] ?? values[attribute.name]
        {
            return object.setValue(value(number), forKey: attribute.name)
        }
        // Set by `awakeFromInsert`.
        if let current = object.value(forKey: attribute.name), !Self.isEqual(current, attribute.defaultValue) { return }
        if attribute.isOptional, numbers.chance(0.1) { return }
        if let value = try plan.makers[attribute.name]?.value(&numbers) {
            object.setValue(value, forKey: attribute.name)
        }
    }

    /// Makes other values while another object has the same; values that the test has given stay.
    private func makeUnique(
        _ object: NSManagedObject, _ names: [String], _ given: Set<String>, _ plan: EntityPlan
    ) throws {
        let free = names.filter { !given.contains($0) }
        var attempt = 0
        while !taken.note(object, names) {
            if free.isEmpty { return }
            guard attempt < 2_000 else {
                throw FixtureError.noFreeValue(entity: plan.entity.name ?? "", attributes: names)
            }
            let name = free[attempt % free.count]
            // First another random value, then numbers in turn.
            let value = try plan.makers[name]?.value(&numbers, sequence: attempt < 4 ? nil : sequence)
            object.setValue(value, forKey: name)
            attempt += 1
            if attempt > 4 { sequence += 1 }
        }
    }
}
