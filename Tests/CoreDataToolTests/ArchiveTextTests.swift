// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Archives as JSON, converted without a loss in both directions.

import CoreData
import CoreDataToolKit
import Foundation
import Testing

@Suite("An archive is given as JSON where JSON keeps all of it")
struct ArchiveTextTests {
    private func archive(_ value: Any) throws -> Data {
        try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: false)
    }

    @Test(arguments: [
        #"["a", 1, 2.5, true, null, 0, false]"#, #"{"a": [1, {"b": "c"}]}"#, #""text""#, "12", "[]", "9007199254740993",
    ])
    func jsonThereAndBack(_ text: String) throws {
        let data = try ArchiveText.archive(of: text)
        #expect(ArchiveText.isArchive(data))
        let shown = try #require(ArchiveText.json(of: data))
        #expect(shown.filter { !$0.isWhitespace } == text.filter { !$0.isWhitespace })
    }

    @Test func otherValuesHaveNoJSON() throws {
        let values: [Any] = [
            [Date()] as NSArray, NSSet(array: ["a"]), [UUID() as NSUUID] as NSArray, [Data([1])] as NSArray,
            NSMutableArray(array: ["a"]), [Double.nan as NSNumber] as NSArray,
        ]
        for value in values { #expect(ArchiveText.json(of: try archive(value)) == nil) }
        #expect(ArchiveText.json(of: Data("[1]".utf8)) == nil)
        #expect(!ArchiveText.isArchive(Data("[1]".utf8)))
    }

    @Test func aMistakeHasItsPlace() throws {
        let error = #expect(throws: BrowsingError.self) { try ArchiveText.archive(of: "[1, }") }
        #expect(error?.description.contains("byte 5") == true)
    }
}
