// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The compact form of batches: every value comes back, and damaged bytes are an error.
import CoreDataSyncProtocol
import Foundation
import Testing

@Suite("Compact forms") struct PackedCodingTests {
    private func push() -> SyncPush {
        let stamp = SyncStamp(clock: .max, replica: UUID())
        let values: [SyncValue] = [
            .null, .integer(.min), .integer(-1), .integer(.max), .bool(true), .double(.max), .float(.max),
            .decimal("-12.50"), .string(""), .string("né\u{301}"), .date(1), .data(Data([0, 255])), .uuid(UUID()),
            .uri("https://a.example"), .transformed(Data()), .link(UUID()),
            .composite(["a": .composite(["b": .integer(7)]), "c": .null]),
        ]
        let fields = values.enumerated().map { ("key\($0.offset)", SyncField($0.element, stamp)) }
        var change = SyncChange(
            .insert, name: UUID(), entity: "Note", group: 3, stamp: stamp,
            fields: Dictionary(uniqueKeysWithValues: fields),
            members: ["tags": SyncMembers(added: [UUID(), UUID()], removed: [UUID()])], counters: ["views": -5],
            places: ["steps": [UUID().uuidString: SyncPlace("i", stamp)]])
        change.origin = SyncOrigin(store: UUID(), transactions: [0, 7, .max])
        let deletion = SyncChange(.delete, name: UUID(), entity: "Note", group: 4, stamp: stamp)
        return SyncPush(
            replica: UUID(), number: 7, id: UUID(), schema: SyncSchema(entities: ["Note": Data([1, 2])]), observed: 41,
            changes: [change, deletion])
    }

    @Test("a batch with every kind of value comes back equal, and is smaller than its JSON")
    func everyValue() throws {
        let push = push()
        let packed = push.packed
        #expect(try SyncPush(packed: packed) == push)
        #expect(packed.count * 2 < (try JSONEncoder().encode(push)).count)
    }

    @Test("a record's state comes back equal, with the names of links that lead outside")
    func states() throws {
        let whole = SyncRecordState(
            name: UUID(), entity: "Note", state: .present, values: ["account": .null, "title": .string("Emma")],
            members: ["tags": [UUID()]], orders: ["steps": [UUID().uuidString: "i"]], outside: ["account", "folder"])
        let merged = SyncRecordState(name: UUID(), entity: "Note", state: .merged, into: UUID())
        for state in [whole, merged] { #expect(try SyncRecordState(packed: state.packed) == state) }
    }

    @Test("a page comes back equal")
    func pages() throws {
        let state = SyncRecordState(name: UUID(), entity: "Note", state: .present, values: ["title": .string("Emma")])
        let page = SyncPage(
            records: [state, SyncRecordState(name: UUID(), entity: "Note", state: .deleted)], next: "e__7_~",
            isLast: true, isWhole: false, revision: .max, clock: .max)
        #expect(try SyncPage(packed: page.packed) == page)
    }

    @Test("a body of mostly values in values is refused: it would take many times its size in memory")
    func nesting() throws {
        let stamp = SyncStamp(clock: 1, replica: UUID())
        var deep = SyncValue.null
        for _ in 0..<8 { deep = .composite(["a": deep]) }
        func push(_ count: Int) -> Data {
            let fields = (0..<count).map { (String($0), SyncField(deep, stamp)) }
            let change = SyncChange(
                .insert, name: UUID(), entity: "Note", group: 0, stamp: stamp,
                fields: Dictionary(uniqueKeysWithValues: fields))
            return SyncPush(
                replica: UUID(), number: 1, id: UUID(), schema: SyncSchema(entities: [:]), observed: 0,
                changes: [change]
            ).packed
        }
        #expect(try SyncPush(body: push(5), mostChanges: 1).changes.count == 1)
        #expect(throws: SyncError.self) { try SyncPush(body: push(5_000), mostChanges: 1) }
    }

    @Test("every beginning of a batch's form, and a form of a later version, is an error")
    func beginnings() throws {
        let packed = push().packed
        for count in 0..<packed.count {
            #expect(throws: PackedError.self) { try SyncPush(packed: packed.prefix(count)) }
        }
        var later = packed
        later[0] = 2
        #expect(throws: PackedError.self) { try SyncPush(packed: later) }
    }

    @Test("bytes that are changed at random give an error or another batch, and never end the process")
    func damage() throws {
        let packed = push().packed
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<5_000 {
            var damaged = packed
            for _ in 0..<3 { damaged[Int.random(in: 1..<packed.count, using: &generator)] = UInt8.random(in: 0...255) }
            if let other = try? SyncPush(packed: damaged) { #expect(other.changes.count <= packed.count) }
        }
    }

    @Test("names are read from text with letters of either case, and from no other text")
    func texts() {
        for _ in 0..<100 {
            let name = UUID()
            #expect(name.text == name.uuidString)
            #expect(UUID(text: name.uuidString) == name)
            #expect(UUID(text: name.uuidString.lowercased()) == name)
        }
        let text = "6F9619FF-8B86-D011-B42D-00C04FC964FF"
        for wrong in [
            "", String(text.dropLast()), text + "0", text.replacingOccurrences(of: "-", with: "0"),
            text.replacingOccurrences(of: "F", with: "G"), "-" + text.dropFirst(), "é" + text.dropFirst(2),
        ] {
            #expect(UUID(text: wrong) == nil)
        }
    }

    @Test("names are in the order of their texts")
    func order() {
        let names = (0..<200).map { _ in UUID() }
        #expect(names.sorted { $0.precedes($1) } == names.sorted { $0.uuidString < $1.uuidString })
    }
}
