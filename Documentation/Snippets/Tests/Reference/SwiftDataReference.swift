// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the reference of SwiftData.

import CoreData
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

    @Test("an actor with its own context") func importing() async throws {
        let container = try container()
        // snippet: import
        let importer = TripImporter(modelContainer: container)
        let count = try await importer.add(["North", "South"])
        // end
        #expect(count == 2)
    }

    @Test("an identifier finds the model in another context") func identifiers() throws {
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

    @Test("results that follow their context") func results() throws {
        let context = ModelContext(try container())
        // snippet: results
        let observer = try ResultsObserver<Trip, Never>(modelContext: context)
        context.insert(Trip(name: "North", start: Date(timeIntervalSinceReferenceDate: 0)))
        try context.save()
        let names = observer.results.map(\.name)  // ["North"]: it has fetched anew
        // end
        #expect(names == ["North"])
    }

    @Test("groups, counted by the store") func groups() throws {
        let context = ModelContext(try container())
        for (name, places) in [("North", ["Oslo", "Bergen"]), ("South", ["Rome"])] {
            let trip = Trip(name: name, start: Date(timeIntervalSinceReferenceDate: 0))
            trip.stops = places.map { Stop(place: $0) }
            context.insert(trip)
        }
        try context.save()
        // snippet: groups
        let number = NSExpressionDescription()
        number.name = "number"
        number.expression = NSExpression(forFunction: "count:", arguments: [NSExpression(forKeyPath: "place")])
        number.expressionResultType = .integer64AttributeType
        let request = NSFetchRequest<NSDictionary>(entityName: Schema.entityName(for: Stop.self))
        request.resultType = .dictionaryResultType
        request.propertiesToGroupBy = ["trip.name"]
        request.propertiesToFetch = ["trip.name", number]
        request.sortDescriptors = [NSSortDescriptor(key: "trip.name", ascending: true)]
        let rows = try context.managedObjectContext.fetch(request)  // `import CoreData`: one statement, no models
        // end
        #expect(rows.map { $0["trip.name"] as? String } == ["North", "South"])
        #expect(rows.map { $0["number"] as? Int } == [2, 1])
    }

    @Test("transactions that concern a program") func transactions() async throws {
        let folder = try EmptyFolder()
        let container = try ModelContainer(
            for: Trip.self, Stop.self,
            configurations: ModelConfiguration(url: folder.url.appending(path: "Trips.store")))
        // snippet: history
        let observer = try HistoryObserver(observedModels: [Trip.self], modelContainer: container)
        let context = ModelContext(container)
        context.insert(Trip(name: "North", start: Date(timeIntervalSinceReferenceDate: 0)))
        try context.save()  // `observer.eventCounter` becomes 1 soon; it counts other processes' transactions too

        let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        for case .insert(let insert) in transactions.flatMap(\.changes) {
            print(insert.changedPersistentIdentifier)
        }
        // end
        for _ in 0..<500 where observer.eventCounter == 0 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(observer.eventCounter == 1 && transactions.count == 1)
    }

    @Test("a schema, and the managed object of a model") func schema() throws {
        let container = try container()
        // snippet: schema
        let schema = Schema([Trip.self, Stop.self])
        for entity in schema.entities {  // a Schema.Entity for each class
            for attribute in entity.attributes { print(entity.name, attribute.name, attribute.isUnique) }
            for relationship in entity.relationships { print(entity.name, relationship.name, relationship.destination) }
        }
        let context = ModelContext(container)
        let trip = Trip(name: "North", start: Date(timeIntervalSinceReferenceDate: 0))
        context.insert(trip)
        let row = trip.managedObject  // a ModelRow: Core Data's side of the same record
        print(row?.entity.name ?? "")  // Trip
        // end
        #expect(row?.entity.name == "Trip" && schema.entities.count == 2)
    }
}
