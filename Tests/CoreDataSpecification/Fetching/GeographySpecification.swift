// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States which objects are in a box and which are nearest to a point: the same in every store, saved or unsaved.

#if !canImport(ObjectiveC)
    import CoreData
    import CoreDataTestSupport
    import Foundation
    import Testing

    /// Places with coordinates, parks among them, with an R-tree index.
    enum PlacesModel {
        static func make(isIndexed: Bool = true) -> NSManagedObjectModel {
            let place = NSEntityDescription("Place")
            place.attribute("name", .stringAttributeType)
            place.attribute("latitude", .doubleAttributeType)
            place.attribute("longitude", .doubleAttributeType)
            place.attribute("stars", .integer64AttributeType, default: 0)
            let park = NSEntityDescription("Park")
            place.subentities = [park]
            if isIndexed {
                place.indexes = [
                    NSFetchIndexDescription(
                        name: "byPlace",
                        elements: ["latitude", "longitude"].compactMap { place.propertiesByName[$0] }.map {
                            NSFetchIndexElementDescription(property: $0, collationType: .rTree)
                        })
                ]
            }
            return NSManagedObjectModel(place, park)
        }
    }

    @Suite("Boxes and distances on the Earth") struct GeographySpecification {
        private typealias Degrees = (latitude: Double?, longitude: Double?)

        private func add(_ degrees: Degrees, _ name: String, to stack: Stack, as entity: String = "Place") {
            let place = stack.insert(entity)
            place.setValue(name, forKey: "name")
            place.setValue(degrees.latitude, forKey: "latitude")
            place.setValue(degrees.longitude, forKey: "longitude")
        }

        private func point(_ place: NSManagedObject) -> GeographicCoordinate? {
            guard let latitude = place.value(forKey: "latitude") as? Double,
                let longitude = place.value(forKey: "longitude") as? Double
            else { return nil }
            return GeographicCoordinate(latitude: latitude, longitude: longitude)
        }

        private func request(_ entity: String = "Place") -> NSFetchRequest<NSManagedObject> {
            NSFetchRequest<NSManagedObject>(entityName: entity)
        }

        private func names(_ box: GeographicBox, _ stack: Stack, _ entity: String = "Place") throws -> [String] {
            let request = request(entity)
            request.predicate = .within(box)
            return try stack.context.fetch(request).compactMap { $0.value(forKey: "name") as? String }.sorted()
        }

        @Test("a box has its edges, goes across the 180th meridian, and has the poles", arguments: StoreKind.all)
        func edges(kind: StoreKind) throws {
            let stack = try Stack(kind, PlacesModel.make())
            let places: [(String, Degrees)] = [
                ("corner", (10, 20)), ("inside", (5, 10)), ("outside", (10.000001, 20)), ("fiji", (-17, 178)),
                ("samoa", (-14, -172)), ("line", (-16, 180)), ("line again", (-16, -180)), ("pole", (90, 45)),
                ("south pole", (-90, -100)), ("nowhere", (nil, nil)), ("half", (5, nil)), ("other half", (nil, 10)),
                ("beyond", (5, 370)),
            ]
            for (name, degrees) in places { add(degrees, name, to: stack, as: name == "samoa" ? "Park" : "Place") }
            for isSaved in [false, true] {
                if isSaved { try stack.context.save() }
                let small = GeographicBox(south: 0, west: 0, north: 10, east: 20)
                #expect(try names(small, stack) == ["corner", "inside"])
                let pacific = GeographicBox(south: -20, west: 175, north: -10, east: -170)
                #expect(try names(pacific, stack) == ["fiji", "line", "line again", "samoa"])
                #expect(try names(pacific, stack, "Park") == ["samoa"])
                let continued = GeographicBox(south: -20, west: 175, north: -10, east: 190)
                #expect(try names(continued, stack) == ["fiji", "line", "line again", "samoa"])
                let line = GeographicBox(south: -20, west: 179, north: -10, east: 180)
                #expect(try names(line, stack) == ["line", "line again"])
                let arctic = GeographicBox(south: 80, west: 0, north: 90, east: 10)
                #expect(try names(arctic, stack) == ["pole"])
                let earth = GeographicBox(south: -90, west: -180, north: 90, east: 180)
                #expect(try names(earth, stack).count == 9)
                for empty in [
                    GeographicBox(south: 10, west: 0, north: 0, east: 20),
                    GeographicBox(south: .nan, west: 0, north: 10, east: 20),
                    GeographicBox(south: 0, west: 0, north: 10, east: .nan),
                ] {
                    #expect(try names(empty, stack) == [])
                }
            }
        }

        @Test("nearest objects come by distance, from the request's objects only", arguments: StoreKind.all)
        func nearest(kind: StoreKind) throws {
            let stack = try Stack(kind, PlacesModel.make())
            let cities: [(String, Degrees)] = [
                ("Munich", (48.14, 11.58)), ("Lubeck", (53.87, 10.69)), ("Berlin", (52.52, 13.40)), ("?", (nil, 10)),
                ("Suva", (-18.14, 178.44)),
            ]
            for (name, degrees) in cities { add(degrees, name, to: stack) }
            let hamburg = GeographicCoordinate(latitude: 53.55, longitude: 9.99)
            for isSaved in [false, true] {
                if isSaved { try stack.context.save() }
                let all = try stack.context.nearest(to: hamburg, in: request())
                #expect(
                    all.map { $0.object.value(forKey: "name") as? String } == ["Lubeck", "Berlin", "Munich", "Suva"])
                #expect(all.map { ($0.distance / 1_000).rounded() } == [58, 255, 612, 15_954])
                let limited = request()
                (limited.fetchLimit, limited.fetchOffset) = (2, 1)
                let some = try stack.context.nearest(to: hamburg, in: limited, within: 300_000)
                #expect(some.map { $0.object.value(forKey: "name") as? String } == ["Berlin"])
                let samoa = GeographicCoordinate(latitude: -14, longitude: -172)
                limited.fetchOffset = 0
                limited.predicate = NSPredicate(format: "name != 'Lubeck'")
                let far = try stack.context.nearest(to: samoa, in: limited)
                #expect(far.first?.object.value(forKey: "name") as? String == "Suva")
                let nowhere = GeographicCoordinate(latitude: .nan, longitude: 0)
                #expect(try stack.context.nearest(to: nowhere, in: request()).isEmpty)
            }
        }

        // MARK: Random

        private func degrees(_ random: inout SeededGenerator) -> Degrees {
            func one(_ bound: Double) -> Double? {
                if random.chance(0.05) { return nil }
                if random.chance(0.15) { return [-bound, 0, bound].randomElement(using: &random) }
                // Numbers that 32 bits round to others.
                return Double.random(in: -bound...bound, using: &random)
            }
            return (one(90), one(180))
        }

        @Test("random boxes and points find what a loop over all objects finds", arguments: StoreKind.all)
        func random(kind: StoreKind) throws {
            for (seed, isIndexed) in [(1, true), (2, true), (3, false)] as [(UInt64, Bool)] {
                var random = SeededGenerator(seed: seed)
                let stack = try Stack(kind, PlacesModel.make(isIndexed: isIndexed))
                for number in 0..<150 {
                    add(degrees(&random), "\(number)", to: stack, as: random.chance(0.3) ? "Park" : "Place")
                }
                try stack.context.save()
                for step in 0..<25 {
                    let objects = try stack.context.fetch(request())
                    let (one, two) = (degrees(&random), degrees(&random))
                    var box = GeographicBox(
                        south: min(one.latitude ?? 0, two.latitude ?? 90),
                        west: one.longitude ?? .random(in: -400...400, using: &random),
                        north: max(one.latitude ?? 0, two.latitude ?? 90), east: two.longitude ?? 180)
                    if random.chance(0.3), let place = objects.randomElement(using: &random).flatMap(point) {
                        // An edge at an object.
                        (box.south, box.west) = (min(place.latitude, box.north), place.longitude)
                    }
                    let inside = objects.filter { point($0).map(box.contains) ?? false }
                    let expected = inside.compactMap { $0.value(forKey: "name") as? String }.sorted()
                    #expect(try names(box, stack) == expected, "seed \(seed), step \(step), \(box)")
                    try checkNearest(objects, stack, "seed \(seed), step \(step)", &random)
                    for object in objects.shuffled(using: &random).prefix(2) {
                        let new = degrees(&random)
                        object.setValue(new.latitude, forKey: "latitude")
                        object.setValue(new.longitude, forKey: "longitude")
                    }
                    if step % 7 == 0, let object = objects.last { stack.context.delete(object) }
                    add(degrees(&random), "new \(step)", to: stack)
                    if step % 5 == 0 { try stack.context.save() }
                }
            }
        }

        private func checkNearest(
            _ objects: [NSManagedObject], _ stack: Stack, _ place: String, _ random: inout SeededGenerator
        ) throws {
            let center = GeographicCoordinate(
                latitude: .random(in: -90...90, using: &random), longitude: .random(in: -180...180, using: &random))
            let metres: Double? = random.chance(0.5) ? .random(in: 0...5_000_000, using: &random) : nil
            let distances = objects.compactMap(point).map { center.distance(to: $0) }
                .filter { $0 <= metres ?? .infinity }.sorted()
            let request = request()
            request.fetchLimit = random.chance(0.7) ? .random(in: 1...20, using: &random) : 0
            let found = try stack.context.nearest(to: center, in: request, within: metres).map(\.distance)
            #expect(found == Array(distances.prefix(request.fetchLimit > 0 ? request.fetchLimit : .max)), "\(place)")
        }
    }
#endif
