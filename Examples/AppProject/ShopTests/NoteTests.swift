// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A test of the class of SwiftData.

import SwiftData
import SwiftUI
import Testing

@testable import Shop

@Test("notes are fetched by their dates")
func notes() throws {
    let container = try ModelContainer(for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(Note("second", written: Date(timeIntervalSince1970: 2)))
    context.insert(Note("first", written: Date(timeIntervalSince1970: 1)))
    let found = try context.fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.written)]))
    #expect(found.map(\.text) == ["first", "second"])
    #expect(found.first?.color == Color(white: 0.5))
}
