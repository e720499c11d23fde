// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Kills child processes in the middle of saves and of work on whole stores, and checks the files that they leave.

import CoreData
import CoreDataTestSupport
import Foundation
import SQLiteDriver

/// A job is a kind of store and the work in which the child dies; a case is one kill.
enum Kills: Harness {
    static let name = "kills"
    private static let saves = 30

    enum Work: String, CaseIterable {
        case save, make, backup, replace, destroy, move, migrate, purge
        /// A migration by objects, with a mapping model.
        case remodel
        /// A migration in stages.
        case stages

        var changesVersion: Bool { [.migrate, .remodel, .stages].contains(self) }

        func applies(to setup: Setup) -> Bool {
            switch self {
            case .purge: setup.tracksHistory
            case .stages: MigrationWay.staged.applies(to: setup)
            default: true
            }
        }
    }

    static func jobs(_ options: Options) -> [String] {
        if options.isPlanted { return ["wal-full+save", "wal-search+save"] }
        return [Setup.walNormal, .walFull, .walSearch, .delete, .persist, .xml, .binary].flatMap { setup in
            Work.allCases.filter { $0.applies(to: setup) }.map { "\(setup.rawValue)+\($0.rawValue)" }
        }
    }

    static func work(_ job: String, _ options: Options, _ report: Report) {
        let parts = job.split(separator: "+").map(String.init)
        guard parts.count == 2, let setup = Setup(rawValue: parts[0]), let work = Work(rawValue: parts[1])
        else { return report.finding("no such job: \(job)") }
        // The child's end.
        if let path = options.extra.first {
            let mapping = options.extra.count > 1 ? URL(filePath: options.extra[1]) : nil
            return child(setup, work, Workload(seed: options.seed, saves: saves), URL(filePath: path), mapping)
        }
        let kills = options.cases(short: 3, long: 120)
        for number in 1...kills {
            guard number >= options.first, options.only == nil || number == options.only else { continue }
            report.begin(number, job)
            do {
                try kill(setup, work, job, options.seed &+ UInt64(number), options.isPlanted, report)
                report.count("kills")
            } catch {
                report.finding("\(error)")
            }
        }
        report.done()
    }

    // MARK: The child

    private static func say(_ text: String) { _ = (text + "\n").withCString { write(1, $0, strlen($0)) } }

    /// Works until it is killed, and prints each completed step.
    private static func child(
        _ setup: Setup, _ work: Work, _ workload: Workload, _ url: URL, _ mapping: URL?
    ) {
        do {
            let other = url.deletingLastPathComponent().appending(path: "Other.sqlite")
            let type = setup.type
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ProvingModel.shared)
            if work == .make {
                say("ready")
                for number in 0... {
                    let url = url.deletingLastPathComponent().appending(path: "\(number).sqlite")
                    let site = try Site(setup, url)
                    site.perform(workload.saves[0])
                    try site.context.save()
                    try site.close()
                    say("done \(number + 1)")
                }
            }
            let site = try Site(setup, url)
            if work != .save, work != .purge {
                for operations in workload.saves.prefix(3) {
                    site.perform(operations)
                    try site.context.save()
                }
                try site.store.backup(to: other)
            }
            say("ready")
            for number in 0... {
                switch work {
                case .make: break
                case .save, .purge:
                    guard number < workload.saves.count else { break }
                    site.perform(workload.saves[number])
                    try site.context.save()
                    // All but the last transactions.
                    if work == .purge, let last = try site.transactions().last {
                        _ = try site.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: last))
                    }
                case .backup: try site.store.backup(to: copy(number + 1, beside: url))
                case .replace:
                    try coordinator.replacePersistentStore(
                        at: other, destinationOptions: nil, withPersistentStoreFrom: url, sourceOptions: nil,
                        ofType: type)
                case .destroy:
                    try coordinator.destroyPersistentStore(at: other, ofType: type, options: nil)
                    try coordinator.replacePersistentStore(
                        at: other, destinationOptions: nil, withPersistentStoreFrom: url, sourceOptions: nil,
                        ofType: type)
                case .move:
                    let there = try Site(setup, other)
                    let moved = try there.coordinator.migratePersistentStore(
                        there.store, to: copy(number + 1, beside: url), options: setup.options, withType: type)
                    try there.coordinator.remove(moved)
                case .migrate, .remodel, .stages:
                    let url = copy(number + 1, beside: url)
                    try site.store.backup(to: url)
                    let stages = work == .stages ? ProvingModel.stages() : nil
                    try Site(setup, url, version: .later, mapping: mapping, stages: stages).close()
                }
                if work == .save || work == .purge, number >= workload.saves.count {
                    pause()
                } else {
                    say("done \(number + 1)")
                }
            }
        } catch {
            say("error \(error)")
        }
    }

    private static func copy(_ number: Int, beside url: URL) -> URL {
        url.deletingLastPathComponent().appending(path: "Copy \(number).sqlite")
    }

    // MARK: The parent

    private static func kill(
        _ setup: Setup, _ work: Work, _ job: String, _ seed: UInt64, _ isPlanted: Bool, _ report: Report
    ) throws {
        var random = SeededGenerator(seed: seed)
        let place = try Place()
        // Outside of the store's folder, which has nothing but stores at the end.
        let other = try Place()
        let mapping = work == .remodel ? other.folder.appending(path: "Mapping.cdm") : nil
        if let mapping { try ProvingModel.writeMapping(to: mapping) }
        let paths = [place.store.path] + (mapping.map { [$0.path] } ?? [])
        let child = try Child(["kills", "--worker", job, "--seed", String(seed)] + paths)
        guard child.line(within: 60) == "ready" else {
            child.kill()
            return report.finding("the child is not ready")
        }
        // Some steps, and then a moment during the next one.
        var done = 0
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            guard let line = child.line(within: 60) else { break }
            if line.hasPrefix("error") { return report.finding("the child: \(line)") }
            done += 1
        }
        usleep(UInt32.random(in: 0..<12_000, using: &random))
        child.kill()
        // The steps that it printed before it was killed.
        while let line = child.line(within: 5) { if line.hasPrefix("done") { done += 1 } }
        report.count("steps before a kill", done)
        let workload = Workload(seed: seed, saves: saves)
        if isPlanted {
            if setup.isSearched { try plant(place.store) } else { done += 2 }
        }
        try check(setup, work, workload, place, done, mapping, report)
    }

    /// Adds words to the full-text index that no row has.
    static func plant(_ store: URL) throws {
        let connection = try Connection(url: store, options: .init(access: .readWrite))
        try connection.execute("INSERT INTO OCD_FTS_ZTHING (rowid, ZNAME) VALUES (1000000, 'planted')")
        try connection.close()
    }

    private static func check(
        _ setup: Setup, _ work: Work, _ workload: Workload, _ place: Place, _ done: Int, _ mapping: URL?,
        _ report: Report
    ) throws {
        let worlds = workload.worlds
        func expect(_ url: URL, _ numbers: [Int], _ text: String) throws {
            let found: [Int: String]
            let version: ProvingModel.Version = work.changesVersion && url != place.store ? .later : .first
            do { found = try Site.contents(setup, url, version: version, mapping: mapping) } catch {
                return report.finding("\(text): \(error)")
            }
            guard let number = numbers.first(where: { worlds[$0].lines == found }) else {
                return report.findings(
                    Line.differences(found, worlds[numbers.last ?? 0].lines), "\(text), not one of saves \(numbers)")
            }
            if let damage = Site.damage(setup, url) { report.finding("\(text): \(damage)") }
            // A copy has the history of its source, which the purge has shortened.
            if work == .purge {
                let site = try Site(setup, url)
                if try site.transactions().isEmpty, done > 0 { report.finding("\(text): no history") }
                try site.close()
            } else if work == .save || work == .make || work == .migrate {
                report.findings(Site.history(setup, url, version: version), text)
            }
            guard work == .save || work == .purge else { return }
            let large = setup.isSQLite ? worlds[number].largeCount : 0
            report.findings(Site.leftovers(beside: url, largeData: large), text)
        }
        let other = place.folder.appending(path: "Other.sqlite")
        let isThere = FileManager.default.fileExists(atPath: other.path)
        switch work {
        case .save, .purge: try expect(place.store, [done, min(done + 1, saves)], "the store after \(done) saves")
        case .make:
            for number in 0..<done {
                try expect(place.folder.appending(path: "\(number).sqlite"), [1], "store \(number) of \(done)")
            }
            try expect(place.folder.appending(path: "\(done).sqlite"), [0, 1], "the unfinished store")
        case .replace:
            try expect(place.store, [3], "the store")
            try expect(other, [3], "the copy")
        case .backup, .move, .migrate, .remodel, .stages:
            try expect(place.store, [3], "the store")
            if work == .move { try expect(other, [3], "the source of the move") }
            for number in stride(from: 1, through: done + 1, by: 1) {
                let url = copy(number, beside: place.store)
                // The last one is complete or missing.
                guard number <= done || FileManager.default.fileExists(atPath: url.path) else { continue }
                try expect(url, [3], "copy \(number) of \(done)")
            }
        case .destroy:
            try expect(place.store, [3], "the store")
            if isThere { try expect(other, [0, 3], "the destroyed store") }
        }
        report.findings(halves(place.folder), "temporary files")
    }

    /// Temporary files, once all stores of the folder were opened for writing.
    private static func halves(_ folder: URL) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter {
            $0.hasSuffix(".half") || $0.hasSuffix(".half-lock") || $0.hasSuffix(".tmp")
        }
    }
}
