// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A contender in another language: a program that runs one job and prints its measurement.

import Foundation

/// A program of `Benchmarks/Peers`.
struct PeerContender: Contender {
    static let names = ["sqlalchemy", "django"]

    let name: String
    let program: URL
    /// The first arguments. The job, the database, and the numbers of rows and of searches follow.
    var arguments: [String] = []
    /// Added to the environment.
    var environment: [String: String] = [:]
    var isSlow = true
    var files: FileFamily { .plain }

    /// A script that is run by the Python installation of `Scripts/bench --peers`.
    static func script(_ name: String, python: URL, folder: URL, environment: [String: String] = [:]) -> PeerContender {
        PeerContender(
            name: name, program: python, arguments: [folder.appending(path: "\(name)_peer.py").path],
            environment: environment)
    }

    /// The scripts have J1 to J8.
    func has(_ job: Job) -> Bool { job.template != .orders }

    /// The output of a program.
    private struct Answer: Decodable {
        let cpu_ms: Double
        let wall_ms: Double
        let server_ms: Double?
        let digest: UInt64?
    }

    func run(_ job: Job, on database: URL, _ workload: Workload) throws -> Sample {
        let place = database.isFileURL ? database.path : database.absoluteString
        let answer = try JSONDecoder().decode(
            Answer.self,
            from: try output([job.rawValue, place, String(workload.rows), String(workload.searches)]))
        guard let digest = job.changesFile ? 0 : answer.digest else {
            throw BenchmarkFailure("\(name) gave no digest for \(job.rawValue)")
        }
        return Sample(cpu: answer.cpu_ms, wall: answer.wall_ms, server: answer.server_ms, digest: digest)
    }

    private func output(_ job: [String]) throws -> Data {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments + job
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkFailure("\(name) ended with \(process.terminationStatus) in \(job)")
        }
        return data
    }
}
