// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Sends small batches of many replicas at once.
import ArgumentParser
import CoreDataSyncHTTPClient
import CoreDataSyncProtocol
import Foundation

/// Each replica sends one batch of ten insertions after the other. The replicas belong to the users of the tokens in
/// turn, because a server bounds the requests of a user and of a replica.
struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Counts batches of ten insertions.")

    @OptionGroup var place: Place

    @Option(help: "The number of replicas.")
    var replicas = 32

    @Option(help: "The number of tokens: token, token1, token2 and so on.")
    var users = 8

    @Option(help: "The number of seconds.")
    var seconds = 10

    @Option(help: "The process of the server, whose processor time is measured; 0 for none.")
    var process = 0

    func run() async throws {
        let (before, watch) = (try serverTime(), Stopwatch())
        let end = ContinuousClock.now + .seconds(seconds)
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for replica in 0..<replicas {
                var place = place
                if replica % users > 0 { place.token += String(replica % users) }
                let transport = try place.transport()
                group.addTask { try await Self.send(transport, until: end) }
            }
            return try await group.reduce(0, +)
        }
        let (elapsed, own, used) = (watch.seconds, watch.ownSeconds, try serverTime() - before)
        func each(_ seconds: Double) -> Double { seconds / Double(max(1, count)) * 1000 }
        print(
            String(
                format: "%d batches of ten in %.1f s: %.0f a second; processor time for each: server %.2f ms, "
                    + "this program %.2f ms", count, elapsed, Double(count) / elapsed, each(used), each(own)))
    }

    /// - Returns: the number of batches that were answered.
    private static func send(_ transport: HTTPTransport, until end: ContinuousClock.Instant) async throws -> Int {
        let replica = UUID()
        var (number, clock) = (Int64(0), SyncHybridClock())
        while ContinuousClock.now < end {
            number += 1
            let stamp = SyncStamp(clock: clock.next(Date()), replica: replica)
            let changes = (0..<10).map { _ in
                SyncChange(
                    .insert, name: UUID(), entity: "Note", group: 0, stamp: stamp,
                    fields: [
                        "title": SyncField(.string("Note"), stamp), "body": SyncField(.string("A short text."), stamp),
                        "edits": SyncField(.integer(1), stamp), "photo": SyncField(.null, stamp),
                        "list": SyncField(.null, stamp),
                    ], counters: ["views": 0])
            }
            let push = SyncPush(
                replica: replica, number: number, id: UUID(), schema: SyncSchema(entities: [:]), observed: 0,
                changes: changes)
            _ = try await transport.push(push)
        }
        return Int(number)
    }

    /// The processor time of the server's process in seconds.
    private func serverTime() throws -> Double {
        guard process > 0 else { return 0 }
        let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / 100
    }
}
