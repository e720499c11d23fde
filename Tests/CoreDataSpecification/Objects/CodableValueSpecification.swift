// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the behaviour of attributes with values of Swift's Codable types.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// A value that knows nothing of archives.
private struct Route: Codable, Hashable {
    var stops: [String]
}

@Suite("Codable values of attributes") struct CodableValueSpecification {
    private static func model() -> NSManagedObjectModel {
        CodableTransformer<Route>.register(name: "CodableValueSpecification.Route")
        let trip = NSEntityDescription("Trip")
        trip.attribute("route", .transformableAttributeType).valueTransformerName = "CodableValueSpecification.Route"
        return NSManagedObjectModel(trip)
    }

    private func trips(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Trip"))
    }

    @Test("are saved and read by a registered transformer", arguments: StoreKind.builtIn)
    func saving(store: StoreKind) throws {
        let stack = try Stack(store, Self.model())
        let trip = NSEntityDescription.insertNewObject(forEntityName: "Trip", into: stack.context)
        trip.setValue(Route(stops: ["A", "B"]), forKey: "route")
        try stack.context.save()
        trip.setValue(Route(stops: ["A", "B"]), forKey: "route")
        #expect(!trip.hasPersistentChangedValues)
        trip.setValue(Route(stops: ["A"]), forKey: "route")
        #expect(trip.hasPersistentChangedValues)
        try stack.context.save()
        if store.isPersistent { try stack.reopen() }
        let context = stack.newContext()
        let found = try trips(context).map { $0.value(forKey: "route") as? Route }
        #expect(found == [Route(stops: ["A"])])
    }

    @Test("of another type than the transformer's are refused by name, and nothing is saved")
    func wrongType() throws {
        let stack = try Stack(.sqlite, Self.model())
        let trip = NSEntityDescription.insertNewObject(forEntityName: "Trip", into: stack.context)
        trip.setValue("no route", forKey: "route")
        let error = stack.context.saveFailure()
        #expect(error?.localizedDescription.contains("Trip.route") == true, "\(String(describing: error))")
        #expect(stack.context.hasChanges)
        trip.setValue(Route(stops: []), forKey: "route")
        try stack.context.save()
    }
}
