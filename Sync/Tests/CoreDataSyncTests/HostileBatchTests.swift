// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Batches that no device makes: an error or a refusal, and nothing changes.
import CoreData
import CoreDataSync
import CoreDataSyncProtocol
import CoreDataSyncServer
import Foundation
import Testing

@Suite("Hostile batches") struct HostileBatchTests {
    private static let replica = UUID()
    private static let stamp = SyncStamp(clock: 1 << 40, replica: replica)

    private func push(_ changes: [SyncChange], number: Int64 = 1) -> SyncPush {
        SyncPush(
            replica: Self.replica, number: number, id: UUID(), schema: SyncSchema(entities: [:]), observed: 0,
            changes: changes)
    }

    private static func book(_ fields: [String: SyncValue], kind: SyncChange.Kind = .insert) -> SyncChange {
        let title = fields.merging(["title": .string("Emma")]) { first, _ in first }
        return SyncChange(
            kind, name: UUID(), entity: "Book", group: 0, stamp: stamp,
            fields: title.mapValues { SyncField($0, stamp) })
    }

    static let refused: [(SyncChange, SyncErrorCode)] = [
        (SyncChange(.insert, name: UUID(), entity: "CoreDataSyncState", group: 0, stamp: stamp), .unknownEntity),
        (SyncChange(.insert, name: UUID(), entity: "Nothing", group: 0, stamp: stamp), .unknownEntity),
        (book(["nothing": .bool(true)]), .unknownProperty),
        (book(["pages": .integer(40_000)]), .wrongType),
        (book(["pages": .string("7")]), .wrongType),
        (book(["notes": .transformed(Data([1, 2, 3]))]), .wrongType),
        (book(["author": .link(UUID())]), .unknownRecord),
        (book(["author": .string("Ada")]), .wrongType),
        (book([:], kind: .update), .unknownRecord),
    ]

    @Test("a change of something that the server does not have is refused with its code", arguments: refused)
    func refusal(change: SyncChange, code: SyncErrorCode) async throws {
        let fixture = try SyncFixture(.memory)
        let answer = try await fixture.service.push(push([change]), user: SyncUser(id: "eve"))
        #expect(answer.outcomes.map(\.result) == [.refused])
        #expect(answer.outcomes[0].refusals.map(\.code) == [code.rawValue])
        #expect(answer.outcomes[0].refusals.map(\.domain) == [SyncError.domain])
        let context = fixture.server.newBackgroundContext()
        #expect(try context.performAndWait { try context.books().isEmpty })
    }

    @Test("a link to a record of a wrong entity is refused")
    func wrongEntity() async throws {
        let fixture = try SyncFixture(.memory)
        let book = Self.book([:])
        var other = Self.book(["author": .link(book.name)])
        other.group = 1
        let answer = try await fixture.service.push(push([book, other]), user: SyncUser(id: "eve"))
        #expect(answer.outcomes.map(\.result) == [.taken, .refused])
        #expect(answer.outcomes[1].refusals.map(\.code) == [SyncErrorCode.wrongEntity.rawValue])
    }

    @Test("a batch that names a record twice, or has a wrong number, changes nothing")
    func malformed() async throws {
        let fixture = try SyncFixture(.memory)
        let book = Self.book([:])
        let user = SyncUser(id: "eve")
        let codes: [(SyncPush, SyncErrorCode)] = [
            (push([book, book]), .malformed), (push([book], number: 0), .malformed), (push([book], number: 5), .gap),
        ]
        for (batch, code) in codes {
            let error = await #expect(throws: SyncError.self) { try await fixture.service.push(batch, user: user) }
            #expect(error?.code == code)
        }
    }

    @Test("a repeated batch gets the same answer, and another one with its number is refused")
    func repeated() async throws {
        let fixture = try SyncFixture(.memory)
        let user = SyncUser(id: "ada")
        let batch = push([Self.book([:])])
        let first = try await fixture.service.push(batch, user: user)
        #expect(try await fixture.service.push(batch, user: user) == first)
        let forked = await #expect(throws: SyncError.self) {
            try await fixture.service.push(push([Self.book([:])]), user: user)
        }
        #expect(forked?.code == .forked)
        let foreign = await #expect(throws: SyncError.self) {
            try await fixture.service.push(batch, user: SyncUser(id: "eve"))
        }
        #expect(foreign?.code == .notPermitted)
    }

    @Test("a stamp of the far future is replaced, so that the next change wins")
    func future() async throws {
        let fixture = try SyncFixture(.memory)
        var book = Self.book(["title": .string("Emma")])
        let late = SyncStamp(clock: .max - 7, replica: Self.replica)
        book.stamp = late
        book.fields = book.fields.mapValues { SyncField($0.value, late) }
        let answer = try await fixture.service.push(push([book]), user: SyncUser(id: "ada"))
        #expect(answer.clock < SyncHybridClock.clock(of: Date(timeIntervalSinceNow: 48 * 3600)))
        let device = try fixture.device()
        _ = try await device.client.syncNow()
        try device.save { try $0.books()[0].setValue("Emma II", forKey: "title") }
        let report = try await device.client.syncNow()
        #expect(report.superseded == 0)
        #expect(try device.titles() == ["Emma II"])
    }

    @Test("a value beyond the limit, and a value that is nested too deeply, are refused as a whole")
    func size() async throws {
        let fixture = try SyncFixture(.memory)
        var limits = SyncLimits()
        limits.valueSize = 100
        let service = try SyncService(container: fixture.server, authority: OpenAuthority(), limits: limits)
        var deep = SyncValue.null
        for _ in 0..<20 { deep = .composite(["a": deep]) }
        let values: [(SyncValue, SyncErrorCode)] = [
            (.data(Data(count: 101)), .tooLarge), (.string(String(repeating: "a", count: 101)), .tooLarge),
            (deep, .malformed),
        ]
        for (value, code) in values {
            let error = await #expect(throws: SyncError.self) {
                try await service.push(push([Self.book(["cover": value])]), user: SyncUser(id: "eve"))
            }
            #expect(error?.code == code)
        }
    }
}
