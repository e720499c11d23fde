// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds and runs a program of another package in place of this one.

import CoreDataToolKit
import Foundation

/// A program that belongs to a command, but is built with another package.
struct CompanionProgram {
    let name: String
    /// The sentence for a program that is not there.
    let missing: String

    var isInstalled: Bool { path != nil }

    /// Replaces this process by the program.
    ///
    /// - Throws: `ToolError` if there is no such program, or if it cannot be run.
    func run(_ arguments: [String]) throws {
        guard let path else { throw ToolError(missing) }
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
        words.append(nil)
        defer { words.forEach { free($0) } }
        execv(path, words)
        throw ToolError("\(path) cannot be run: \(String(cString: strerror(errno))).")
    }

    /// The program in the folder of this one, or the first in PATH.
    private var path: String? {
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        let beside = URL(fileURLWithPath: own).deletingLastPathComponent().path
        let folders =
            [beside] + (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return folders.map { $0 + "/" + name }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
