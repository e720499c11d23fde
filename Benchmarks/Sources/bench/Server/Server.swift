// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The server that Scripts/with-postgres has started, as its environment describes it.

import Foundation

struct Server {
    /// Of the server's first database.
    private let url: String
    /// The folder of the server's programs.
    private let programs: String
    let clock: ServerClock

    /// - Throws: `BenchmarkFailure` without a server.
    static func started() throws -> Server {
        let environment = ProcessInfo.processInfo.environment
        guard let url = environment["COREDATA_PG_URL"], let folder = environment["COREDATA_PG_BIN"],
            let data = environment["COREDATA_PG_DATA"]
        else { throw BenchmarkFailure("There is no server: run this by Scripts/bench --postgres.") }
        let number = try String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8).prefix { $0 != "\n" }
        return Server(
            url: url, programs: folder, clock: ServerClock(postmaster: String(number)))
    }

    /// psql may be only among the server's programs.
    private var environment: [String: String] {
        let environment = ProcessInfo.processInfo.environment
        return environment.merging([
            "PATH": "\(environment["PATH"] ?? ""):\(programs)", "PGOPTIONS": "-c client_min_messages=warning",
        ]) { $1 }
    }

    /// The URL of a database of this server.
    func url(_ database: String) throws -> URL {
        guard var parts = URLComponents(string: url) else { throw BenchmarkFailure("'\(url)' is no URL.") }
        parts.path = "/" + database
        guard let url = parts.url else { throw BenchmarkFailure("'\(database)' is no name of a database.") }
        return url
    }

    /// Runs statements, each of them by itself.
    ///
    /// - Returns: the rows that they print, with bars between the values.
    /// - Throws: `BenchmarkFailure` if one of them is refused; psql has printed the reason.
    @discardableResult
    func run(_ statements: [String], in database: String = "postgres") throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.environment = environment
        process.arguments =
            ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", try url(database).absoluteString]
            + statements.flatMap { ["-c", $0] }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkFailure("psql ended with \(process.terminationStatus) in \(database)")
        }
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// Processor time of all living processes of a server. Linux only.
struct ServerClock {
    /// The number of the server's first process, the parent of the others.
    let postmaster: String

    /// nil where the system has no such figure.
    var milliseconds: Double? {
        guard
            let children = try? String(
                contentsOfFile: "/proc/\(postmaster)/task/\(postmaster)/children", encoding: .utf8)
        else { return nil }
        // The first number is the time on a processor in nanoseconds.
        let times = children.split(separator: " ").compactMap { process -> Double? in
            let times = try? String(contentsOfFile: "/proc/\(process)/schedstat", encoding: .utf8)
            return times?.split(separator: " ").first.flatMap { Double($0) }
        }
        return times.reduce(0, +) / 1e6
    }
}
