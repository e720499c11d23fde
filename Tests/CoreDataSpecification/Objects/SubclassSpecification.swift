// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that every creation of an object gives an instance of its subclass.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

class Shape: NSManagedObject {
    /// State of the object that is not in its record.
    var drawings = 0

    var area: Double { 0 }

    override func awakeFromFetch() {
        super.awakeFromFetch()
        drawings = 1
    }
}

final class Circle: Shape {
    override var area: Double { 3 * pow(value(forKey: "radius") as? Double ?? 0, 2) }
}

final class Square: Shape {
    override var area: Double { pow(value(forKey: "side") as? Double ?? 0, 2) }
}

/// Proves: C28, M19
@Suite("Subclasses of the managed object") struct SubclassSpecification {
    private static func model() -> NSManagedObjectModel {
        let shape = NSEntityDescription("Shape", class: Shape.self, abstract: true)
        shape.attribute("name", .stringAttributeType)
        let circle = NSEntityDescription("Circle", class: Circle.self)
        circle.attribute("radius", .doubleAttributeType)
        let square = NSEntityDescription("Square", class: Square.self)
        square.attribute("side", .doubleAttributeType)
        shape.subentities = [circle, square]
        shape.relate("next", .one, to: shape, inverse: "previous", .one)
        return NSManagedObjectModel(shape, circle, square)
    }

    @Test("fetches, relationships, ids and inserting by name give the class of the entity", arguments: StoreKind.all)
    func everywhere(store: StoreKind) throws {
        let stack = try Stack(store, Self.model())
        let circle = Circle(context: stack.context)
        circle.setValue(2.0, forKey: "radius")
        circle.setValue("c", forKey: "name")
        let square = NSEntityDescription.insertNewObject(forEntityName: "Square", into: stack.context)
        square.setValue(3.0, forKey: "side")
        square.setValue("s", forKey: "name")
        circle.setValue(square, forKey: "next")
        #expect(square is Square)
        try stack.context.save()
        let other = stack.newContext()
        let request = NSFetchRequest<Shape>(entityName: "Shape")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let shapes = try other.fetch(request)
        #expect(shapes.map(\.area) == [12, 9])
        #expect(shapes.first is Circle)
        #expect(shapes.map(\.drawings) == [1, 1])
        #expect(shapes.first?.value(forKey: "next") as? Square === shapes.last)
        #expect(other.object(with: square.objectID) is Square)
        let third = stack.newContext()
        let origin = try #require(try third.existingObject(with: circle.objectID) as? Circle)
        #expect((origin.value(forKey: "next") as? Shape)?.area == 9)
        request.predicate = NSPredicate(format: "entity == %@", square.entity)
        #expect(try third.fetch(request).map(\.area) == [9])
    }

    @Test("an instance variable of a subclass lives as long as the object", arguments: StoreKind.all)
    func ownState(store: StoreKind) throws {
        let stack = try Stack(store, Self.model())
        let circle = Circle(context: stack.context)
        circle.drawings = 5
        try stack.context.save()
        #expect(circle.drawings == 5)
        stack.context.refresh(circle, mergeChanges: false)
        #expect(circle.drawings == 5)
        #expect(circle.value(forKey: "radius") == nil)
        #expect(circle.drawings == 1)
    }
}
