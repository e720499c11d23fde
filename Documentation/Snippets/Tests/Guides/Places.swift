// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the page and of the comments about boxes and distances on the Earth.

import CoreDataModeling
import Foundation
import SwiftData
import Testing

// snippet: class
@ManagedObject(indexes: [.rTree("latitude", "longitude")]) final class Landmark: NSManagedObject {
    var name: String = ""
    var latitude: Double?
    var longitude: Double?
}
// end

@Suite("Guides: places") @MainActor struct Places {
    @Model final class City {
        #Index<City>(.rtree([\.latitude, \.longitude]))
        var name: String
        var latitude: Double
        var longitude: Double

        init(_ name: String, _ latitude: Double, _ longitude: Double) {
            (self.name, self.latitude, self.longitude) = (name, latitude, longitude)
        }
    }

    private static let cities = [
        ("Hamburg", 53.55, 9.99), ("Munich", 48.14, 11.58), ("Suva", -18.14, 178.44), ("Apia", -13.83, -171.76),
    ]

    private func filled(_ folder: EmptyFolder) async throws -> NSManagedObjectContext {
        let container = NSPersistentContainer(
            name: "Places", managedObjectModel: try NSManagedObjectModel(classes: [Landmark.self]))
        let url = folder.url.appending(path: "Places.sqlite")
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        try await container.loadPersistentStores()
        for (name, latitude, longitude) in Self.cities {
            let place = Landmark(context: container.viewContext)
            (place.name, place.latitude, place.longitude) = (name, latitude, longitude)
        }
        try container.viewContext.save()
        return container.viewContext
    }

    @Test("boxes and nearest objects") func places() async throws {
        let folder = try EmptyFolder()
        let context = try await filled(folder)
        let request = NSFetchRequest<Landmark>(entityName: "Landmark")
        // snippet: germany
        let germany = GeographicBox(south: 47.2, west: 5.8, north: 55.1, east: 15.1)
        request.predicate = .within(germany, latitude: "latitude", longitude: "longitude")
        // end
        #expect(try context.count(for: request) == 2)
        // snippet: box
        let box = GeographicBox(south: -20, west: 175, north: -10, east: -170)  // across the 180th meridian
        request.predicate = .within(box, latitude: "latitude", longitude: "longitude")
        let islands = try context.fetch(request)
        // end
        #expect(Set(islands.map(\.name)) == ["Suva", "Apia"])
        request.predicate = nil
        // snippet: nearest
        request.fetchLimit = 10
        let here = GeographicCoordinate(latitude: 53.55, longitude: 9.99)
        for place in try context.nearest(to: here, in: request, within: 1_000_000) {
            print(place.object.name, place.distance)
        }
        // end
        #expect(try context.nearest(to: here, in: request, within: 1_000_000).count == 2)
        // snippet: distance
        let hamburg = GeographicCoordinate(latitude: 53.55, longitude: 9.99)
        let munich = GeographicCoordinate(latitude: 48.14, longitude: 11.58)
        print(hamburg.distance(to: munich))  // in metres
        // end
        #expect(hamburg.distance(to: munich) > 600_000)
    }

    @Test("models") func models() throws {
        let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
        let context = ModelContext(try ModelContainer(for: City.self, configurations: configuration))
        for (name, latitude, longitude) in Self.cities { context.insert(City(name, latitude, longitude)) }
        let box = GeographicBox(south: 47.2, west: 5.8, north: 55.1, east: 15.1)
        // snippet: models
        let inside = FetchDescriptor<City>().within(box, latitude: \.latitude, longitude: \.longitude)
        let cities = try context.fetch(inside)
        let here = GeographicCoordinate(latitude: 53.55, longitude: 9.99)
        let all = FetchDescriptor<City>()
        let nearest = try context.nearest(to: here, in: all, latitude: \.latitude, longitude: \.longitude)
        // end
        #expect(cities.count == 2)
        #expect(nearest.map(\.object.name) == ["Hamburg", "Munich", "Apia", "Suva"])
    }
}
