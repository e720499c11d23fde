// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the behaviour of attributes with values of Swift's Codable types.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// A value without support for archives.
private struct Route: Codable, Hashable {
    var stops: [String]
}

@Suite("Codable values of attributes") struct CodableValueSpecification {
    private static func model() -> NSManagedObjectModel {
        CodableTransformer<Route>.register(name: "CodableValueSpecification.Route")
        return ReadingModel.make(.transformableAttributeType, transformer: "CodableValueSpecification.Route")
    }

    private func readings(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Reading"))
    }

    @Test("are saved and read by a registered transformer", arguments: StoreKind.builtIn)
    func saving(store: StoreKind) throws {
        let stack = try Stack(store, Self.model())
        let reading = NSEntityDescription.insertNewObject(forEntityName: "Reading", into: stack.context)
        reading.setValue(Route(stops: ["A", "B"]), forKey: "value")
        try stack.context.save()
        reading.setValue(Route(stops: ["A", "B"]), forKey: "value")
        #expect(!reading.hasPersistentChangedValues)
        reading.setValue(Route(stops: ["A"]), forKey: "value")
        #expect(reading.hasPersistentChangedValues)
        try stack.context.save()
        if store.isPersistent { try stack.reopen() }
        let context = stack.newContext()
        let found = try readings(context).map { $0.value(forKey: "value") as? Route }
        #expect(found == [Route(stops: ["A"])])
    }

    @Test("of another type than the transformer's are refused by name, and nothing is saved")
    func wrongType() throws {
        let stack = try Stack(.sqlite, Self.model())
        let reading = NSEntityDescription.insertNewObject(forEntityName: "Reading", into: stack.context)
        reading.setValue("no route", forKey: "value")
        let error = stack.context.saveFailure()
        #expect(error?.localizedDescription.contains("Reading.value") == true, "\(String(describing: error))")
        #expect(stack.context.hasChanges)
        reading.setValue(Route(stops: []), forKey: "value")
        try stack.context.save()
    }
}
