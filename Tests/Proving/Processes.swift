// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Several processes save to one store at once; afterwards nothing is lost and nothing is there twice.

import CoreData
import CoreDataTestSupport
import Foundation

/// A job is a kind of store; a case is one round of several processes.
enum Processes: Harness {
    static let name = "processes"
    static let patience = 120
    private static let members = 4

    static func jobs(_ options: Options) -> [String] {
        let jobs = ["wal-normal", "wal-full", "wal-search", "delete", "truncate", "persist"]
        // In a migration round each member opens an older store: one of them migrates it, the others wait.
        let migrations = options.isLong || options.job != nil ? ["wal-full+migration", "delete+migration"] : []
        return options.isPlanted ? ["wal-normal"] : jobs + migrations
    }

    /// A job as its kind of store, and whether the members migrate it.
    private static func parts(_ job: String) -> (setup: Setup, migrates: Bool)? {
        let parts = job.split(separator: "+").map(String.init)
        return Setup(rawValue: parts[0]).map { ($0, parts.count > 1) }
    }

    static func work(_ job: String, _ options: Options, _ report: Report) {
        guard let (setup, migrates) = parts(job) else { return report.finding("no such job: \(job)") }
        if options.extra.count == 2, let member = Int(options.extra[1]) {
            return Member(setup, URL(filePath: options.extra[0]), member, migrates, options).run()
        }
        for number in 1...options.cases(short: 2, long: 60) {
            guard number >= options.first, options.only == nil || number == options.only else { continue }
            report.begin(number, job)
            do {
                try round(setup, migrates, job, options, seed: options.seed &+ UInt64(number), report)
                report.count("rounds")
            } catch {
                report.finding("\(error)")
            }
        }
        report.done()
    }

    private static func round(
        _ setup: Setup, _ migrates: Bool, _ job: String, _ options: Options, seed: UInt64, _ report: Report
    ) throws {
        let place = try Place()
        if migrates { try makeOlder(setup, place.store) }
        let children = try (1...members).map { member in
            var arguments = ["processes", "--worker", job, "--seed", String(seed), place.store.path, String(member)]
            if options.isLong { arguments.append("--long") }
            return try Child(arguments)
        }
        var (counts, waits): ([String: Int], [String: [Int]]) = ([:], [:])
        let clock = ContinuousClock()
        let start = clock.now
        var told = start
        for child in children {
            while let line = child.line(within: 100) {
                // A round may take minutes; its lines show progress.
                if clock.now - told > .seconds(5) {
                    told = clock.now
                    report.measure("most seconds of a round", Int((told - start).components.seconds))
                }
                let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
                guard parts.count == 3, let number = Int(parts[1]) else { continue }
                switch parts[0] {
                case "sum": counts[parts[2], default: 0] += number
                case "wait": waits[parts[2], default: []].append(number)
                default: report.finding("a member: \(line)")
                }
            }
            if child.isSilent { child.kill() }
            let status = child.wait()
            if status != 0 { report.finding("a member ended with status \(status)") }
        }
        for (name, times) in waits {
            let sorted = times.sorted()
            report.measure("\(name) p50 in µs", sorted[sorted.count / 2])
            report.measure("\(name) p99 in µs", sorted[min(sorted.count - 1, sorted.count * 99 / 100)])
        }
        for (name, number) in counts { report.count(name, number) }
        if options.isPlanted { counts["increments", default: 0] += 1 }
        try check(setup, place.store, counts, migrates, report)
    }

    private static let older = 300

    /// A store of the older version, with objects that take some time to migrate.
    private static func makeOlder(_ setup: Setup, _ url: URL) throws {
        let site = try Site(setup, url)
        for number in 0..<older {
            let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: site.context)
            thing.setValue("older \(number)", forKey: "code")
        }
        try site.context.save()
        try site.close()
    }

    /// The store has all changes that the members counted.
    private static func check(
        _ setup: Setup, _ url: URL, _ counts: [String: Int], _ migrates: Bool, _ report: Report
    ) throws {
        let site = try Site(setup, url, version: migrates ? .later : .first)
        defer { try? site.close() }
        let things = try site.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Thing"))
        func having(_ prefix: String) -> [NSManagedObject] {
            things.filter { ($0.value(forKey: "code") as? String)?.hasPrefix(prefix) == true }
        }
        let sum = having("counter").reduce(0) { $0 + Int($1.value(forKey: "amount") as? Double ?? 0) }
        let expected = counts["increments"] ?? 0
        if sum != expected { report.finding("the counters have \(sum) for \(expected) increments") }
        let codes = having("upsert").compactMap { $0.value(forKey: "code") as? String }
        if Set(codes).count != codes.count { report.finding("\(codes.count - Set(codes).count) codes are there twice") }
        let kept = having("older").count
        if migrates, kept != older { report.finding("\(kept) of \(older) objects are there after the migration") }
        let own = having("own").count
        if own != counts["insertions"] ?? 0 {
            report.finding("\(own) objects for \(counts["insertions"] ?? 0) insertions")
        }
        for thing in things {
            let text = Blob.text(of: thing.value(forKey: "data") as? Data)
            if text == "torn data" { report.finding("torn data in \(thing.objectID)") }
            let pieces = (thing.value(forKey: "pieces") as? NSOrderedSet)?.count ?? 0
            if thing.value(forKey: "pieceCount") as? Int != pieces { report.finding("a count of pieces is wrong") }
        }
        let files = things.count { ($0.value(forKey: "data") as? Data)?.count ?? 0 > 100_000 }
        try site.close()
        if let damage = Site.damage(setup, url) { report.finding(damage) }
        report.findings(Site.history(setup, url, version: migrates ? .later : .first), "after all")
        // Removals wait for readers of other processes; the last opening completes them.
        try Site(setup, url, version: migrates ? .later : .first).close()
        report.findings(Site.leftovers(beside: url, largeData: files), "after all")
    }
}

/// One process of a round.
private final class Member {
    private let setup: Setup
    private let url: URL
    private let number: Int
    private let migrates: Bool
    private let options: Options
    private var random: SeededGenerator
    private var sums: [String: Int] = [:]

    init(_ setup: Setup, _ url: URL, _ number: Int, _ migrates: Bool, _ options: Options) {
        (self.setup, self.url, self.number, self.migrates, self.options) = (setup, url, number, migrates, options)
        random = SeededGenerator(seed: options.seed &* 31 &+ UInt64(number))
    }

    func run() {
        do {
            for _ in 0..<(options.isLong ? 20 : 3) {
                let site = try Site(setup, url, timeout: 60, version: migrates ? .later : .first)
                for _ in 0..<(options.isLong ? 60 : 25) { try step(site) }
                try site.close()
            }
            for (name, sum) in sums { print("sum \(sum) \(name)") }
        } catch {
            print("error 0 \(error)".replacing("\n", with: " "))
        }
    }

    private func step(_ site: Site) throws {
        switch Int.random(in: 0..<10, using: &random) {
        case ..<4: try increment(site)
        case ..<6: try upsert(site)
        case ..<8: try insert(site)
        default: try read(site)
        }
        site.context.reset()
    }

    /// Saves until no other process interferes; after a conflict the work is repeated.
    private func retrying(_ site: Site, _ body: () throws -> Void) throws {
        for _ in 0..<1000 {
            do {
                try body()
                let start = ContinuousClock.now
                try site.context.save()
                note("save", start)
                return
            } catch  where [133020, 133021, 134050].contains((error as NSError).code) {
                sums["conflicts", default: 0] += 1
                site.context.reset()
            }
        }
        throw CocoaError(.persistentStoreSave)
    }

    private func note(_ name: String, _ start: ContinuousClock.Instant) {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        print("wait \(Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)) \(name)")
    }

    private func thing(_ code: String, _ site: Site) throws -> NSManagedObject? {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
        request.predicate = NSPredicate(format: "code == %@", code)
        return try site.context.fetch(request).first
    }

    private func make(_ code: String, _ site: Site) -> NSManagedObject {
        let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: site.context)
        thing.setValue(code, forKey: "code")
        return thing
    }

    private func increment(_ site: Site) throws {
        let code = "counter \(Int.random(in: 0..<3, using: &random))"
        try retrying(site) {
            let counter = try thing(code, site) ?? make(code, site)
            counter.setValue((counter.value(forKey: "amount") as? Double ?? 0) + 1, forKey: "amount")
            let piece = NSEntityDescription.insertNewObject(forEntityName: "Piece", into: site.context)
            piece.setValue(counter, forKey: "whole")
        }
        sums["increments", default: 0] += 1
    }

    private func upsert(_ site: Site) throws {
        let code = "upsert \(Int.random(in: 0..<40, using: &random))"
        let seed = UInt8.random(in: 1...255, using: &random)
        site.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        defer { site.context.mergePolicy = NSMergePolicy.error }
        try retrying(site) {
            let one = make(code, site)
            Site.name(one, "upserted by \(number)")
            one.setValue(Blob(seed: seed, count: seed % 2 == 0 ? 120_000 : 300).data, forKey: "data")
        }
        sums["upserts", default: 0] += 1
    }

    private func insert(_ site: Site) throws {
        let own = sums["insertions", default: 0] + 1
        try retrying(site) {
            let one = make("own \(number) \(own)", site)
            one.setValue(Blob(seed: UInt8(number), count: own % 3 == 0 ? 110_000 : 10).data, forKey: "data")
        }
        sums["insertions"] = own
    }

    private func read(_ site: Site) throws {
        let start = ContinuousClock.now
        let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
        request.fetchLimit = 20
        for thing in try site.context.fetch(request) {
            if Blob.text(of: thing.value(forKey: "data") as? Data) == "torn data" { print("error 0 torn data") }
        }
        note("read", start)
        sums["reads", default: 0] += 1
    }
}
