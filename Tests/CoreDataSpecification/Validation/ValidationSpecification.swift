// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which rules are checked, when, and the contents of the errors.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Validation") struct ValidationSpecification {
    /// Proves: M16, F91, F94
    @Test("a missing value is one error, with key and object", arguments: StoreKind.all)
    func missingValue(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        let author = Author(context: shop.context)
        let error = try #require(shop.context.saveFailure())
        #expect(error.domain == NSCocoaErrorDomain)
        #expect(error.code == NSValidationMissingMandatoryPropertyError)
        #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "name")
        #expect(error.userInfo[NSValidationObjectErrorKey] as? Author === author)
    }

    /// Proves: M16, F92
    @Test("a predicate that fails is reported with its value and its warning", arguments: StoreKind.all)
    func predicate(store: StoreKind) throws {
        let rules = try Rules(store)
        rules.object.setValue("no address", forKey: "mail")
        let error = try #require(rules.stack.context.saveFailure())
        #expect(error.code == NSManagedObjectValidationError)
        #expect(error.localizedDescription == "A mail address needs an @.")
        #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "mail")
        #expect(error.userInfo[NSValidationValueErrorKey] as? String == "no address")
        #expect(
            error.userInfo[NSValidationPredicateErrorKey] as? NSPredicate == NSPredicate(format: "SELF CONTAINS '@'"))
    }

    /// Proves: M16
    @Test("each of several predicates has its own warning", arguments: StoreKind.all)
    func warnings(store: StoreKind) throws {
        let rules = try Rules(store)
        rules.object.setValue(12, forKey: "age")
        #expect(rules.stack.context.saveFailure()?.localizedDescription == "too young")
        rules.object.setValue(120, forKey: "age")
        #expect(rules.stack.context.saveFailure()?.localizedDescription == "too old")
        rules.object.setValue(40, forKey: "age")
        #expect(rules.stack.context.saveFailure() == nil)
    }

    /// Proves: M16, F93
    @Test("several failures are one error with all of them, of all objects", arguments: StoreKind.all)
    func several(store: StoreKind) throws {
        let rules = try Rules(store)
        rules.object.setValue("no address", forKey: "mail")
        rules.object.setValue(12, forKey: "age")
        let other = NSManagedObject(entity: rules.object.entity, insertInto: rules.stack.context)
        other.setValue(13, forKey: "age")
        let error = try #require(rules.stack.context.saveFailure())
        #expect(error.code == NSValidationMultipleErrorsError)
        let details = try #require(error.userInfo[NSDetailedErrorsKey] as? [NSError])
        #expect(details.count == 3)
        #expect(Set(details.compactMap { $0.userInfo[NSValidationKeyErrorKey] as? String }) == ["mail", "age"])
        #expect(
            Set(details.compactMap { $0.userInfo[NSValidationObjectErrorKey] as? NSManagedObject }) == [
                rules.object, other,
            ])
    }

    /// Proves: M16, F95
    @Test("the members of a to-many are counted", arguments: StoreKind.all)
    func counts(store: StoreKind) throws {
        let rules = try Rules(store)
        let friends = (0..<3).map { _ in NSManagedObject(entity: rules.object.entity, insertInto: rules.stack.context) }
        rules.object.setValue(NSSet(array: friends), forKey: "friends")
        let error = try #require(rules.stack.context.saveFailure())
        #expect(error.code == NSValidationRelationshipExceedsMaximumCountError)
        #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "friends")
        rules.object.setValue(NSSet(array: Array(friends.prefix(2))), forKey: "friends")
        #expect(rules.stack.context.saveFailure() == nil)
    }

    /// Proves: M16
    @Test("a single value is checked without a save", arguments: StoreKind.all)
    func singleValue(store: StoreKind) throws {
        let rules = try Rules(store)
        #expect(failure(rules.object, 12, "age")?.code == NSManagedObjectValidationError)
        #expect(failure(rules.object, 40, "age") == nil)
        #expect(failure(rules.object, "no address", "mail")?.code == NSManagedObjectValidationError)
        #expect(failure(rules.object, nil, "mail") == nil)
        #expect(rules.object.value(forKey: "age") == nil)
    }

    /// Proves: M16, F96
    @Test("an override for one key is called, and its own error passed on", arguments: StoreKind.all)
    func ownRule(store: StoreKind) throws {
        let stack = try Stack(store, NamedModel.make(Picky.self, optional: false))
        let picky = Picky(context: stack.context)
        #expect(stack.context.saveFailure()?.code == NSValidationMissingMandatoryPropertyError)
        picky.setValue("bad", forKey: "name")
        let error = try #require(stack.context.saveFailure())
        #expect(error.domain == "Picky")
        #expect(error.code == 42)
        picky.setValue("  good ", forKey: "name")
        #expect(stack.context.saveFailure() == nil)
        #expect(picky.value(forKey: "name") as? String == "good")
    }

    /// Proves: M16
    @Test("a class may check the whole object before insertion, update and deletion", arguments: StoreKind.all)
    func wholeObject(store: StoreKind) throws {
        let stack = try Stack(store, NamedModel.make(Strict.self))
        let strict = Strict(context: stack.context)
        strict.refused = "insert"
        #expect(stack.context.saveFailure()?.domain == "insert")
        strict.refused = "update"
        #expect(stack.context.saveFailure() == nil)
        strict.setValue("x", forKey: "name")
        #expect(stack.context.saveFailure()?.domain == "update")
        strict.refused = "delete"
        #expect(stack.context.saveFailure() == nil)
        stack.context.delete(strict)
        #expect(stack.context.saveFailure()?.domain == "delete")
        strict.refused = ""
        #expect(stack.context.saveFailure() == nil)
    }

    /// Proves: M16, F97
    @Test("a deny rule blocks a deletion until the related objects are deleted, too", arguments: StoreKind.all)
    func deny(store: StoreKind) throws {
        let company = try Company(in: store)
        let lab = company.department("Lab")
        let ada = company.employee("Ada", in: lab)
        try company.context.save()
        company.context.delete(lab)
        let error = try #require(company.context.saveFailure())
        #expect(error.code == NSValidationRelationshipDeniedDeleteError)
        #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "employees")
        company.context.delete(ada)
        #expect(company.context.saveFailure() == nil)
        #expect(try company.context.count(for: NSFetchRequest<Department>(entityName: "Department")) == 0)
    }

    /// Proves: M10, F98
    @Test("a failed validation saves nothing, and a corrected one everything", arguments: StoreKind.all)
    func allOrNothing(store: StoreKind) throws {
        let shop = try Bookshop(in: store)
        shop.book("Dune")
        let nameless = Author(context: shop.context)
        #expect(shop.context.saveFailure() != nil)
        #expect(shop.context.insertedObjects.count == 2)
        #expect(nameless.objectID.isTemporaryID)
        let other = shop.stack.newContext()
        #expect(try other.count(for: Book.request()) == 0)
        nameless.name = "Frank"
        try shop.context.save()
        #expect(try other.count(for: Book.request()) == 1)
    }

    private func failure(_ object: NSManagedObject, _ value: Any?, _ key: String) -> NSError? {
        var value = value
        do {
            try object.validateValue(&value, forKey: key)
            return nil
        } catch {
            return error as NSError
        }
    }
}

/// An object of an entity with every kind of rule.
private struct Rules {
    let stack: Stack
    let object: NSManagedObject

    init(_ store: StoreKind) throws {
        let entity = NSEntityDescription("Ruled")
        entity.attribute("mail", .stringAttributeType)
            .setValidationPredicates(
                [NSPredicate(format: "SELF CONTAINS '@'")], withValidationWarnings: ["A mail address needs an @."])
        entity.attribute("age", .integer16AttributeType).setValidationPredicates(
            [NSPredicate(format: "SELF >= 18"), NSPredicate(format: "SELF <= 99")],
            withValidationWarnings: ["too young", "too old"])
        entity.relate("friends", .many, to: entity, inverse: "friendOf", .many)
        entity.relationshipsByName["friends"]?.maxCount = 2
        stack = try Stack(store, NSManagedObjectModel(entity))
        object = NSManagedObject(entity: entity, insertInto: stack.context)
    }
}

private final class Picky: NSManagedObject {
    override func validateValue(_ value: inout Any?, forKey key: String) throws {
        if key == "name", let name = value as? String {
            if name == "bad" { throw NSError(domain: "Picky", code: 42) }
            value = name.trimmingCharacters(in: .whitespaces)
        }
        try super.validateValue(&value, forKey: key)
    }
}

private final class Strict: NSManagedObject {
    var refused = ""

    override func validateForInsert() throws {
        try super.validateForInsert()
        try refuse("insert")
    }
    override func validateForUpdate() throws {
        try super.validateForUpdate()
        try refuse("update")
    }
    override func validateForDelete() throws {
        try super.validateForDelete()
        try refuse("delete")
    }

    private func refuse(_ step: String) throws {
        if refused == step { throw NSError(domain: step, code: 1) }
    }
}
