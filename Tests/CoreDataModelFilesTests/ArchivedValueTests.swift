// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Keyed archives of plain values: the same values are read back, here and by Foundation's unarchiver.

import Foundation
import Testing

@testable import CoreDataModelFiles

@Suite("Keyed archives of values") struct ArchivedValueTests {
    private func values() -> [NSObject] {
        [
            NSArray(array: ["a", 1, 2.5, Data([1, 2]), Date(timeIntervalSinceReferenceDate: 0.25)]),
            NSDictionary(dictionary: ["a": [1, ["b": true]], "$null": "$null", "": NSNull()]),
            NSSet(array: ["a", "b"]), NSOrderedSet(array: ["b", "a", 3]), NSArray(array: [NSArray(), NSDictionary()]),
            NSArray(array: [UUID(), NSURL(string: "https://example.com/a?b#c") as Any]), NSString(string: "text"),
            NSArray(array: ["Łódź", "e\u{301}", "👩‍🚀"]), NSString(string: "é"), NSNumber(value: Int64.min),
            NSNumber(value: -0.5), NSArray(array: [NSNull()]),
        ]
    }

    @Test("come back as they were") func thereAndBack() throws {
        // Foundation outside of Apple's systems does not read the form that decimals have in Apple's archives.
        for value in values() + [NSArray(array: [NSDecimalNumber(string: "-12.34500")])] {
            let data = try #require(ArchivedValue.encode(value), "\(value)")
            let back = try #require(try ArchivedValue.decode(data), "\(value)")
            #expect(NSArray(array: [back]) == NSArray(array: [value]), "\(value)")
        }
    }

    @Test("are read by Foundation's unarchiver") func foundation() throws {
        let classes = [
            NSArray.self, NSDictionary.self, NSSet.self, NSOrderedSet.self, NSString.self, NSNumber.self, NSData.self,
            NSDate.self, NSUUID.self, NSURL.self, NSNull.self, NSDecimalNumber.self,
        ]
        for value in values() {
            let data = try #require(ArchivedValue.encode(value))
            let back = try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data)
            let read = try #require(back, "\(value)")
            #expect(NSArray(array: [read]) == NSArray(array: [value]), "\(value)")
        }
    }

    @Test("have sets of decimals, and their members are found: Foundation on Linux cannot hash its own decimal")
    func decimals() throws {
        let numbers = try ["1.5", "2", "1.50"].map { HashableDecimal(try #require(Decimal(string: $0))) }
        let data = try #require(ArchivedValue.encode(NSSet(array: numbers)))
        let set = try #require(try ArchivedValue.decode(data) as? NSSet)
        #expect(set.count == 2 && set.contains(numbers[0]))
        #expect(set.allObjects.allSatisfy { $0 is NSDecimalNumber })
    }

    @Test("keep 1, 1.0 and true apart") func numbers() throws {
        let numbers = [NSNumber(value: 1), NSNumber(value: true), NSNumber(value: 1.0), NSNumber(value: false)]
        let data = try #require(ArchivedValue.encode(NSArray(array: numbers + [NSNumber(value: 0)])))
        let archive = try KeyedArchive(data)
        let members = try archive.members(of: archive.root()).map { try archive.resolve($0) }
        #expect(members == [.integer(1), .boolean(true), .real(1), .boolean(false), .integer(0)])
        // A value that is in no collection reaches the archive in another form.
        let alone = try numbers.map { number -> PropertyListNode in
            let archive = try KeyedArchive(try #require(ArchivedValue.encode(number)))
            return try archive.resolve(archive.rootNode())
        }
        #expect(alone == [.integer(1), .boolean(true), .real(1), .boolean(false)])
    }

    @Test("keep texts apart that Swift holds for equal") func texts() throws {
        let texts = ["\u{E9}", "e\u{301}"]
        let data = try #require(ArchivedValue.encode(NSArray(array: texts)))
        let back = try #require(try ArchivedValue.decode(data) as? [String])
        #expect(back.map { Array($0.utf8) } == texts.map { Array($0.utf8) })
    }

    @Test("are not made of what would not be read") func refused() {
        var deep = NSArray()
        for _ in 0..<70 { deep = NSArray(array: [deep]) }
        let others: [Any] = [
            deep, NSArray(array: [NSObject()]), NSNumber(value: UInt64.max), NSDictionary(dictionary: [1: "a"]),
        ]
        for other in others { #expect(ArchivedValue.encode(other) == nil, "\(type(of: other))") }
    }
}
