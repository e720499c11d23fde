// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Several processes save to one PostgreSQL server while backends, the whole server or lines end again and again.

import CoreData
import CoreDataTestSupport
import Foundation
import PostgreSQLDriver

/// A job is a kind of end; a case is one round of several processes, with a separate schema and several ends.
///
/// Needs a server without other users: `Scripts/test-outages`.
enum Outages: Harness {
    static let name = "outages"
    static let patience = 120
    private static let members = 4

    enum End: String, CaseIterable {
        /// A process of the server is killed, and the server then ends all others.
        case backend
        /// The server is stopped at once, and started again.
        case server
        /// The line is cut at a COMMIT: before it, during it, or before its result; or it stops transferring.
        case line
    }

    static func jobs(_ options: Options) -> [String] {
        let ends = End.allCases.map(\.rawValue)
        return options.isPlanted ? Array(ends.prefix(1)) : ends
    }

    static func work(_ job: String, _ options: Options, _ report: Report) {
        guard let end = End(rawValue: job) else { return report.finding("no such job: \(job)") }
        guard let server = StoreKind.serverURL.flatMap({ URL(string: $0) }) else {
            return report.finding("there is no server: run it through Scripts/test-outages")
        }
        if options.extra.count == 3, let url = URL(string: options.extra[0]), let member = Int(options.extra[2]) {
            return OutageMember(url, URL(filePath: options.extra[1]), member, options.seed).run()
        }
        for number in 1...options.cases(short: 1, long: 7) {
            guard number >= options.first, options.only == nil || number == options.only else { continue }
            report.begin(number, job)
            do {
                let round = try OutageRound(end, server, options, number, report)
                try round.run(members: members, ends: options.isLong ? 25 : 3)
            } catch {
                report.finding("\(error)")
            }
        }
        report.done()
    }
}

/// One round: its members, the ends, and the checks afterwards.
private final class OutageRound {
    private let end: Outages.End
    private let options: Options
    private let report: Report
    private let settings: ConnectionSettings
    private let url: URL
    private let folder: URL
    private let proxy: LineProxy?
    private var random: SeededGenerator

    init(_ end: Outages.End, _ server: URL, _ options: Options, _ number: Int, _ report: Report) throws {
        (self.end, self.options, self.report) = (end, options, report)
        random = SeededGenerator(seed: options.seed &* 1_000 &+ UInt64(number))
        settings = try ConnectionSettings(server)
        folder = FileManager.default.temporaryDirectory.appending(path: "outages-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let socket = settings["host"] ?? ""
        proxy = end == .line ? try LineProxy(to: socket) : nil
        let name = "outages_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
        let text = server.absoluteString.replacing(socket, with: proxy?.folder.path ?? socket) + "&schema=\(name)"
        guard let url = URL(string: text) else { throw CocoaError(.fileReadUnknown) }
        self.url = url
    }

    deinit {
        proxy?.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    func run(members: Int, ends: Int) throws {
        try OutageStore(url).fill()
        let children = try (1...members).map { member in
            try Child([
                Outages.name, "--worker", end.rawValue, "--seed", String(options.seed), url.absoluteString, folder.path,
                String(member),
            ])
        }
        for _ in 0..<ends {
            try awaitServer()
            usleep(UInt32.random(in: 10_000...150_000, using: &random))
            try strike()
            report.count("ends (\(end.rawValue))")
        }
        try awaitServer()
        _ = FileManager.default.createFile(atPath: OutageMember.stop(folder).path, contents: nil)
        for child in children {
            while let line = child.line(within: 110) { report.finding("a member: \(line)") }
            if child.isSilent {
                report.finding("a member hangs")
                child.kill()
            }
            let status = child.wait()
            if status != 0 { report.finding("a member ended with status \(status)\(child.lastWords)") }
        }
        try check(try (1...members).flatMap { try OutageMember.acknowledged(folder, $0) })
    }

    // MARK: Ends

    private func connection() throws -> Connection {
        try Connection(settings.settings, deadline: Deadline(in: .seconds(5)))
    }

    private func awaitServer() throws {
        let isThere = eventually {
            guard let connection = try? connection() else { return false }
            connection.close()
            return true
        }
        if !isThere { throw CocoaError(.fileReadUnknown) }
    }

    private func strike() throws {
        switch end {
        case .backend:
            let question = Statement(
                "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() "
                    + "ORDER BY random() LIMIT 1", isReused: false)
            let isKilled = eventually {
                guard let connection = try? connection() else { return false }
                defer { connection.close() }
                let pid = try? connection.run(question, Deadline(in: .seconds(5))).first(\.integer)
                return pid.map { kill(pid_t($0), SIGKILL) == 0 } ?? false
            }
            if !isKilled { report.finding("no backend could be killed") }
        case .server:
            let process = Process()
            process.executableURL = ProcessInfo.processInfo.environment["COREDATA_PG_RESTART"].map { URL(filePath: $0) }
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            if process.terminationStatus != 0 { report.finding("the server does not start again") }
        case .line:
            guard let proxy else { return }
            let cuts = proxy.cuts
            proxy.arm(LineProxy.Cut.allCases.randomElement(using: &random) ?? .after)
            if !eventually({ proxy.cuts > cuts }) { report.finding("nobody commits any more") }
        }
    }

    // MARK: Checks

    /// All acknowledged saves are there, once and whole, and nothing else.
    private func check(_ saves: [OutageMember.Save]) throws {
        var saves = saves
        report.count("saves", saves.count)
        for (kind, saves) in Dictionary(grouping: saves, by: \.kind) { report.count("saves: \(kind)", saves.count) }
        if options.isPlanted { saves.append(.init(author: "nobody", kind: .pair)) }
        let store = try OutageStore(url)
        try store.context.performAndWait {
            let expected = Dictionary(grouping: saves) { $0.counter }.mapValues(\.count)
            for counter in try store.all("Counter") {
                guard let code = counter.value(forKey: "code") as? Int else { continue }
                let amount = counter.value(forKey: "amount") as? Int ?? 0
                let entries = (counter.value(forKey: "entries") as? NSSet)?.count ?? 0
                if amount != expected[code] ?? 0 || entries != amount {
                    report.finding(
                        "counter \(code) has \(amount) and \(entries) entries for \(expected[code] ?? 0) saves")
                }
            }
            let pairs = try store.all("Entry").filter { $0.value(forKey: "counter") == nil }
                .compactMap { $0.value(forKey: "name") as? String }
            compare(pairs, saves.filter { $0.kind == .pair }.flatMap { [$0.author, $0.author] }, "entries of pairs")
            let holders = try store.all("Holder").compactMap { $0.value(forKey: "code") as? Int }
            if Set(holders).count != holders.count { report.finding("holders are there twice") }
            // A save that is tried again after its first attempt was committed may be recorded once more.
            let recorded = Set(try store.authors())
            let expectedAuthors = saves.filter { $0.kind != .holders }.map(\.author)
            compare(expectedAuthors.filter(recorded.contains), expectedAuthors, "transactions of the history")
            let unknown = recorded.subtracting(saves.map(\.author))
            for author in unknown.sorted().prefix(3) {
                report.finding("the history has a save of \(author) that threw")
            }
        }
        try store.remove()
    }

    private func compare(_ found: [String], _ expected: [String], _ name: String) {
        var counts: [String: Int] = [:]
        for text in found { counts[text, default: 0] += 1 }
        for text in expected { counts[text, default: 0] -= 1 }
        for (text, count) in counts.filter({ $0.value != 0 }).sorted(by: { $0.key < $1.key }).prefix(3) {
            report.finding("\(name): \(count > 0 ? "\(count) too many" : "\(-count) missing") of \(text)")
        }
    }
}
