// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Collections that a new version adds.

import Foundation
import SwiftData
import Testing

enum LeafletsBefore: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Leaflet.self] }

    @Model
    final class Leaflet {
        var text: String

        init(text: String) { self.text = text }
    }
}

enum LeafletsAfter: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Leaflet.self] }

    @Model
    final class Leaflet {
        var text: String
        var words: [String] = []
        var marks: [Int] = [1, 2]
        var days: [Date]?
        var places: Set<String> = ["home"]

        init(text: String) { self.text = text }
    }
}

@Suite("A new version adds collections")
struct AddedPropertyTests {
    /// Proves: S74, S110, S8
    @Test("Records of the old version have the initial values, and can be changed")
    func initialValues() throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        do {
            let old = ModelContext(
                try ModelContainer(
                    for: Schema(versionedSchema: LeafletsBefore.self), configurations: ModelConfiguration(url: file)))
            old.insert(LeafletsBefore.Leaflet(text: "a"))
            try old.save()
        }
        let container = try ModelContainer(
            for: Schema(versionedSchema: LeafletsAfter.self), configurations: ModelConfiguration(url: file))
        let context = ModelContext(container)
        let note = try #require(try context.fetch(FetchDescriptor<LeafletsAfter.Leaflet>()).first)
        #expect(note.words == [] && note.marks == [1, 2] && note.days == nil && note.places == ["home"])
        note.text = "b"
        note.words = ["x"]
        try context.save()
        let again = ModelContext(container)
        let found = try again.fetch(FetchDescriptor<LeafletsAfter.Leaflet>())
        #expect(found.map(\.text) == ["b"] && found.map(\.words) == [["x"]] && found.map(\.marks) == [[1, 2]])
    }
}
