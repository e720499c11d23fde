// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Classes with slots in the list of their module, as the build plug-in writes it.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

// The plug-in's is public, so that no optimizer takes it for unused.
enum _OpenCoreDataClasses: _GeneratedClassList {
    static var _classes: [(NSManagedObject.Type, StaticString)] {
        [
            (Plant.self, "height:d name:s origin:r"), (Garden.Flower.self, "height:d name:s origin:r colour:s seeds:m"),
            (Stranger.self, ""),
        ]
    }
}

@Suite("Lists of generated classes") struct ClassListTests {
    private static func model() -> NSManagedObjectModel {
        let plant = NSEntityDescription("Plant", class: Plant.self)
        plant.managedObjectClassName = "CoreDataTests.Plant"
        plant.attribute("height", .doubleAttributeType)
        plant.attribute("name", .stringAttributeType)
        let flower = NSEntityDescription("Flower", class: Plant.self)
        flower.managedObjectClassName = "CoreDataTests.Garden.Flower"
        flower.attribute("colour", .stringAttributeType)
        let weed = NSEntityDescription("Weed", class: Plant.self)
        weed.managedObjectClassName = "CoreDataTests.Weed"
        plant.subentities = [flower, weed]
        flower.relate("seeds", .many, to: plant, inverse: "origin", .one)
        return NSManagedObjectModel(plant, flower, weed)
    }

    @Test("give classes that are nested, and slots to accessors in extensions") func list() throws {
        let stack = try Stack(.inMemory, Self.model())
        let flower = NSEntityDescription.insertNewObject(forEntityName: "Flower", into: stack.context)
        let typed = try #require(flower as? Garden.Flower)
        #expect(typed.flags.contains(.slotsMatch))
        typed.height = 2.5
        typed.name = "Rose"
        #expect(typed.height == 2.5 && typed.name == "Rose")
        #expect(flower.value(forKey: "height") as? Double == 2.5)
    }

    @Test("count for subclasses that are in no list") func subclasses() throws {
        let stack = try Stack(.inMemory, Self.model())
        let weed = NSEntityDescription.insertNewObject(forEntityName: "Weed", into: stack.context)
        let typed = try #require(weed as? Plant)
        #expect("\(type(of: weed))" == "Weed")
        typed.height = 1
        #expect(typed.height == 1)
        #expect(GeneratedClassLists.signature(of: Weed.self).description == "height:d name:s origin:r")
        #expect(GeneratedClassLists.signature(of: NSManagedObject.self).description == "")
    }

    @Test("members come as objects of their class") func members() throws {
        let stack = try Stack(.inMemory, Self.model())
        let flower = try #require(
            NSEntityDescription.insertNewObject(forEntityName: "Flower", into: stack.context) as? Garden.Flower)
        let seed = try #require(
            NSEntityDescription.insertNewObject(forEntityName: "Plant", into: stack.context) as? Plant)
        flower.mutableSetValue(forKey: "seeds").add(seed)
        #expect(flower.seeds == [seed])
        #expect(seed.origin === flower)
    }
}

class Plant: NSManagedObject {}

class Weed: Plant {}

enum Garden {
    final class Flower: Plant {
        var seeds: Set<Plant> { _memberSet("seeds") }
    }
}

extension Plant {
    var height: Double {
        get { _double(0, "height") ?? 0 }
        set { _setDouble(newValue, 0, "height") }
    }
    var name: String? {
        get { _string(1, "name") }
        set { _setString(newValue, 1, "name") }
    }
    var origin: Garden.Flower? { _destination(2, "origin") }
}
