// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The JSON forms of values, stamps and requests.
import CoreDataSyncProtocol
import Foundation
import Testing

@Suite("Wire forms") struct WireTests {
    private static let name = UUID(
        uuid: (0x6F, 0x96, 0x19, 0xFF, 0x8B, 0x86, 0xD0, 0x11, 0xB4, 0x2D, 0x00, 0xC0, 0x4F, 0xC9, 0x64, 0xFF))

    static let values: [(SyncValue, String)] = [
        (.null, #"{"null":true}"#),
        (.integer(.min), #"{"integer":"-9223372036854775808"}"#),
        (.bool(false), #"{"bool":false}"#),
        (.double((-0.0).bitPattern), #"{"double":"8000000000000000"}"#),
        (.double(Double.nan.bitPattern), #"{"double":"7ff8000000000000"}"#),
        (.float(Float(1).bitPattern), #"{"float":"3f800000"}"#),
        (.decimal("12.50"), #"{"decimal":"12.50"}"#),
        (.string("e\u{301}"), #"{"string":"e\#u{301}"}"#),
        (.date((0.1).bitPattern), #"{"date":"3fb999999999999a"}"#),
        (.data(Data([0, 255])), #"{"data":"AP8="}"#),
        (.uuid(name), #"{"uuid":"6F9619FF-8B86-D011-B42D-00C04FC964FF"}"#),
        (.uri("a:b"), #"{"uri":"a:b"}"#),
        (.composite(["x": .integer(1)]), #"{"composite":{"x":{"integer":"1"}}}"#),
        (.transformed(Data([1])), #"{"transformed":"AQ=="}"#),
        (.link(name), #"{"link":"6F9619FF-8B86-D011-B42D-00C04FC964FF"}"#),
    ]

    @Test("a value has one JSON form and comes back exactly", arguments: values)
    func value(value: SyncValue, json: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == json)
        let decoded = try JSONDecoder().decode(SyncValue.self, from: Data(json.utf8))
        #expect(decoded == value)
        if case .string(let text) = decoded { #expect(Array(text.utf8) == [0x65, 0xCC, 0x81]) }
    }

    @Test(
        "a value of another form is refused",
        arguments: [
            "{}", #"{"integer":"1","bool":true}"#, #"{"integer":"1.5"}"#, #"{"double":"3ff"}"#, #"{"float":"0"}"#,
            #"{"double":"+ff0000000000000"}"#, #"{"decimal":"one"}"#, #"{"uuid":"x"}"#, #"{"data":"*"}"#, "7",
        ])
    func wrong(json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(SyncValue.self, from: Data(json.utf8)) }
    }

    @Test("stamps order by clock, then by replica, and so do their texts")
    func order() throws {
        let low = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
        let stamps = [
            SyncStamp(clock: 9, replica: Self.name), SyncStamp(clock: 10, replica: low),
            SyncStamp(clock: 10, replica: Self.name), SyncStamp(clock: .max, replica: low),
        ]
        #expect(stamps.shuffled().sorted() == stamps)
        #expect(stamps.map(\.description).shuffled().sorted() == stamps.map(\.description))
        for stamp in stamps { #expect(SyncStamp(stamp.description) == stamp) }
        #expect(SyncStamp("12-\(low)") == nil)
    }

    @Test("a hybrid clock grows even when the wall clock goes back")
    func clock() {
        var clock = SyncHybridClock()
        let noon = Date(timeIntervalSince1970: 1_000_000)
        let first = clock.next(noon)
        #expect(first == 1_000_000_000 << 16)
        #expect(clock.next(noon.addingTimeInterval(-3600)) == first + 1)
        clock.observe(first + 70_000)
        #expect(clock.next(noon) == first + 70_001)
    }

    @Test("absent dictionaries of a change are empty, and empty ones are left out")
    func change() throws {
        let stamp = SyncStamp(clock: 1, replica: Self.name)
        let change = SyncChange(.delete, name: Self.name, entity: "Note", group: 0, stamp: stamp)
        let data = try JSONEncoder().encode(change)
        #expect(!String(decoding: data, as: UTF8.self).contains("fields"))
        #expect(try JSONDecoder().decode(SyncChange.self, from: data) == change)
    }
}
