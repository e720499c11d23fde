// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the reference of SwiftData.

import Foundation
import SwiftData
import Testing

// snippet: actor
@ModelActor actor TripImporter {
    func add(_ names: [String]) throws -> Int {
        for name in names {
            modelContext.insert(Trip(name: name, start: Date(timeIntervalSinceReferenceDate: 0)))
        }
        try modelContext.save()
        return try modelContext.fetchCount(FetchDescriptor<Trip>())
    }
}
// end

@Suite("Reference: SwiftData") struct SwiftDataReference {
    private func container() throws -> ModelContainer {
        try ModelContainer(
            for: Trip.self, Stop.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }

    @Test("an actor with a context of its own") func importing() async throws {
        let container = try container()
        // snippet: import
        let importer = TripImporter(modelContainer: container)
        let count = try await importer.add(["North", "South"])
        // end
        #expect(count == 2)
    }

    @Test("an identifier leads to the model in another context") func identifiers() throws {
        let container = try container()
        let context = ModelContext(container)
        // snippet: identifier
        let trip = Trip(name: "North", start: Date(timeIntervalSinceReferenceDate: 0))
        context.insert(trip)
        try context.save()
        let id = trip.persistentModelID  // an identifier may go to any thread
        let other = ModelContext(container)
        let same = other.model(for: id) as? Trip
        // end
        #expect(same?.name == "North")
    }
}
