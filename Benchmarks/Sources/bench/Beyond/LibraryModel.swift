// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The model of the scenarios, with to-many relationships of every kind and classes in generated style.

import CoreData

final class Owner: NSManagedObject {
    override class var _slots: StaticString { "items:m name:s pages:o" }

    var name: String {
        get { _string(1, "name") ?? "" }
        set { _setString(newValue, 1, "name") }
    }
    var items: Set<Item> { _members(0, "items") ?? [] }
    var pages: NSMutableOrderedSet { mutableOrderedSetValue(forKey: "pages") }
}

final class Item: NSManagedObject {
    override class var _slots: StaticString { "number:i owner:r tags:m text:s" }

    var number: Int64 {
        get { _integer(0, "number") ?? 0 }
        set { _setInteger(newValue, 0, "number") }
    }
    var owner: Owner? {
        get { _destination(1, "owner") }
        set { _setDestination(newValue, 1, "owner") }
    }
    var text: String {
        get { _string(3, "text") ?? "" }
        set { _setString(newValue, 3, "text") }
    }
}

final class Page: NSManagedObject {
    override class var _slots: StaticString { "number:i owner:r" }

    var number: Int64 {
        get { _integer(0, "number") ?? 0 }
        set { _setInteger(newValue, 0, "number") }
    }
    var owner: Owner? {
        get { _destination(1, "owner") }
        set { _setDestination(newValue, 1, "owner") }
    }
}

final class Tag: NSManagedObject {
    override class var _slots: StaticString { "items:m number:i" }

    var number: Int64 {
        get { _integer(1, "number") ?? 0 }
        set { _setInteger(newValue, 1, "number") }
    }
}

enum LibraryModel {
    static let shared = make()

    private static func make() -> NSManagedObjectModel {
        let owner = entity(Owner.self), item = entity(Item.self), page = entity(Page.self), tag = entity(Tag.self)
        owner.properties = [attribute("name", .stringAttributeType)]
        item.properties = [attribute("number", .integer64AttributeType), attribute("text", .stringAttributeType)]
        page.properties = [attribute("number", .integer64AttributeType)]
        tag.properties = [attribute("number", .integer64AttributeType)]
        connect(owner, "items", many: true, item, "owner", many: false)
        connect(owner, "pages", many: true, page, "owner", many: false, ordered: true)
        connect(item, "tags", many: true, tag, "items", many: true)
        let model = NSManagedObjectModel()
        model.entities = [owner, item, page, tag]
        return model
    }

    /// A model of many entities with ten attributes each.
    static func wide(entities: Int) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = (0..<entities).map { number in
            let entity = NSEntityDescription()
            entity.name = "Entity\(number)"
            entity.properties = (0..<10).map { attribute("attribute\($0)", .stringAttributeType) }
            return entity
        }
        return model
    }

    static func entity(_ type: NSManagedObject.Type) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = String(describing: type)
        entity.managedObjectClassName = String(reflecting: type)
        return entity
    }

    static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        return attribute
    }

    /// - Parameter rule: the delete rule of `name`.
    static func connect(
        _ one: NSEntityDescription, _ name: String, many: Bool, _ other: NSEntityDescription, _ inverse: String,
        many inverseIsMany: Bool, ordered: Bool = false, rule: NSDeleteRule = .nullifyDeleteRule
    ) {
        let there = NSRelationshipDescription(), back = NSRelationshipDescription()
        there.name = name
        there.destinationEntity = other
        there.maxCount = many ? 0 : 1
        there.isOrdered = ordered
        there.deleteRule = rule
        back.name = inverse
        back.destinationEntity = one
        back.maxCount = inverseIsMany ? 0 : 1
        there.inverseRelationship = back
        back.inverseRelationship = there
        one.properties.append(there)
        other.properties.append(back)
    }
}
