// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A contender in another language: a script that runs one job and prints its measurement.

import Foundation

/// A script of `Benchmarks/Peers`, run by the Python installation of `Scripts/bench --peers`.
struct PeerContender: Contender {
    static let names = ["sqlalchemy", "django"]

    let name: String
    let python: URL
    let scripts: URL
    var files: FileFamily { .plain }

    /// The output of a script.
    private struct Answer: Decodable {
        let cpu_ms: Double
        let wall_ms: Double
        let digest: UInt64?
    }

    func run(_ job: Job, on file: URL, _ workload: Workload) throws -> Sample {
        let answer = try JSONDecoder().decode(
            Answer.self, from: try output([job.rawValue, file.path, String(workload.rows)]))
        let digest = job.changesFile ? try FileDigest.of(file, after: job) : answer.digest
        guard let digest else { throw BenchmarkFailure("\(name) gave no digest for \(job.rawValue)") }
        return Sample(cpu: answer.cpu_ms, wall: answer.wall_ms, digest: digest)
    }

    private func output(_ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL = python
        process.arguments = [scripts.appending(path: "\(name)_peer.py").path] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkFailure("\(name) ended with \(process.terminationStatus) in \(arguments)")
        }
        return data
    }
}
