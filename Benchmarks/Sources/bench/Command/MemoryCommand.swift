// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Measures memory in a separate process for each contender, without the heap of others.

import ArgumentParser
import Foundation

struct MemoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "heap", abstract: "Prints the bytes of heap per object that one contender holds after J2.")

    @Option var contender: String
    @Option var file: String
    @Option var rows: Int

    func run() throws {
        guard let contender = Contenders.local(contender) else {
            throw ValidationError("there is no contender '\(contender)'")
        }
        print(try measured(contender) ?? .nan)
    }

    private func measured(_ contender: some LocalContender) throws -> Double? {
        let workload = Workload(rows: rows)
        let session = try contender.open(URL(fileURLWithPath: file), .full, workload)
        defer { try? session.close() }  // the process exists only for the number
        return try Heap.bytesPerObject(session, workload)
    }
}

/// Starts the measuring processes.
struct MemoryRuns {
    let files: Files

    func entries(_ contenders: [any Contender], rows: Int) throws -> [ResultEntry] {
        let local = contenders.filter { $0 is any LocalContender }
        let found = try local.compactMap { contender -> (contender: String, bytes: Double)? in
            try bytes(contender, Workload(rows: rows)).map { (contender.name, $0) }
        }
        return ResultEntry.entries(found, rows: rows)
    }

    /// - Returns: nil if the C library does not provide the number.
    private func bytes(_ contender: any Contender, _ workload: Workload) throws -> Double? {
        try files.withCopy(for: .read, of: contender, workload) { file in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
            process.arguments = [
                "heap", "--contender", contender.name, "--file", file.path, "--rows", String(workload.rows),
            ]
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            guard process.terminationStatus == 0, let number = Double(text) else {
                throw BenchmarkFailure("the heap of \(contender.name) could not be measured: \(text)")
            }
            return number.isNaN ? nil : number
        }
    }
}
