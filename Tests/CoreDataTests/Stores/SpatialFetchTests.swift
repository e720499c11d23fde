// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States when fetches of a SQLite store read a spatial index, and that an index which is not kept changes no answer.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Testing

@testable import CoreData

@Suite("Spatial indexes of a SQLite store") struct SpatialFetchTests {
    private func model() -> NSManagedObjectModel {
        let place = NSEntityDescription("Place")
        place.attribute("latitude", .doubleAttributeType)
        place.attribute("longitude", .doubleAttributeType)
        place.indexes = [
            NSFetchIndexDescription(
                name: "byPlace",
                elements: place.properties.map { NSFetchIndexElementDescription(property: $0, collationType: .rTree) })
        ]
        return NSManagedObjectModel(place)
    }

    private func stack() throws -> Stack {
        let stack = try Stack(.sqlite, model())
        for number in 0..<200 {
            let place = stack.insert("Place")
            place.setValue(Double(number % 20), forKey: "latitude")
            place.setValue(Double(number / 20), forKey: "longitude")
        }
        try stack.context.save()
        return stack
    }

    private func request(_ predicate: NSPredicate) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Place")
        request.predicate = predicate
        return request
    }

    private func plan(_ predicate: NSPredicate, _ stack: Stack) throws -> String {
        try request(predicate).explain(in: stack.context).stores.flatMap(\.queryPlan).joined(separator: "\n")
    }

    @Test("a box, and any range of both attributes, reads the index; a range of one attribute does not")
    func plans() throws {
        let stack = try stack()
        let box = NSPredicate.within(GeographicBox(south: 2, west: 3, north: 4, east: 5))
        #expect(try plan(box, stack).contains("Z_RT_Place_byPlace VIRTUAL TABLE INDEX"))
        #expect(try request(box).explain(in: stack.context).isAnsweredBySQL)
        let ranges = NSPredicate(format: "latitude BETWEEN {2, 4} AND longitude >= 3 AND 5 > longitude")
        #expect(try plan(ranges, stack).contains("Z_RT_Place_byPlace VIRTUAL TABLE INDEX"))
        let around = NSPredicate.within(GeographicBox(south: -10, west: 170, north: 90, east: -170))
        #expect(try plan(around, stack).contains("Z_RT_Place_byPlace VIRTUAL TABLE INDEX"))
        for predicate in ["latitude > 2", "latitude > 2 OR longitude < 3", "latitude != 2 AND longitude != 3"] {
            #expect(try !plan(NSPredicate(format: predicate), stack).contains("Z_RT_Place_byPlace"), "\(predicate)")
        }
        // A kept statement has the box of the present request.
        for edge in [4.0, 6.0, 4.0] {
            let box = NSPredicate.within(GeographicBox(south: 2, west: 3, north: edge, east: 5))
            #expect(try stack.context.fetch(request(box)).count == Int(edge - 1) * 3)
            #expect(try stack.context.count(for: request(box)) == Int(edge - 1) * 3)
        }
    }

    @Test("an index without its triggers is not read, and one that another program dropped neither")
    func dropped() throws {
        let stack = try stack()
        let box = NSPredicate.within(GeographicBox(south: 2, west: 3, north: 4, east: 5))
        #expect(try stack.context.fetch(request(box)).count == 9)
        let other = try Connection(url: stack.url)
        defer { try? other.close() }
        try other.execute("DROP TRIGGER Z_RT_Place_byPlace_UPDATE")
        try other.execute("UPDATE ZPLACE SET ZLATITUDE = 3 WHERE Z_PK = 200")
        try other.execute("UPDATE ZPLACE SET ZLONGITUDE = 4 WHERE Z_PK = 200")
        stack.context.reset()
        #expect(try !plan(box, stack).contains("Z_RT_Place_byPlace"))
        #expect(try stack.context.fetch(request(box)).count == 10)
        try other.execute("DROP TABLE Z_RT_Place_byPlace")
        stack.context.reset()
        #expect(try stack.context.fetch(request(box)).count == 10)
    }
}
