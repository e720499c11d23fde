// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs each job with all contenders in turn, in a different order each round, so that disturbances affect all of them.

import Foundation

/// The measurements for one number of rows.
struct Measurements {
    let workload: Workload
    let jobs: [Job]
    let contenders: [String]
    /// In the order of the rounds; some contenders take part in fewer rounds.
    fileprivate(set) var samples: [Job: [String: [Sample]]] = [:]

    /// The median of one contender's samples.
    func median(_ job: Job, _ contender: String, _ value: (Sample) -> Double) -> Double? {
        samples[job]?[contender].flatMap { Statistics.median($0.map(value)) }
    }

    /// The median of the ratios to another contender, round by round: of processor time unless said otherwise.
    func ratio(_ job: Job, _ contender: String, to other: String, of value: (Sample) -> Double = \.cpu) -> Double? {
        guard let own = samples[job]?[contender], let others = samples[job]?[other] else { return nil }
        return Statistics.median(zip(own, others).map { value($0) / value($1) })
    }
}

struct Rounds {
    let contenders: [any Contender]
    let jobs: [Job]
    let rounds: Int
    /// The number of rounds with slow contenders.
    let slowRounds: Int
    let databases: any Databases

    /// - Throws: `BenchmarkFailure` if contenders disagree about a job's result.
    func run(_ workload: Workload, progress: (String) -> Void) throws -> Measurements {
        var measurements = Measurements(workload: workload, jobs: jobs, contenders: contenders.map(\.name))
        for round in 0..<rounds {
            for job in jobs {
                for contender in order(round) where contender.has(job) {
                    let sample = try databases.withCopy(for: job, of: contender, workload) { database in
                        var sample = try contender.run(job, on: database, workload)
                        if job.changesFile { sample.digest = try databases.digest(of: database, after: job) }
                        return sample
                    }
                    measurements.samples[job, default: [:]][contender.name, default: []].append(sample)
                }
                try compare(job, measurements)
            }
            progress("\(workload.rows) rows: round \(round + 1) of \(rounds)")
        }
        return measurements
    }

    private func order(_ round: Int) -> [any Contender] {
        let present = contenders.filter { round < slowRounds || !$0.isSlow }
        let first = round % present.count
        return Array(present[first...] + present[..<first])
    }

    private func compare(_ job: Job, _ measurements: Measurements) throws {
        let digests = (measurements.samples[job] ?? [:]).mapValues { Set($0.map(\.digest)) }
        guard Set(digests.values.joined()).count > 1 else { return }
        let list = digests.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.sorted())" }
        throw BenchmarkFailure("\(job.rawValue): the results differ.\n" + list.joined(separator: "\n"))
    }
}
