// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Clients in threads and processes record their transactions; the record shows no anomaly that the page does not name.

import CoreData
import CoreDataTestSupport
import Foundation
import Synchronization

/// A job is a kind of store and a use of contexts, or a planted anomaly; a case is one round of several clients.
enum Isolation: Harness {
    static let name = "isolation"
    static let patience = 120
    /// Each has two threads; the last one is killed.
    private static let processes = 4

    static func jobs(_ options: Options) -> [String] {
        if options.isPlanted { return PlantedAnomaly.all.map { "wal-normal+\($0.anomaly.rawValue)" } }
        let uses = IsolationUse.allCases.map(\.rawValue)
        guard StoreKind.serverURL == nil else { return uses.map { "postgresql+\($0)" } }
        return uses.map { "wal-normal+\($0)" } + ["delete+block", "delete+batch", "wal-full+guarded"]
            + ["block", "fetch", "generation", "guarded", "properties"].map { "memory+\($0)" }
    }

    /// A job as its kind of store, its use, and the anomaly that is planted.
    private static func parts(_ job: String) -> (setup: String, use: IsolationUse, planted: Anomaly?)? {
        let parts = job.split(separator: "+").map(String.init)
        guard parts.count == 2 else { return nil }
        if let use = IsolationUse(rawValue: parts[1]) { return (parts[0], use, nil) }
        return PlantedAnomaly.all.first { $0.anomaly.rawValue == parts[1] }.map { (parts[0], $0.use, $0.anomaly) }
    }

    private static func transactions(_ options: Options) -> Int { options.isLong ? 1_000 : 100 }

    static func work(_ job: String, _ options: Options, _ report: Report) {
        guard let (setup, use, planted) = parts(job) else { return report.finding("no such job: \(job)") }
        if options.extra.count == 3, let url = URL(string: options.extra[0]), let first = Int(options.extra[2]) {
            do {
                let store = try IsolationStore(setup, url)
                try clients(
                    first..<first + 2, store, URL(filePath: options.extra[1]), use, planted, options)
            } catch {
                print("\(error)".replacing("\n", with: " "))
            }
            return
        }
        for number in 1...options.cases(short: 1, long: 12) {
            guard number >= options.first, options.only == nil || number == options.only else { continue }
            report.begin(number, job)
            do {
                var options = options
                options.seed = options.seed &* 1_000 &+ UInt64(number)
                try round(job, setup, use, planted, options, report)
                report.count("rounds")
            } catch {
                report.finding("\(error)")
            }
        }
        report.done()
    }

    /// Runs one client in each of several threads.
    private static func clients(
        _ numbers: Range<Int>, _ store: IsolationStore, _ folder: URL, _ use: IsolationUse, _ planted: Anomaly?,
        _ options: Options
    ) throws {
        let (count, seed) = (transactions(options), options.seed)
        let failure = Mutex<(any Error)?>(nil)
        onThreads(numbers.count) { thread in
            let number = numbers.lowerBound + thread
            let file = folder.appending(path: "client-\(number)")
            do {
                try IsolationClient(use, planted, number, store, file, seed: seed).run(count)
            } catch {
                failure.withLock { $0 = error }
            }
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }

    private static func round(
        _ job: String, _ setup: String, _ use: IsolationUse, _ planted: Anomaly?, _ options: Options, _ report: Report
    ) throws {
        let place = try Place()
        let url = try storeURL(setup, place)
        let store = try IsolationStore(setup, url)
        try store.fill()
        if let url, setup != "memory" {
            try members(job, url, place.folder, options, report)
        } else {
            try clients(0..<4, store, place.folder, use, planted, options)
        }
        var record = try read(place.folder)
        let (last, sum) = try store.last(client: 99, begin: IsolationClient.now)
        try store.remove()
        for outcome in [RecordedTransaction.Outcome.committed, .failed, .unknown] {
            report.count("transactions \(outcome.rawValue)", record.count { $0.outcome == outcome })
        }
        if use == .batch {
            let least = record.count { $0.outcome == .committed }
            let most = least + record.count { $0.outcome == .unknown }
            if sum < least || sum > most { report.finding("the counters have \(sum) of \(least) to \(most) raises") }
            return
        }
        record.append(last)
        let findings = IsolationCheck(record).anomalies(
            losesUpdates: use.losesUpdates, inRealTime: use == .guarded)
        for anomaly in Anomaly.allCases {
            let all = findings.filter { $0.anomaly == anomaly }
            guard let first = all.first else { continue }
            report.count("rounds with \(anomaly.rawValue)")
            if planted.map({ $0 == anomaly }) ?? !use.allowed.contains(anomaly) {
                report.finding("\(all.count) times \(first)")
            }
        }
    }

    private static func storeURL(_ setup: String, _ place: Place) throws -> URL? {
        switch setup {
        case "memory": return nil
        case "postgresql":
            let name = "isolation_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
            guard let url = StoreKind.serverURL.flatMap({ URL(string: $0 + "&schema=\(name)") }) else {
                throw CocoaError(.fileReadUnknown)
            }
            return url
        default: return place.store
        }
    }

    /// Runs the processes, and kills the last one in the middle.
    private static func members(_ job: String, _ url: URL, _ folder: URL, _ options: Options, _ report: Report) throws {
        var random = SeededGenerator(seed: options.seed)
        let children = try (0..<processes).map { member in
            var arguments = [name, "--worker", job, "--seed", String(options.seed)]
            if options.isLong { arguments.append("--long") }
            return try Child(arguments + [url.absoluteString, folder.path, String(member * 2)])
        }
        usleep(UInt32.random(in: 200_000...900_000, using: &random))
        children[processes - 1].kill()
        for child in children.dropLast() {
            while let line = child.line(within: 100) { report.finding("a client: \(line)") }
            if child.isSilent {
                report.finding("a client hangs")
                child.kill()
            }
            let status = child.wait()
            if status != 0 { report.finding("a client ended with status \(status)\(child.lastWords)") }
        }
    }

    /// The last line of each transaction.
    private static func read(_ folder: URL) throws -> [RecordedTransaction] {
        var record: [String: RecordedTransaction] = [:]
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        where file.lastPathComponent.hasPrefix("client-") {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                guard let transaction = RecordedTransaction(line: line) else { continue }
                record[transaction.name] = transaction
            }
        }
        return record.values.sorted { ($0.begin, $0.name) < ($1.begin, $1.name) }
    }
}
