// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A value of every type of attribute is read back unchanged.

import CoreDataFoundation
import Foundation
import SwiftData
import Testing

enum Shape: Codable, Equatable {
    case dot
    case circle(radius: Double)
    case box(width: Int, height: Int?)
}

struct Inner: Codable, Equatable, Hashable {
    var numbers: [Int]
    var note: String?
}

struct Outer: Codable, Equatable {
    var inner: Inner
    var more: [Inner]
    var table: [String: Inner]
    var when: Date?
}

@Model
final class AllTypes {
    var int = 0
    var int8: Int8 = 0
    var int16: Int16 = 0
    var int32: Int32 = 0
    var int64: Int64 = 0
    var uint: UInt = 0
    var uint8: UInt8 = 0
    var uint16: UInt16 = 0
    var uint32: UInt32 = 0
    var uint64: UInt64 = 0
    var float: Float = 0
    var double = 0.0
    var graphic: CGFloat = 0
    var decimal: Decimal = 0
    var flag = false
    var text = ""
    var date = Date(timeIntervalSinceReferenceDate: 0)
    var data = Data()
    var uuid = UUID()
    var url = URL(fileURLWithPath: "/")
    var duration: Duration = .zero
    var shape: Shape = Shape.dot
    var outer: Outer?
    var dates: [Date] = []
    var shapes: [Shape] = []
    var numbers: Set<Int> = []
    var table: [String: [Double]] = [:]
    var maybeInt: Int?
    var maybeUInt64: UInt64?
    var maybeFloat: Float?
    var maybeDuration: Duration?
    var maybeTexts: [String]?
    @Attribute(.transformable(by: "NSSecureUnarchiveFromDataTransformer")) var archived: NSArray?

    init() {}
}

@Suite("Attributes of all types")
struct TypeTests {
    private static let outer = Outer(
        inner: Inner(numbers: [1, 2], note: nil), more: [Inner(numbers: [], note: "n")],
        table: ["k": Inner(numbers: [9], note: "t")], when: Date(timeIntervalSinceReferenceDate: 1.5))

    private func fill(_ all: AllTypes) {
        (all.int, all.int8, all.int16) = (.min, .min, .min)
        (all.int32, all.int64) = (.min, .max)
        (all.uint, all.uint8, all.uint16, all.uint32, all.uint64) = (.max, .max, .max, .max, .max)
        (all.float, all.double, all.graphic) = (.leastNormalMagnitude, .greatestFiniteMagnitude, 0.1)
        all.decimal = Decimal(string: "-123456789.125") ?? 0
        (all.flag, all.text) = (true, "ä\u{0}😀")
        all.date = Date(timeIntervalSinceReferenceDate: -0.25)
        all.data = Data([0, 255])
        all.url = URL(string: "https://example.org/a?b=c") ?? all.url
        all.duration = .seconds(3) + .nanoseconds(7)
        all.shape = .box(width: 3, height: nil)
        all.outer = Self.outer
        all.dates = [all.date]
        all.shapes = [.dot, .circle(radius: 0.5), .box(width: 1, height: 2)]
        all.numbers = [3, 1]
        all.table = ["a": [0.1, .pi]]
        (all.maybeInt, all.maybeUInt64, all.maybeFloat, all.maybeDuration) = (-1, .max, 0.5, .milliseconds(1))
        all.maybeTexts = [""]
        all.archived = ["one", 2] as NSArray
    }

    /// Proves: S8, S4
    @Test("come back in another container, in a file and in memory", arguments: [true, false])
    func types(inMemory: Bool) throws {
        let file = Stack.file()
        defer { Stack.remove(file) }
        func container() throws -> ModelContainer {
            try ModelContainer(
                for: AllTypes.self,
                configurations: inMemory
                    ? ModelConfiguration(isStoredInMemoryOnly: true) : ModelConfiguration(url: file))
        }
        let first = try container()
        let context = ModelContext(first)
        let (filled, plain) = (AllTypes(), AllTypes())
        fill(filled)
        context.insert(filled)
        context.insert(plain)
        try context.save()

        let other = ModelContext(inMemory ? first : try container())
        let found = try other.fetch(FetchDescriptor<AllTypes>())
        try #require(found.count == 2)
        let expected = AllTypes()
        fill(expected)
        expected.uuid = filled.uuid
        for (copy, original) in zip(found, [expected, plain]) {
            #expect(values(copy) == values(original))
            #expect(copy.outer == original.outer && copy.shapes == original.shapes && copy.shape == original.shape)
            #expect(copy.archived == original.archived)
        }
        let (big, low) = (UInt64.max, Int8.min)
        let equal = FetchDescriptor<AllTypes>(predicate: #Predicate { $0.uint64 == big && $0.int8 == low })
        #expect(try other.fetchCount(equal) == 1)
    }

    /// All values that have a hash.
    private func values(_ all: AllTypes) -> [AnyHashable?] {
        let integers: [AnyHashable?] = [
            all.int, all.int8, all.int16, all.int32, all.int64, all.uint, all.uint8, all.uint16, all.uint32, all.uint64,
        ]
        let others: [AnyHashable?] = [
            all.float, all.double, all.graphic, all.decimal, all.flag, all.text, all.date, all.data, all.uuid, all.url,
            all.duration, all.dates, all.numbers, all.table,
        ]
        return integers + others + [all.maybeInt, all.maybeUInt64, all.maybeFloat, all.maybeDuration, all.maybeTexts]
    }
}
