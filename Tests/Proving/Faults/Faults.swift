// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Fails each call of SQLite, of the file system and of the allocator in turn, and checks the store after each.

import CFaults
import CoreDataTestSupport
import Foundation

/// A job is a kind of store, a layer, a mode, and whether the fault lasts; a fifth part names the way of a migration,
/// or a save that fills a table. A case is the number of the call that fails.
enum Faults: Harness {
    static let name = "faults"
    static let ordersCalls = true

    struct Job {
        var setup: Setup
        var layer: ocd_layer
        var mode: ocd_mode
        var isLasting: Bool
        /// nil for a life without a migration.
        var way: MigrationWay?
        /// Whether it is one save that fills a table.
        var isFilling = false

        private static let layers = [("vfs", OCD_LAYER_VFS), ("files", OCD_LAYER_FILES), ("memory", OCD_LAYER_MEMORY)]
        private static let modes = [
            ("io", OCD_MODE_IO), ("full", OCD_MODE_FULL), ("short", OCD_MODE_SHORT),
            ("descriptors", OCD_MODE_DESCRIPTORS),
        ]

        init?(_ name: String) {
            let parts = name.split(separator: "+").map(String.init)
            guard parts.count >= 4, let setup = Setup(rawValue: parts[0]),
                let layer = Self.layers.first(where: { $0.0 == parts[1] })?.1,
                let mode = Self.modes.first(where: { $0.0 == parts[2] })?.1
            else { return nil }
            self.init(setup: setup, layer: layer, mode: mode, isLasting: parts[3] == "lasting")
            way = parts.count > 4 ? MigrationWay(rawValue: parts[4]) : nil
            isFilling = parts.last == "filling"
        }

        private init(setup: Setup, layer: ocd_layer, mode: ocd_mode, isLasting: Bool) {
            (self.setup, self.layer, self.mode, self.isLasting) = (setup, layer, mode, isLasting)
        }

        /// One journal of each kind; the rest is the same as in other saves.
        private static func isFilled(_ setup: Setup, _ layer: String, _ mode: String, _ duration: String) -> Bool {
            [.walFull, .delete].contains(setup) && layer != "files" && ["io", "full"].contains(mode)
                && duration == "once"
        }

        private static let migrated: [Setup] = [.walFull, .walSearch, .delete, .xml, .binary]

        static let all: [String] = Setup.allCases.flatMap { setup in
            layers.flatMap { layer, _ in
                modes.flatMap { mode, _ in
                    ["once", "lasting"].flatMap { duration in
                        let name = "\(setup.rawValue)+\(layer)+\(mode)+\(duration)"
                        guard migrated.contains(setup) else { return [name] }
                        let ways = MigrationWay.allCases.filter { $0.applies(to: setup) }
                        return [name] + ways.map { "\(name)+\($0.rawValue)" }
                            + (isFilled(setup, layer, mode, duration) ? ["\(name)+filling"] : [])
                    }
                }
            }
        }.filter { name in
            guard let job = Job(name) else { return false }
            if !job.setup.isSQLite { return job.layer == OCD_LAYER_FILES }
            return job.layer != OCD_LAYER_MEMORY || job.mode == OCD_MODE_IO
        }
    }

    static func jobs(_ options: Options) -> [String] { options.isPlanted ? ["wal-normal+vfs+io+once"] : Job.all }

    static func work(_ name: String, _ options: Options, _ report: Report) {
        guard let job = Job(name), ocd_faults_install() == 0 else { return report.finding("no such job: \(name)") }
        do {
            let older = try job.way.map { _ in try OlderStore(job.setup, seed: options.seed) }
            func run(_ number: Int) throws -> Int {
                if job.isFilling { return try FillingFaultRun(job, report).run(number) }
                guard let older else { return try FaultRun(job, options, number: number, report).run() }
                return try MigrationFaultRun(job, older, report).run(number)
            }
            // The first run fills the caches of the process; the second one counts.
            _ = try run(0)
            let calls = try run(0)
            report.measure("most calls of one run", calls)
            var random = SeededGenerator(seed: options.seed &+ 77)
            let most = options.cases(short: job.isFilling ? 2 : older == nil ? 12 : 5, long: calls)
            let stride = options.isPlanted ? 1 : max(1, calls / most)
            var number = stride == 1 ? 1 : Int.random(in: 1...stride, using: &random)
            while number <= calls {
                defer { number += stride }
                guard number >= options.first, options.only == nil || number == options.only else { continue }
                report.begin(number, name)
                _ = try run(number)
                report.count("faults")
            }
            if let only = options.only, stride > 1 {
                report.begin(only, name)
                _ = try run(only)
                report.count("faults")
            }
        } catch {
            report.finding("\(error)")
        }
        report.done()
    }
}
