// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that a property is read to its end while a save gives its model another row.

import Foundation
import SwiftData
import Testing

/// Its decoding calls code of the program.
struct Crate: Codable, Hashable, Sendable {
    nonisolated(unsafe) static var whileDecoding: (() -> Void)?

    var text: String

    init(text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
        text = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .text)
        let body = Self.whileDecoding
        Self.whileDecoding = nil
        body?()
    }
}

@Model
final class Crated {
    @Attribute(.unique) var code: String
    var crate: Crate
    var crates: [Crate] = []

    init(code: String, text: String) {
        self.code = code
        crate = Crate(text: text)
        crates = [Crate(text: text), Crate(text: text + text)]
    }
}

@Suite("A read goes on while a save gives the model another row", .serialized) struct ReadDuringSaveTests {
    /// Proves: SwiftData-M8
    @Test("decoding a value may save, and so make the model that of the record with its unique value")
    func decoding() throws {
        let container = try ModelContainer(
            for: Schema([Crated.self]), configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        let context = ModelContext(container)
        for round in 0..<20 {
            let first = Crated(code: "a", text: "old \(round)")
            context.insert(first)
            try context.save()
            let second = Crated(code: "a", text: "new \(round)")
            context.insert(second)
            let before = second.persistentModelID
            var failure: (any Error)?
            Crate.whileDecoding = {
                do { try context.save() } catch { failure = error }
            }
            if round.isMultiple(of: 2) {
                #expect(second.crate.text == "new \(round)")
            } else {
                #expect(second.crates.map(\.text) == ["new \(round)", "new \(round)new \(round)"])
            }
            #expect(failure == nil)
            #expect(Crate.whileDecoding == nil)
            #expect(try context.fetchCount(FetchDescriptor<Crated>()) == 1)
            #expect(second.persistentModelID == first.persistentModelID)
            #expect(second.persistentModelID == before)
            #expect(second.crate.text == "new \(round)")
        }
    }

    /// Proves: SwiftData-M8
    @Test("a model that takes other backing data reads that, and frees its former row at its end")
    func backing() throws {
        let model = Crated(code: "a", text: "first")
        let other = Crated(code: "b", text: "second")
        model.persistentBackingData = other.persistentBackingData
        #expect(model.code == "b")
        #expect(model.crate.text == "second")
        other.code = "c"
        #expect(model.code == "c")
    }
}
