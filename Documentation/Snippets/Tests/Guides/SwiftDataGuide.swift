// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the guide to SwiftData. In this file the macros are SwiftData's.

import Foundation
import SwiftData
import Testing

// snippet: model
@Model final class Trip {
    #Unique<Trip>([\.name])
    var name: String
    var start: Date
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

    init(name: String, start: Date) { (self.name, self.start) = (name, start) }
}

@Model final class Stop {
    var place: String
    var trip: Trip?

    init(place: String) { self.place = place }
}
// end

@Suite("Guide: SwiftData") struct SwiftDataGuide {
    @Test("a model, a save and a fetch") func first() throws {
        // snippet: use
        let container = try ModelContainer(
            for: Trip.self, Stop.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        let trip = Trip(name: "North", start: Date(timeIntervalSinceReferenceDate: 0))
        trip.stops = [Stop(place: "Oslo"), Stop(place: "Bergen")]
        context.insert(trip)
        try context.save()

        let places = try context.fetch(
            FetchDescriptor<Stop>(
                predicate: #Predicate { $0.trip?.name == "North" }, sortBy: [SortDescriptor(\.place)]))
        // end
        #expect(places.map(\.place) == ["Bergen", "Oslo"])
    }
}
