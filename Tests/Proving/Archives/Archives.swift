// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Damaged archives in memory, many in a second: compiled models, transformable values, metadata.

import CoreDataTestSupport
import Foundation

/// A job is a reader of archives; a case is one input that a seed and a number determine. The number goes to the
/// supervisor before the input is read.
enum Archives: Harness {
    static let name = "archives"

    static func jobs(_ options: Options) -> [String] {
        options.isPlanted ? ["trusting"] : ArchiveTarget.allCases.map(\.rawValue)
    }

    static func work(_ job: String, _ options: Options, _ report: Report) {
        do {
            if job == "trusting" { return try trusting(options, report) }
            guard let target = ArchiveTarget(rawValue: job) else { return report.finding("no such job: \(job)") }
            let good = try target.good().map(Array.init)
            let archives = good.map(ArchiveDamage.init(trusting:))
            let count = options.cases(short: 400, long: 10_000_000)
            let progress = Progress(job, count, report, isShown: options.isLong)
            var readCount = 0
            for number in options.first...max(count, options.first) {
                guard options.only == nil || number == options.only else { continue }
                report.begin(number, job)
                var random = SeededGenerator(seed: options.seed &* 7_919 &+ UInt64(number))
                let place = Int.random(in: 0..<good.count, using: &random)
                // One of sixteen is damaged in its frame too.
                var archive = archives[place].damaged(&random)
                if random.chance(1 / 16) { archive = ByteDamage.of(archive, &random) }
                let start = Bounds.processorSeconds()
                if let isRead = try? target.feed(target.input(archive)), isRead { readCount += 1 }
                let seconds = Bounds.processorSeconds() - start
                if seconds > Bounds.mostSeconds { report.finding("input \(number) took \(seconds) s") }
                progress.show(number)
            }
            report.count("inputs of \(job)", count - options.first + 1)
            report.count("of \(job) read", readCount)
            let most = Bounds.peakMegabytes()
            report.measure("most megabytes", most)
            if most > Bounds.mostMegabytes { report.finding("\(most) MB") }
        } catch {
            report.finding("\(error)")
        }
        report.done()
    }

    /// A reader without checks, which damaged bytes end.
    private static func trusting(_ options: Options, _ report: Report) throws {
        let good = try ArchiveTarget.lists.good().map(Array.init)
        for number in 1...1_000 {
            report.begin(number, "trusting")
            var random = SeededGenerator(seed: options.seed &* 7_919 &+ UInt64(number))
            _ = ArchiveDamage(trusting: ByteDamage.of(good[0], &random))
        }
        report.done()
    }

    /// A line every ten seconds.
    private final class Progress {
        private let job: String
        private let count: Int
        private let report: Report
        private let isShown: Bool
        private var last = (time: Date(), number: 0)

        init(_ job: String, _ count: Int, _ report: Report, isShown: Bool) {
            (self.job, self.count, self.report, self.isShown) = (job, count, report, isShown)
        }

        func show(_ number: Int) {
            guard isShown, number.isMultiple(of: 1_024) else { return }
            let seconds = Date().timeIntervalSince(last.time)
            guard seconds >= 10 else { return }
            let speed = Int(Double(number - last.number) / seconds)
            report.note("\(job): \(number) of \(count) inputs, \(speed) a second")
            last = (Date(), number)
        }
    }
}
