// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Models without a context, while containers with other lists of their classes are opened.

import Foundation
import SwiftData
import Testing

@Model
class Vehicle {
    var plate: String
    var depot: Depot?

    init(plate: String) { self.plate = plate }
}

@Model
final class Truck: Vehicle {
    var load: Int

    init(plate: String, load: Int) {
        self.load = load
        super.init(plate: plate)
    }
}

@Model
final class Depot {
    var name: String
    @Relationship(inverse: \Vehicle.depot) var vehicles: [Vehicle] = []

    init(name: String) { self.name = name }
}

/// It has no inverse.
@Model
final class Inspection {
    var note: String
    @Relationship(inverse: nil) var vehicle: Vehicle?

    init(note: String) { self.note = note }
}

@Model
final class Anchor {
    var name: String

    init(name: String) { self.name = name }
}

@Suite("Containers with other lists of the same classes", .serialized)
struct SeveralSchemasTests {
    @discardableResult
    private func open(_ types: any PersistentModel.Type...) throws -> ModelContainer {
        try ModelContainer(for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    /// Proves: S53, S79
    @Test("models that were made before and after another container was opened can be related, and inserted")
    func toOne() throws {
        try open(Depot.self)
        let depot = Depot(name: "North")
        let container = try open(Anchor.self, Depot.self, Truck.self)
        let car = Vehicle(plate: "A")
        car.depot = depot
        #expect(car.depot === depot && depot.vehicles.map(\.plate) == ["A"])
        let context = ModelContext(container)
        context.insert(depot)
        try context.save()
        let other = ModelContext(container)
        #expect(try other.fetch(FetchDescriptor<Vehicle>()).map { $0.depot?.name } == ["North"])
    }

    /// Proves: S53, S9
    @Test("a member of a subclass that the first container lacks, and members from several containers")
    func toMany() throws {
        try open(Depot.self)
        let depot = Depot(name: "North")
        let cars = ["A", "B"].map { Vehicle(plate: $0) }
        cars[0].depot = depot
        let container = try open(Anchor.self, Inspection.self, Depot.self, Truck.self)
        let truck = Truck(plate: "T", load: 7)
        let inspection = Inspection(note: "brakes")
        inspection.vehicle = truck
        depot.vehicles += [truck, cars[1]]
        #expect(depot.vehicles.map(\.plate) == ["A", "T", "B"] && cars.allSatisfy { $0.depot === depot })
        #expect(truck.load == 7 && truck.depot === depot && inspection.vehicle === truck)
        let context = ModelContext(container)
        context.insert(inspection)
        try context.save()
        let other = ModelContext(container)
        let found = try other.fetch(FetchDescriptor<Inspection>())
        let saved = found.first?.vehicle as? Truck
        #expect(saved?.load == 7 && saved?.depot?.vehicles.count == 3)
    }

    /// Proves: S53
    @Test("neither of two containers has the classes of both models")
    func neither() throws {
        try open(Truck.self)
        let truck = Truck(plate: "T", load: 7)
        try open(Inspection.self)
        let inspection = Inspection(note: "brakes")
        inspection.vehicle = truck
        #expect(inspection.vehicle === truck && truck.load == 7)
        let container = try open(Truck.self, Inspection.self)
        let context = ModelContext(container)
        context.insert(inspection)
        try context.save()
        let other = ModelContext(container)
        let found = try other.fetch(FetchDescriptor<Inspection>())
        #expect((found.first?.vehicle as? Truck)?.load == 7)
    }

    /// Proves: S53
    @Test("a model without an inverse is inserted before the one that refers to it")
    func oneWay() throws {
        try open(Inspection.self)
        let inspection = Inspection(note: "brakes")
        let car = Vehicle(plate: "A")
        inspection.vehicle = car
        let context = ModelContext(try open(Anchor.self, Inspection.self))
        context.insert(car)
        context.insert(inspection)
        #expect(inspection.vehicle === car)
        try context.save()
        #expect(try context.fetch(FetchDescriptor<Inspection>()).map { $0.vehicle?.plate } == ["A"])
    }
}
