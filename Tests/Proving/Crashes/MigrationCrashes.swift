// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Records the writes and syncs of a migration once, and opens many states of the disk after a crash in it.

import CFaults
import CoreData
import CoreDataTestSupport
import Foundation

/// A job is a searched store, a model of the disk, and the way of its migration; a case is one image.
///
/// Each image has the older store, the one between two stages, or the later one, with the index of its version. The
/// next opening completes the migration.
enum MigrationCrashes {
    private static let setup = Setup.walSearch

    static let jobs = DiskModel.allCases.flatMap { model in
        MigrationWay.allCases.map { "\(setup.rawValue)+\(model.rawValue)+\($0.rawValue)" }
    }

    static func work(_ job: String, _ parts: [String], _ options: Options, _ report: Report) {
        guard parts[0] == setup.rawValue, let model = DiskModel(rawValue: parts[1]),
            let way = MigrationWay(rawValue: parts[2])
        else { return report.finding("no such job: \(job)") }
        let images = options.cases(short: 40, long: 4_000)
        let each = options.isLong ? 200 : 20
        var recording: Recording?
        for number in 1...images {
            guard number >= options.first, options.only == nil || number == options.only else { continue }
            report.begin(number, job)
            do {
                let seed = options.seed &* 1_000_003 &+ UInt64((number - 1) / each)
                if recording?.seed != seed { recording = try Recording(way, seed) }
                guard let recording else { continue }
                try open(recording, model, seed: seed &+ UInt64(number) << 20, options.isPlanted, report)
                report.count("images of migrations")
            } catch {
                report.finding("\(error)")
            }
        }
        report.done()
    }

    private static func open(
        _ recording: Recording, _ model: DiskModel, seed: UInt64, _ isPlanted: Bool, _ report: Report
    ) throws {
        var random = SeededGenerator(seed: seed)
        let changes = recording.history.changes
        // The older store is complete and durable; the migration and one save follow.
        let count = Int.random(in: recording.start...changes.count, using: &random)
        let place = try Place()
        let folder = place.folder.appending(path: "image")
        try CrashImage(recording.history, count: count, model, &random).write(to: folder)
        let url = folder.appending(path: "Store.sqlite")
        var mark = 0
        for case .mark(let number) in changes.prefix(count) { mark = number }
        let cut = "cut at \(count) of \(changes.count), mark \(mark)"
        let worlds = recording.workload.worlds
        let saves = Recording.olderSaves
        let possible = mark <= saves ? [worlds[saves]] : Array(worlds[(mark - 1)...saves + 1])
        do {
            // In a copy: the next opening of the image itself completes the migration.
            let copy = place.folder.appending(path: "copy")
            try FileManager.default.copyItem(at: folder, to: copy)
            let copied = copy.appending(path: "Store.sqlite")
            let (version, lines) = try Site.migratedContents(setup, copied)
            if mark > saves, version != .later { report.finding("\(cut): the migration is undone") }
            if !possible.contains(where: { $0.lines == lines }) {
                report.findings(Line.differences(lines, possible[0].lines), "\(cut): in the \(version) version")
            }
            if isPlanted { try Kills.plant(copied) }
            if let damage = Site.damage(setup, copied) { report.finding("\(cut): \(damage), \(version) version") }
            report.count("images with the \(version) version")
            let site = try Site(
                setup, url, version: .later, mapping: recording.mapping, stages: recording.way.stages)
            let found = try site.lines()
            let things = try site.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Thing"))
            let remarks = things.count { $0.value(forKey: "remark") as? String == ProvingModel.remark }
            try site.close()
            if remarks != things.count { report.finding("\(cut): \(things.count - remarks) things without a remark") }
            guard let world = possible.first(where: { $0.lines == found }) else {
                return report.findings(Line.differences(found, possible[0].lines), "\(cut): at the end")
            }
            if let damage = Site.damage(setup, url) { report.finding("\(cut): \(damage) at the end") }
            // One more opening removes the files that a killed process, or a power failure in the migration, left. In
            // the save that follows it, a power failure may lose the names of obsolete files.
            try Site(setup, url, version: .later).close()
            let isExact = model == .ordered || mark <= saves
            report.findings(
                Site.leftovers(beside: url, largeData: isExact ? world.largeCount : nil), cut)
        } catch {
            report.finding("\(cut): does not open: \(error)")
        }
    }

    /// One recorded migration of a store.
    private struct Recording {
        static let olderSaves = 4

        let way: MigrationWay
        let seed: UInt64
        let workload: Workload
        let history: FileHistory
        /// The number of changes that made the older store.
        let start: Int
        /// The file of a mapping model, in a folder that is not recorded.
        let mapping: URL?
        private let other: Place

        init(_ way: MigrationWay, _ seed: UInt64) throws {
            (self.way, self.seed) = (way, seed)
            workload = Workload(seed: seed, saves: Self.olderSaves + 1, operations: 2...8)
            other = try Place()
            mapping = way == .mapping ? other.folder.appending(path: "Mapping.cdm") : nil
            if let mapping { try ProvingModel.writeMapping(to: mapping) }
            let (place, saves, mapping) = (try Place(), workload.saves, mapping)
            history = try FileHistory.record(place.folder) {
                var site = try Site(setup, place.store)
                for number in 0..<Self.olderSaves {
                    site.perform(saves[number])
                    try site.context.save()
                }
                try site.close()
                ocd_record_mark(Int32(Self.olderSaves))
                site = try Site(setup, place.store, version: .later, mapping: mapping, stages: way.stages)
                ocd_record_mark(Int32(Self.olderSaves + 1))
                try site.load()
                site.perform(saves[Self.olderSaves])
                try site.context.save()
                ocd_record_mark(Int32(Self.olderSaves + 2))
                try site.close()
            }
            start = 1 + (history.changes.firstIndex { if case .mark = $0 { true } else { false } } ?? 0)
        }
    }
}
