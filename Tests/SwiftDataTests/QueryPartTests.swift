// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Groups of models by parts of dates, models in a box and nearest to a point, and conditions on members of JSON.

import CoreData
import Foundation
import SwiftData
import Testing

private struct Origin: Codable, Hashable {
    var host: String
    var port: Int
    var fetched: Date
}

@Model private final class Visit {
    #Index<Visit>(.rtree([\.latitude, \.longitude]))
    var name: String
    var day: Date
    var latitude: Double
    var longitude: Double
    @Attribute(.codable) var origin: Origin

    init(_ name: String, _ day: Double, _ latitude: Double, _ longitude: Double, port: Int) {
        self.name = name
        self.day = Date(timeIntervalSinceReferenceDate: day * 86_400)
        self.latitude = latitude
        self.longitude = longitude
        origin = Origin(
            host: "\(name).org", port: port, fetched: Date(timeIntervalSinceReferenceDate: Double(port)))
    }
}

@Suite("Queries by parts of values") struct QueryPartTests {
    private static func visits(inMemory: Bool, _ folder: URL) throws -> ModelContext {
        let configuration =
            inMemory
            ? ModelConfiguration(isStoredInMemoryOnly: true)
            : ModelConfiguration(url: folder.appending(path: "\(UUID().uuidString).store"))
        let context = ModelContext(try ModelContainer(for: Visit.self, configurations: configuration))
        context.insert(Visit("Hamburg", 0, 53.55, 9.99, port: 80))
        context.insert(Visit("Munich", 40, 48.14, 11.58, port: 8_080))
        context.insert(Visit("Apia", 45, -13.83, -171.76, port: 80))
        return context
    }

    private func each(_ body: (ModelContext) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for inMemory in [true, false] {
            let context = try Self.visits(inMemory: inMemory, folder)
            try body(context)
            try context.save()
            try body(context)
        }
    }

    @Test("months and weekdays group models, saved or not") func dates() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        var months: [[Int]] = []
        var days: [[Int]] = []
        try each { context in
            months.append(
                try context.aggregate(Visit.self, by: .month(\.day, in: calendar), limit: 2) { $0.count }.map(\.value))
            days.append(
                try context.aggregate(
                    Visit.self, by: .component(.weekday, of: \.day, in: calendar), .value(\.name)
                ) { $0.count }.map(\.key.0))
        }
        #expect(months == Array(repeating: [1, 2], count: 4))
        #expect(days == Array(repeating: [2, 5, 7], count: 4))
    }

    @Test("a box and a distance find models, saved or not") func places() throws {
        var inside: [[String]] = []
        var nearest: [[String]] = []
        try each { context in
            let germany = GeographicBox(south: 47.2, west: 5.8, north: 55.1, east: 15.1)
            let descriptor = FetchDescriptor<Visit>(sortBy: [SortDescriptor(\.name)])
                .within(germany, latitude: \.latitude, longitude: \.longitude)
            inside.append(try context.fetch(descriptor).map(\.name))
            let here = GeographicCoordinate(latitude: 48, longitude: 11)
            var two = FetchDescriptor<Visit>()
            two.fetchLimit = 2
            nearest.append(
                try context.nearest(to: here, in: two, latitude: \.latitude, longitude: \.longitude).map(\.object.name))
        }
        #expect(inside == Array(repeating: ["Hamburg", "Munich"], count: 4))
        #expect(nearest == Array(repeating: ["Munich", "Hamburg"], count: 4))
    }

    @Test("members of a structure that is JSON are compared as Swift compares them") func members() throws {
        var answers: [[[String]]] = []
        let date = Date(timeIntervalSinceReferenceDate: 80)
        try each { context in
            answers.append(
                try [
                    #Predicate<Visit> { $0.origin.port == 80 }, #Predicate<Visit> { $0.origin.host == "Munich.org" },
                    #Predicate<Visit> { $0.origin.fetched > date }, #Predicate<Visit> { $0.origin.fetched == date },
                    #Predicate<Visit> { $0.name != "Apia" && $0.origin.port < 100 },
                ].map { predicate in
                    try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)]))
                        .map(\.name)
                })
        }
        let expected = [["Apia", "Hamburg"], ["Munich"], ["Munich"], ["Apia", "Hamburg"], ["Hamburg"]]
        #expect(answers == Array(repeating: expected, count: 4))
    }
}
