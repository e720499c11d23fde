// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A one-to-one link whose destination another record takes, and further changes of it.
import CoreData
import CoreDataSyncProtocol
import CoreDataSyncServer
import CoreDataSyncSimulation
import Foundation
import Testing

@Suite("One-to-one links") struct OneToOneTests {
    private static func model() -> NSManagedObjectModel {
        let cover = ModelParts.entity("Cover", [ModelParts.attribute("color", .stringAttributeType, isOptional: true)])
        let note = ModelParts.entity("Note", [])
        ModelParts.relate(
            ModelParts.relationship("cover", cover, .nullifyDeleteRule), note,
            ModelParts.relationship("note", note, .nullifyDeleteRule), cover)
        let model = NSManagedObjectModel()
        model.entities = [cover, note]
        return model
    }

    private let note = UUID()
    private let other = UUID()
    private let red = UUID()
    private let blue = UUID()

    private func cover(
        _ kind: SyncChange.Kind, _ name: UUID, _ color: String, to note: UUID?, _ stamp: SyncStamp
    ) -> SyncChange {
        var fields = kind == .insert ? ["color": SyncField(.string(color), stamp)] : [:]
        fields["note"] = SyncField(note.map(SyncValue.link) ?? .null, stamp)
        return SyncChange(kind, name: name, entity: "Cover", group: 0, stamp: stamp, fields: fields)
    }

    /// A server with two notes, of which the red cover has one.
    private func begun(_ kind: SyncStoreKind) throws -> SyncFixture {
        let fixture = try SyncFixture(kind, model: Self.model())
        _ = try fixture.pushes()(1) { stamp in
            [note, other].map { SyncChange(.insert, name: $0, entity: "Note", group: 0, stamp: stamp) }
                + [cover(.insert, red, "red", to: note, stamp), cover(.insert, blue, "blue", to: nil, stamp)]
        }
        return fixture
    }

    private func linkedColors(_ fixture: SyncFixture) throws -> [String] {
        let context = fixture.server.newBackgroundContext()
        return try context.performAndWait {
            try context.all("Cover", by: "color").filter { $0.value(forKey: "note") != nil }
                .map { $0.value(forKey: "color") as? String ?? "" }
        }
    }

    /// The red cover has the note, the blue one takes it, and the red one gets it again. The batch with the blue one's
    /// change has a newer change of another record.
    ///
    /// Proves: Y2
    @Test(
        "a link that is newer than the loss of its destination counts, whatever else came with the loss",
        arguments: SyncStoreKind.allCases)
    func newerLink(kind: SyncStoreKind) throws {
        let fixture = try begun(kind)
        let push = fixture.pushes()
        _ = try push(6) { later in
            [
                cover(.update, blue, "blue", to: note, later.minus(4)),
                SyncChange(.insert, name: UUID(), entity: "Note", group: 1, stamp: later),
            ]
        }
        let answer = try push(4) { [cover(.update, red, "red", to: note, $0)] }
        #expect(answer.outcomes.map(\.superseded) == [[]])
        #expect(try linkedColors(fixture) == ["red"])
    }

    /// The blue cover takes the note of the red one in a batch that also names the red one's link, with an older change
    /// than the server's.
    ///
    /// Proves: Y2
    @Test(
        "a change of a link that is older than the loss of its destination loses, also if the batch named the link",
        arguments: SyncStoreKind.allCases)
    func olderLink(kind: SyncStoreKind) throws {
        let fixture = try begun(kind)
        let push = fixture.pushes()
        _ = try push(4) { [cover(.update, red, "red", to: note, $0)] }
        _ = try push(6) { stamp in
            [cover(.update, red, "red", to: nil, stamp.minus(3)), cover(.update, blue, "blue", to: note, stamp)]
        }
        let answer = try push(5) { [cover(.update, red, "red", to: other, $0)] }
        #expect(answer.outcomes.map(\.superseded.count) == [1])
        #expect(try linkedColors(fixture) == ["blue"])
    }

    /// Proves: Y2
    @Test(
        "pushes that wait together give what they give in turn, if one takes the destination of the other one's link",
        arguments: SyncStoreKind.allCases)
    func together(kind: SyncStoreKind) throws {
        let fixture = try begun(kind)
        let start = SyncHybridClock.clock(of: Date())
        func push(_ time: UInt64, _ change: (SyncStamp) -> SyncChange) -> (SyncPush, SyncUser) {
            let stamp = SyncStamp(clock: start + time, replica: UUID())
            let push = SyncPush(
                replica: stamp.replica, number: 1, id: UUID(), schema: SyncSchema(entities: [:]), observed: 0,
                changes: [change(stamp)])
            return (push, SyncUser(id: "ada"))
        }
        let pushes = [
            push(100) { cover(.update, blue, "blue", to: note, $0) },
            push(50) { cover(.update, red, "red", to: other, $0) },
        ]
        let answers = try fixture.service.pushTogetherAndWait(pushes).sorted { $0.index < $1.index }
            .map { try $0.answer.get() }
        #expect(answers.map { $0.outcomes.map(\.superseded.count) } == [[0], [1]])
        #expect(try linkedColors(fixture) == ["blue"])
    }
}
