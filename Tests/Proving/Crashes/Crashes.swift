// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Records the writes and syncs of a workload once, and opens thousands of states of the disk after a crash.

import CFaults
import CoreData
import CoreDataTestSupport
import Foundation

/// A job is a kind of store and a model of the disk, and for migrations a way; a case is one image.
enum Crashes: Harness {
    static let name = "crashes"
    static let ordersCalls = true
    private static let saves = 8
    /// The seed of a workload that showed a defect; the last images of each job are of this workload. A save that was
    /// rolled back had made the folder of large data, and the next one did not sync the name of the folder.
    private static let known: (seed: UInt64, images: Int) = (11_000_035, 20)

    static func jobs(_ options: Options) -> [String] {
        if options.isPlanted { return ["wal-full+posix", "wal-search+ordered+inferred"] }
        return Setup.allCases.flatMap { setup in DiskModel.allCases.map { "\(setup.rawValue)+\($0.rawValue)" } }
            + MigrationCrashes.jobs
    }

    static func work(_ job: String, _ options: Options, _ report: Report) {
        let parts = job.split(separator: "+").map(String.init)
        if parts.count == 3 { return MigrationCrashes.work(job, parts, options, report) }
        guard parts.count == 2, let setup = Setup(rawValue: parts[0]), let model = DiskModel(rawValue: parts[1])
        else { return report.finding("no such job: \(job)") }
        let images = options.cases(short: 232, long: 42_000)
        let each = options.isLong ? 2_000 : 106
        var recording: Recording?
        for number in 1...images {
            guard number >= options.first, options.only == nil || number == options.only else { continue }
            report.begin(number, job)
            do {
                // A new workload after some images, from a seed that the number gives.
                let isKnown = number > images - known.images
                let seed = isKnown ? known.seed : options.seed &* 1_000_003 &+ UInt64((number - 1) / each)
                if recording?.seed != seed { recording = try Recording(setup, seed, saves, plants: options.isPlanted) }
                guard let recording else { continue }
                try open(recording, model, seed: seed &+ UInt64(number) << 20, report)
                report.count("images")
            } catch {
                report.finding("\(error)")
            }
        }
        report.done()
    }

    private static func open(_ recording: Recording, _ model: DiskModel, seed: UInt64, _ report: Report) throws {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 0...recording.history.changes.count, using: &random)
        let image = CrashImage(recording.history, count: count, model, &random)
        let place = try Place()
        let folder = place.folder.appending(path: "image")
        try image.write(to: folder)
        let (acknowledged, begun) = recording.saves(before: count)
        let least = model == .ordered || recording.setup.isDurable ? acknowledged : 0
        let cut = "cut at \(count) of \(recording.history.changes.count), saves \(least)...\(begun)"
        let url = folder.appending(path: "Store.sqlite")
        let found: [Int: String]
        do {
            found = try Site.contents(recording.setup, url)
        } catch {
            return report.finding("\(cut): does not open: \(error)")
        }
        let worlds = recording.workload.worlds
        guard !(least...begun).contains(where: { worlds[$0].lines == found }) else {
            if let damage = Site.damage(recording.setup, url) { report.finding("\(cut): \(damage)") }
            report.findings(Site.history(recording.setup, url), cut)
            return
        }
        if let other = worlds.indices.first(where: { worlds[$0].lines == found }) {
            return report.finding("\(cut): holds save \(other)")
        }
        report.findings(Line.differences(found, worlds[begun].lines), "\(cut): between the saves")
    }
}

/// One recorded life of a store.
private struct Recording {
    let setup: Setup
    let seed: UInt64
    let workload: Workload
    let history: FileHistory

    init(_ setup: Setup, _ seed: UInt64, _ saves: Int, plants: Bool) throws {
        (self.setup, self.seed) = (setup, seed)
        workload = Workload(seed: seed, saves: saves, operations: 1...6)
        let place = try Place()
        let workload = workload
        let history = try FileHistory.record(place.folder) {
            var site = try Site(setup, place.store)
            for number in 0..<saves {
                if number == saves / 2 {
                    try site.close()
                    site = try Site(setup, place.store)
                    try site.load()
                }
                site.perform(workload.saves[number])
                try site.context.save()
                ocd_record_mark(Int32(number + 1))
            }
            try site.close()
        }
        self.history = plants ? history.withoutSyncs : history
    }

    /// The number of the last save that had returned, and of the last one that may have begun.
    func saves(before count: Int) -> (acknowledged: Int, begun: Int) {
        var last = 0
        for case .mark(let number) in history.changes.prefix(count) { last = number }
        return (last, min(last + 1, workload.saves.count))
    }
}

extension FileHistory {
    /// The planted fault: a program that never syncs.
    fileprivate var withoutSyncs: FileHistory {
        FileHistory(
            changes: changes.filter {
                switch $0 {
                case .sync, .syncFolder: false
                default: true
                }
            })
    }
}
