// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Captured values of predicates: lists with nil, identifiers, members of structures, optionals.

import Foundation
import SwiftData
import Testing

@Suite("Captured values mean in a store what they mean in Swift")
struct CapturedValueTests {
    /// A structure that is captured, not stored.
    struct Filter: Codable, Hashable, Sendable {
        struct Limits: Codable, Hashable, Sendable {
            var least: Int
            var most: Int?
        }

        var name: String
        var names: [String]?
        var limits: Limits
        var range: ClosedRange<Int>
        var urgencies: [Urgency?] = []
    }

    private func shop(inMemory: Bool) throws -> (context: ModelContext, file: URL) {
        let file = Stack.file()
        let configuration =
            inMemory ? ModelConfiguration(isStoredInMemoryOnly: true) : ModelConfiguration(url: file)
        let container = try ModelContainer(for: Schema([Shipment.self]), configurations: configuration)
        let context = ModelContext(container)
        let (north, south) = (Storehouse(name: "north", floor: 1), Storehouse(name: "south"))
        for number in 1...4 {
            let parcel = Shipment(number: number)
            context.insert(parcel)
            parcel.name = ["a", "b", "c", "d"][number - 1]
            parcel.stock = number == 4 ? nil : number
            parcel.note = number == 1 ? "a" : nil
            parcel.height = number == 1 ? 0.5 : nil
            parcel.opened = number == 1 ? Date(timeIntervalSinceReferenceDate: 1) : nil
            parcel.code = number == 1 ? Self.code : nil
            parcel.urgency = number == 1 ? .great : number == 2 ? .some : nil
            parcel.isPaid = number == 1 ? true : number == 2 ? false : nil
            parcel.wrapping = Wrapping(title: "t\(5 - number)", label: number == 1 ? Label(city: "x", zip: 7) : nil)
            parcel.spare = number < 3 ? Label(city: "s\(number)") : nil
            if number < 3 { parcel.depot = number == 1 ? north : south }
        }
        return (context, file)
    }

    private static let code = UUID()

    /// The numbers that a predicate finds: among unsaved models, in the store, and among changed models.
    private func expect(
        _ predicate: Predicate<Shipment>, finds numbers: [Int], at location: SourceLocation = #_sourceLocation
    ) throws {
        for inMemory in [false, true] {
            let (context, file) = try shop(inMemory: inMemory)
            defer { Stack.remove(file) }
            let descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.number)])
            #expect(try context.fetch(descriptor).map(\.number) == numbers, "unsaved", sourceLocation: location)
            try context.save()
            let other = ModelContext(context.container)
            #expect(try other.fetch(descriptor).map(\.number) == numbers, "saved", sourceLocation: location)
            let all = try other.fetch(FetchDescriptor<Shipment>(sortBy: [SortDescriptor(\.number)]))
            let evaluated = try all.filter { try predicate.evaluate($0) }.map(\.number)
            #expect(evaluated == numbers, "evaluated", sourceLocation: location)
            for parcel in all { parcel.words = ["changed"] }
            #expect(try other.fetch(descriptor).map(\.number) == numbers, "changed", sourceLocation: location)
            other.rollback()
            #expect(
                try other.delete(immediately: Shipment.self, where: predicate) == numbers.count, "deleted",
                sourceLocation: location)
        }
    }

    /// Proves: S39, S46
    @Test("nil in a captured list is a member of it, for elements of each type")
    func listsWithNil() throws {
        let numbers: [Int?] = [nil, 1]
        try expect(#Predicate { numbers.contains($0.stock) }, finds: [1, 4])
        try expect(#Predicate { !numbers.contains($0.stock) }, finds: [2, 3])
        let set: Set<Int?> = [2, nil]
        try expect(#Predicate { set.contains($0.stock) }, finds: [2, 4])
        let notes: [String?] = [nil]
        try expect(#Predicate { notes.contains($0.note) }, finds: [2, 3, 4])
        let heights: [Double?] = [0.5, nil]
        try expect(#Predicate { heights.contains($0.height) }, finds: [1, 2, 3, 4])
        let dates: [Date?] = [nil, .distantPast]
        try expect(#Predicate { dates.contains($0.opened) }, finds: [2, 3, 4])
        let codes: [UUID?] = [nil, Self.code]
        try expect(#Predicate { !codes.contains($0.code) }, finds: [])
        let urgencies: [Urgency?] = [.some, nil]
        try expect(#Predicate { urgencies.contains($0.urgency) }, finds: [2, 3, 4])
        let answers: [Bool?] = [nil, false]
        try expect(#Predicate { answers.contains($0.isPaid) }, finds: [2, 3, 4])
        let floors: [Int?] = [nil]
        try expect(#Predicate { floors.contains($0.depot.flatMap { $0.floor }) }, finds: [2, 3, 4])
        let nothing: [Int?] = []
        try expect(#Predicate { nothing.contains($0.stock) }, finds: [])
    }

    /// Proves: S40
    @Test("Identifiers of no record of the container equal no record, and not the missing one either")
    func foreignIdentifiers() throws {
        let elsewhere = try shop(inMemory: true).context
        let foreign = Storehouse(name: "elsewhere")
        elsewhere.insert(foreign)
        try elsewhere.save()
        let id = foreign.persistentModelID
        let (none, some): ([PersistentIdentifier], [PersistentIdentifier?]) = ([id], [id, nil])
        try expect(#Predicate { $0.depot?.persistentModelID == id }, finds: [])
        try expect(#Predicate { $0.depot?.persistentModelID != id }, finds: [1, 2, 3, 4])
        try expect(#Predicate { some.contains($0.depot.flatMap { $0.persistentModelID }) }, finds: [3, 4])
        try expect(#Predicate { none.contains($0.persistentModelID) }, finds: [])
        try expect(#Predicate { !none.contains($0.persistentModelID) }, finds: [1, 2, 3, 4])
    }

    /// Proves: S39, S42
    @Test("Members of captured structures, nested and optional ones too")
    func members() throws {
        let filter = Filter(
            name: "a", names: ["b", "d"], limits: .init(least: 2, most: 3), range: 2...3, urgencies: [nil, .some])
        try expect(#Predicate { $0.name == filter.name }, finds: [1])
        try expect(#Predicate { $0.number >= filter.limits.least }, finds: [2, 3, 4])
        try expect(#Predicate { $0.stock == filter.limits.most }, finds: [3])
        try expect(#Predicate { parcel in filter.names?.contains(parcel.name) == true }, finds: [2, 4])
        try expect(#Predicate { parcel in filter.names?.contains(parcel.name) ?? false }, finds: [2, 4])
        try expect(#Predicate { filter.range.contains($0.number) }, finds: [2, 3])
        try expect(#Predicate { filter.urgencies.contains($0.urgency) }, finds: [2, 3, 4])
        try expect(#Predicate { ($0.stock ?? 0) * filter.limits.least > (filter.limits.most ?? 0) }, finds: [2, 3])
        try expect(#Predicate { $0.stock == filter.names?.count }, finds: [2])
        try expect(
            #Predicate { ($0.depot?.name ?? "a") == filter.name && $0.number == filter.limits.least + 1 }, finds: [3])
        let missing: Filter? = nil
        try expect(#Predicate { $0.note == missing?.name }, finds: [2, 3, 4])
        try expect(#Predicate { missing == nil || $0.name == missing!.name }, finds: [1, 2, 3, 4])
        try expect(#Predicate { missing != nil && $0.name == missing!.name }, finds: [])
        try expect(#Predicate { parcel in missing.flatMap { $0.name == parcel.name } ?? true }, finds: [1, 2, 3, 4])
    }

    /// Proves: S39, S41
    @Test("Captured collections of structures, and dictionaries")
    func collections() throws {
        let filters = [
            Filter(name: "a", limits: .init(least: 1), range: 0...9),
            Filter(name: "b", limits: .init(least: 3), range: 0...1),
        ]
        try expect(
            #Predicate { parcel in filters.contains { $0.name == parcel.name && parcel.number >= $0.limits.least } },
            finds: [1])
        try expect(
            #Predicate { parcel in filters.allSatisfy { $0.range.contains(parcel.number) } }, finds: [1])
        try expect(#Predicate { $0.number == filters.filter { $0.name > "a" }.count }, finds: [1])
        let (first, levels) = (filters, [Urgency.great: 1, .some: 2])
        try expect(#Predicate { $0.name == first[1].name }, finds: [2])
        let great = Urgency.great
        try expect(#Predicate { $0.number == (levels[great] ?? 0) }, finds: [1])
    }

    /// Proves: S45
    @Test("A predicate that unwraps a captured nil is refused")
    func unwrappedNil() throws {
        let (context, file) = try shop(inMemory: true)
        defer { Stack.remove(file) }
        let name: String? = nil
        let error = #expect(throws: ModelError.self) {
            try context.fetch(FetchDescriptor<Shipment>(predicate: #Predicate { $0.name == name! }))
        }
        #expect(error?.kind == .unsupportedPredicate)
        #expect(error?.description.contains("unwraps") == true)
    }

    /// Proves: S42
    @Test("Structures in structures: nil, and in orders")
    func structures() throws {
        try expect(#Predicate { $0.wrapping.label == nil }, finds: [2, 3, 4])
        try expect(#Predicate { $0.wrapping.label != nil }, finds: [1])
        try expect(#Predicate { !($0.wrapping.label == nil) }, finds: [1])
        try expect(#Predicate { $0.wrapping.label?.zip == 7 }, finds: [1])
        try expect(#Predicate { $0.spare == nil }, finds: [3, 4])
        try expect(#Predicate { $0.spare?.city == "s1" }, finds: [1])
        for inMemory in [false, true] {
            let (context, file) = try shop(inMemory: inMemory)
            defer { Stack.remove(file) }
            for _ in 0..<2 {
                let order: [SortDescriptor<Shipment>] = [SortDescriptor(\.wrapping.title)]
                #expect(try context.fetch(FetchDescriptor(sortBy: order)).map(\.number) == [4, 3, 2, 1])
                let cities: [SortDescriptor<Shipment>] = [
                    SortDescriptor(\.wrapping.label?.city, order: .reverse), SortDescriptor(\.spare?.city),
                    SortDescriptor(\.number, order: .reverse),
                ]
                #expect(try context.fetch(FetchDescriptor(sortBy: cities)).map(\.number) == [1, 4, 3, 2])
                try context.save()
            }
        }
    }

    /// Proves: S45
    @Test("An order by a computed member is refused, with the property that it reads")
    func computedMembers() throws {
        let (context, file) = try shop(inMemory: true)
        defer { Stack.remove(file) }
        let descriptor = FetchDescriptor<Shipment>(sortBy: [SortDescriptor(\.wrapping.title.count)])
        let error = #expect(throws: ModelError.self) { try context.fetch(descriptor) }
        #expect(error?.kind == .unsupportedSortDescriptor)
        #expect(error?.propertyName == "wrapping")
    }

    /// Proves: S39, S46
    @Test("No text contains the empty one for localizedStandardContains; every text does for contains")
    func emptyText() throws {
        let (empty, part) = ("", "A")
        try expect(#Predicate { $0.name.localizedStandardContains(empty) }, finds: [])
        try expect(#Predicate { !$0.name.localizedStandardContains(empty) }, finds: [1, 2, 3, 4])
        try expect(#Predicate { $0.name.localizedStandardContains(part) }, finds: [1])
        try expect(#Predicate { $0.name.localizedStandardContains($0.note ?? "") }, finds: [1])
        try expect(#Predicate { $0.name.contains(empty) && $0.name.starts(with: empty) }, finds: [1, 2, 3, 4])
    }

    /// Proves: S39, S46
    @Test("A chain after an optional is nil if the optional is")
    func flatMaps() throws {
        try expect(#Predicate { $0.depot.flatMap { $0.floor ?? 9 } == 9 }, finds: [2])
        try expect(#Predicate { $0.depot.flatMap { $0.floor ?? 9 } == nil }, finds: [3, 4])
        try expect(#Predicate { $0.depot.flatMap { $0.name == "north" } == nil }, finds: [3, 4])
    }

    /// Proves: S41, S46
    @Test("Enumerations keep their order, even if their raw values have another one")
    func enumerationOrder() throws {
        let middle = Standing.middle
        let range = Standing.low...Standing.middle
        for inMemory in [false, true] {
            let (context, file) = try Self.graded(inMemory)
            defer { Stack.remove(file) }
            func names(_ predicate: Predicate<Graded>) throws -> [String] {
                try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)])).map(\.name)
            }
            #expect(try names(#Predicate { $0.grade < middle }) == ["low"])
            #expect(try names(#Predicate { $0.grade >= middle }) == ["high", "middle"])
            #expect(try names(#Predicate { middle > $0.grade }) == ["low"])
            #expect(try names(#Predicate { range.contains($0.grade) }) == ["low", "middle"])
            let error = #expect(throws: ModelError.self) {
                try context.fetch(FetchDescriptor<Graded>(sortBy: [SortDescriptor(\.grade)]))
            }
            #expect(error?.kind == .unsupportedSortDescriptor && error?.propertyName == "grade")
            let levels = try context.fetch(FetchDescriptor<Graded>(sortBy: [SortDescriptor(\.level)]))
            #expect(levels.map(\.name) == ["low", "middle", "high"])
        }
    }

    private static func graded(_ inMemory: Bool) throws -> (ModelContext, URL) {
        let file = Stack.file()
        let container = try ModelContainer(
            for: Schema([Graded.self]),
            configurations: inMemory ? ModelConfiguration(isStoredInMemoryOnly: true) : ModelConfiguration(url: file))
        let context = ModelContext(container)
        for grade in Standing.allCases { context.insert(Graded(name: "\(grade)", grade: grade)) }
        try context.save()
        return (context, file)
    }

    /// Proves: S46
    @Test("Nothing equals NaN")
    func notANumber() throws {
        let (undefined, numbers) = (Double.nan, [Double.nan, 0.5])
        try expect(#Predicate { $0.height == undefined }, finds: [])
        try expect(#Predicate { $0.height != undefined }, finds: [1, 2, 3, 4])
        try expect(#Predicate { numbers.contains($0.height ?? 0) }, finds: [1])
        try expect(#Predicate { !numbers.contains($0.height ?? 0) }, finds: [2, 3, 4])
        try expect(#Predicate { !($0.weight < undefined) }, finds: [1, 2, 3, 4])
    }
}
