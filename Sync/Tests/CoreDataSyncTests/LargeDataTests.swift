// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Large values: parts that go once, transfers that are interrupted, rights, and data that are gone.
import CoreData
import CoreDataSync
import CoreDataSyncProtocol
import CoreDataSyncServer
import CoreDataSyncSimulation
import Foundation
import Synchronization
import Testing

/// L1 to L9 of `Sync/Documentation/LargeData.md`.
@Suite("Large data") struct LargeDataTests {
    /// Counts the parts, and fails after a number of requests.
    private final class Line: SyncTransport {
        struct Count: Equatable {
            var questions = 0, sent = 0, got = 0, bodyBytes = 0
        }

        private let direct: DirectTransport
        private let state = Mutex((count: Count(), rest: Int.max))

        init(_ service: SyncService, user: String = "ada") {
            direct = DirectTransport(server: service, user: SyncUser(id: user))
        }

        var count: Count { state.withLock { $0.count } }

        func fail(after requests: Int) { state.withLock { $0.rest = requests } }

        private func pass(_ change: (inout Count) -> Void) throws {
            try state.withLock { state in
                state.rest -= 1
                guard state.rest >= 0 else { throw URLError(.networkConnectionLost) }
                change(&state.count)
            }
        }

        func push(_ request: SyncPush) async throws -> SyncPushAnswer {
            try pass { _ in }
            return try await direct.push(request)
        }

        func pull(_ request: SyncPull) async throws -> SyncPage {
            try pass { _ in }
            return try await direct.pull(request)
        }

        func put(_ part: SyncPart) async throws -> SyncPartAnswer {
            try pass { if part.bytes.isEmpty { $0.questions += 1 } else { $0.sent += 1 } }
            return try await direct.put(part)
        }

        func get(_ request: SyncPartRequest) async throws -> Data {
            try pass { $0.got += 1 }
            return try await direct.get(request)
        }
    }

    private static func bytes(_ count: Int, seed: UInt64 = 1) -> Data {
        var random = SimulationRandom(seed: seed)
        return Data((0..<count / 8 + 1).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }.prefix(count))
    }

    private func cover(_ container: NSPersistentContainer) throws -> [Data?] {
        let context = container.newBackgroundContext()
        return try context.performAndWait { try context.books().map { $0.value(forKey: "cover") as? Data } }
    }

    private func client(_ device: SyncDevice, _ line: Line) throws -> SyncClient {
        try SyncClient(container: device.container, transport: line)
    }

    @Test("a value of 256 KiB travels as its hash, a smaller one in the batch", arguments: SyncStoreKind.allCases)
    func threshold(kind: SyncStoreKind) async throws {
        let fixture = try SyncFixture(kind)
        let (one, two) = (try fixture.device(), try fixture.device())
        let (line, other) = (Line(fixture.service), Line(fixture.service))
        let covers = [Self.bytes((256 << 10) - 1), Self.bytes(256 << 10), Self.bytes(5 << 19)]
        try one.save { context in
            for (number, cover) in covers.enumerated() {
                context.insert("Book", ["title": "\(number)", "cover": cover])
            }
        }
        _ = try await client(one, line).syncNow()
        #expect(line.count == Line.Count(questions: 2, sent: 4))
        #expect(try cover(fixture.server) == covers)
        _ = try await client(two, other).syncNow()
        #expect(other.count == Line.Count(got: 4))
        #expect(try cover(two.container) == covers)
    }

    @Test("text is large, too, and a transformable value travels in the batch")
    func kinds() async throws {
        let fixture = try SyncFixture(.sqlite)
        let (one, two) = (try fixture.device(), try fixture.device())
        let line = Line(fixture.service)
        let text = String(repeating: "Grüße ", count: 50_000)
        try one.save { $0.insert("Book", ["title": text, "notes": ["key": text] as NSDictionary]) }
        _ = try await client(one, line).syncNow()
        #expect(line.count.questions == 1)
        _ = try await two.client.syncNow()
        let found = try two.read { context in
            let book = try context.books()[0]
            let notes = book.value(forKey: "notes") as? NSDictionary
            return [book.value(forKey: "title") as? String, notes?["key"] as? String]
        }
        #expect(found == [text, text])
    }

    @Test("the same content goes once, and a device does not get what its object has")
    func once() async throws {
        let fixture = try SyncFixture(.sqlite)
        let (one, two) = (try fixture.device(), try fixture.device())
        let (line, other) = (Line(fixture.service), Line(fixture.service))
        let (first, second) = (try client(one, line), try client(two, other))
        let data = Self.bytes(300_000)
        try one.save { $0.insert("Book", ["title": "A", "cover": data]) }
        _ = try await first.syncNow()
        try one.save { $0.insert("Book", ["title": "B", "cover": data]) }
        _ = try await first.syncNow()
        #expect(line.count.sent == 1)
        _ = try await second.syncNow()
        #expect(other.count.got == 1)
        try one.save { try $0.books()[0].setValue("A2", forKey: "title") }
        _ = try await first.syncNow()
        _ = try await second.syncNow()
        #expect(other.count.got == 1)
        #expect(try two.titles() == ["A2", "B"])
        #expect(try cover(two.container) == [data, data])
    }

    @Test("an interrupted transfer goes on at the part that it reached, in both directions, in new processes")
    func resumed() async throws {
        let fixture = try SyncFixture(.sqlite)
        let (one, two) = (try fixture.device(), try fixture.device())
        let (line, other) = (Line(fixture.service), Line(fixture.service))
        let data = Self.bytes(10 << 20)
        try one.save { $0.insert("Book", ["title": "A", "cover": data]) }
        for _ in 0..<3 {
            // A question and three parts.
            line.fail(after: 4)
            await #expect(throws: URLError.self) { try await client(one, line).syncNow() }
        }
        line.fail(after: .max)
        _ = try await client(one, line).syncNow()
        #expect(line.count == Line.Count(questions: 4, sent: 10))
        for _ in 0..<3 {
            // A pull and three parts.
            other.fail(after: 4)
            await #expect(throws: URLError.self) { try await client(two, other).syncNow() }
            #expect(try two.titles() == [])
        }
        other.fail(after: .max)
        _ = try await client(two, other).syncNow()
        #expect(other.count.got == 10)
        #expect(try cover(two.container) == [data])
    }

    @Test("the bytes leave the sidecar after the answer and after the application")
    func room() async throws {
        let fixture = try SyncFixture(.sqlite)
        let (one, two) = (try fixture.device(), try fixture.device())
        try one.save { $0.insert("Book", ["title": "A", "cover": Self.bytes(2 << 20)]) }
        _ = try await one.client.syncNow()
        _ = try await two.client.syncNow()
        for device in [one, two] {
            let sidecar = try SyncEngine.sidecar(
                at: device.url.deletingPathExtension().appendingPathExtension("sync.sqlite"))
            let context = sidecar.newBackgroundContext()
            let counts = try context.performAndWait {
                try ["SyncContent", "SyncContentPart"].map {
                    try context.count(for: NSFetchRequest<NSManagedObject>(entityName: $0))
                }
            }
            #expect(counts == [0, 0])
        }
    }

    @Test("a server that removed sent data before the batch came gets them again")
    func removed() async throws {
        let fixture = try SyncFixture(.sqlite)
        let one = try fixture.device()
        let line = Line(fixture.service)
        let client = try client(one, line)
        let data = Self.bytes(300_000)
        try one.save { $0.insert("Book", ["title": "A", "cover": data]) }
        // The part arrives, the batch does not.
        line.fail(after: 2)
        await #expect(throws: URLError.self) { try await client.syncNow() }
        line.fail(after: .max)
        var limits = SyncLimits()
        limits.uploadAge = -60
        let hasty = try SyncService(container: fixture.server, authority: OpenAuthority(), limits: limits)
        #expect(try await hasty.compact(inactivity: 1e9).uploads == 1)
        _ = try await client.syncNow()
        #expect(line.count.sent == 2)
        #expect(try cover(fixture.server) == [data])
    }

    @Test("compaction keeps data that were used within a day, and removes older ones")
    func unused() async throws {
        let fixture = try SyncFixture(.sqlite)
        let hash = SyncDigest.text(of: Data(count: 300_000))
        let part = SyncPart(hash: hash, size: 300_000, offset: 0, bytes: Data(count: 300_000))
        let user = SyncUser(id: "ada")
        #expect(try await fixture.service.put(part, user: user).received == 300_000)
        #expect(try await fixture.service.compact(inactivity: 1e9).uploads == 0)
        let later = try SyncService(
            container: fixture.server, authority: OpenAuthority(),
            environment: SyncEnvironment(now: { Date(timeIntervalSinceNow: 25 * 3600) }, makeID: { UUID() }))
        #expect(try await later.compact(inactivity: 1e9).uploads == 1)
        let question = SyncPart(hash: hash, size: 300_000, offset: 0, bytes: Data())
        #expect(try await fixture.service.put(question, user: user).received == 0)
    }

    // MARK: Hostile devices

    private static let stamp = SyncStamp(clock: 1 << 40, replica: UUID())

    private func push(_ value: SyncValue, _ property: String = "cover") -> SyncPush {
        let fields = ["title": SyncField(.string("A"), Self.stamp), property: SyncField(value, Self.stamp)]
        return SyncPush(
            replica: Self.stamp.replica, number: 1, id: UUID(), schema: SyncSchema(entities: [:]), observed: 0,
            changes: [
                SyncChange(.insert, name: UUID(), entity: "Book", group: 0, stamp: Self.stamp, fields: fields)
            ])
    }

    private func send(_ data: Data, _ service: SyncService, _ user: String) async throws -> SyncLargeValue {
        let large = SyncLargeValue(.data, size: Int64(data.count), hash: SyncDigest.text(of: data))
        _ = try await service.put(
            SyncPart(hash: large.hash, size: large.size, offset: 0, bytes: data), user: SyncUser(id: user))
        return large
    }

    /// Proves: Y10
    @Test("a hash alone gives no bytes of another user, neither by a batch nor by a request")
    func foreignHash() async throws {
        let fixture = try SyncFixture(.sqlite)
        let large = try await send(Self.bytes(300_000), fixture.service, "ada")
        let eve = SyncUser(id: "eve")
        let error = await #expect(throws: SyncError.self) {
            try await fixture.service.push(push(.large(large)), user: eve)
        }
        #expect(error?.code == .missingData)
        let question = SyncPart(hash: large.hash, size: large.size, offset: 0, bytes: Data())
        #expect(try await fixture.service.put(question, user: eve).received == 0)
        let request = SyncPartRequest(record: UUID(), property: "cover", hash: large.hash, offset: 0)
        let denied = await #expect(throws: SyncError.self) { try await fixture.service.get(request, user: eve) }
        #expect(denied?.code == .missingData)
        #expect(try cover(fixture.server) == [])
    }

    @Test("a record gives its present bytes only", arguments: ["cover", "title", "nothing", ""])
    func wrongProperty(property: String) async throws {
        let fixture = try SyncFixture(.sqlite)
        let ada = SyncUser(id: "ada")
        let large = try await send(Self.bytes(300_000), fixture.service, "ada")
        let batch = push(.large(large))
        _ = try await fixture.service.push(batch, user: ada)
        let other = SyncDigest.text(of: Data("other".utf8))
        for (hash, offset) in [(other, Int64(0)), (large.hash, 1 << 20)] {
            let request = SyncPartRequest(record: batch.changes[0].name, property: property, hash: hash, offset: offset)
            let error = await #expect(throws: SyncError.self) { try await fixture.service.get(request, user: ada) }
            #expect(error?.code == .missingData)
        }
        let right = SyncPartRequest(record: batch.changes[0].name, property: "cover", hash: large.hash, offset: 0)
        #expect(try await fixture.service.get(right, user: ada) == Self.bytes(300_000))
    }

    @Test("bytes that do not have their hash are not kept")
    func wrongBytes() async throws {
        let fixture = try SyncFixture(.sqlite)
        let hash = SyncDigest.text(of: Data(count: 300_000))
        let ada = SyncUser(id: "ada")
        let part = SyncPart(hash: hash, size: 300_000, offset: 0, bytes: Data(repeating: 1, count: 300_000))
        #expect(try await fixture.service.put(part, user: ada).received == 0)
        let large = SyncLargeValue(.data, size: 300_000, hash: hash)
        let error = await #expect(throws: SyncError.self) {
            try await fixture.service.push(push(.large(large)), user: ada)
        }
        #expect(error?.code == .missingData)
    }

    @Test("a large value of another kind than the attribute's is refused, and so is text that is no UTF-8")
    func wrongKind() async throws {
        let fixture = try SyncFixture(.sqlite)
        var large = try await send(Data(repeating: 0xFF, count: 300_000), fixture.service, "ada")
        for property in ["number", "cover"] {
            if property == "cover" { large.kind = .string }
            var batch = push(.large(large), property)
            batch.replica = UUID()
            let answer = try await fixture.service.push(batch, user: SyncUser(id: "ada"))
            #expect(answer.outcomes[0].refusals.map(\.code) == [SyncErrorCode.wrongType.rawValue])
        }
        large.kind = .string
        var batch = push(.large(large), "number")
        batch.replica = UUID()
        let answer = try await fixture.service.push(batch, user: SyncUser(id: "ada"))
        #expect(answer.outcomes[0].refusals.map(\.code) == [SyncErrorCode.wrongType.rawValue])
    }

    static let badParts: [(SyncPart, SyncErrorCode)] = {
        let hash = SyncDigest.text(of: Data())
        func part(_ size: Int64, _ offset: Int64, _ count: Int, hash: String = hash) -> SyncPart {
            SyncPart(hash: hash, size: size, offset: offset, bytes: Data(count: count))
        }
        return [
            (part(10, 0, 11), .malformed), (part(10, 0, 9), .malformed), (part(10, 5, 5), .malformed),
            (part(10, 11, 0), .malformed), (part(10, -1, 1), .malformed), (part(0, 0, 0), .malformed),
            (part(2 << 20, 0, 2 << 20), .malformed), (part(10, 0, 10, hash: "x"), .malformed),
            (part((1 << 30) + 1, 0, 1 << 20), .tooLarge), (part(.max, 0, 1 << 20), .tooLarge),
        ]
    }()

    @Test("a part of another form is an error, and nothing is kept", arguments: badParts)
    func badPart(part: SyncPart, code: SyncErrorCode) async throws {
        let fixture = try SyncFixture(.memory)
        let error = await #expect(throws: SyncError.self) {
            try await fixture.service.put(part, user: SyncUser(id: "eve"))
        }
        #expect(error?.code == code)
    }

    /// Proves: Y5
    @Test("a refused change keeps its bytes for the app, and is sent again with them")
    func refused() async throws {
        let fixture = try SyncFixture(.sqlite)
        let (one, two) = (try fixture.device(), try fixture.device())
        let data = Self.bytes(400_000)
        try two.save { $0.insert("Book", ["title": "B", "number": "2"]) }
        _ = try await two.client.syncNow()
        try one.save { $0.insert("Book", ["title": "A", "number": "1"]) }
        _ = try await one.client.syncNow()
        try two.save { context in
            let book = try context.books()[0]
            book.setValue("1", forKey: "number")
            book.setValue(data, forKey: "cover")
        }
        #expect(try await two.client.syncNow().refused == 1)
        #expect(try cover(two.container) == [nil, nil])
        let refused = try #require(try await two.client.refusedChanges().first)
        guard case .large(let large)? = refused.change.fields["cover"]?.value else {
            Issue.record("The refused change has no large value.")
            return
        }
        #expect(try await two.client.data(of: large) == data)
        try one.save { try $0.books()[0].setValue("3", forKey: "number") }
        _ = try await one.client.syncNow()
        try await two.client.resendRefusedChange(refused.id)
        #expect(try await two.client.syncNow().refused == 0)
        #expect(try cover(two.container) == [nil, data])
        #expect(try cover(fixture.server) == [nil, data])
        #expect(try await two.client.data(of: large) == nil)
    }

    @Test("one user cannot fill the server's disk, and data that batches took make room")
    func quota() async throws {
        let fixture = try SyncFixture(.sqlite)
        var limits = SyncLimits()
        limits.uploadSize = 700_000
        let service = try SyncService(container: fixture.server, authority: OpenAuthority(), limits: limits)
        let first = try await send(Self.bytes(300_000, seed: 1), service, "ada")
        _ = try await send(Self.bytes(300_000, seed: 2), service, "ada")
        let error = await #expect(throws: SyncError.self) {
            try await send(Self.bytes(300_000, seed: 3), service, "ada")
        }
        #expect(error?.code == .tooLarge)
        _ = try await send(Self.bytes(300_000, seed: 3), service, "bob")
        _ = try await service.push(push(.large(first)), user: SyncUser(id: "ada"))
        _ = try await send(Self.bytes(300_000, seed: 3), service, "ada")
    }

    @Test("a batch with more large values than the server holds is refused as a whole")
    func tooMuch() async throws {
        let fixture = try SyncFixture(.memory)
        let hash = SyncDigest.text(of: Data())
        let sizes: [Int64] = [.max, (1 << 30) + 1]
        for size in sizes {
            let error = await #expect(throws: SyncError.self) {
                try await fixture.service.push(
                    push(.large(SyncLargeValue(.data, size: size, hash: hash))), user: SyncUser(id: "eve"))
            }
            #expect(error?.code == .tooLarge)
        }
    }
}
