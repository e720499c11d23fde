// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The plug-in's expansion of a source: the expanded text, the diagnostics and the source after their fix-its.

import Foundation
import Testing

/// One expansion of a source text. The plug-in is a program of the build's folder, as the compiler starts it.
struct MacroCheck {
    /// The source with all our macros expanded.
    let expanded: String
    /// "3:5 error: sentence", in the order of the diagnostics.
    let messages: [String]
    /// The titles of the fix-its of each message.
    let fixes: [[String]]
    /// The source after each fix-it of each message.
    private let mendedSources: [[String]]

    /// - Parameter models: takes the macros of SwiftData in place of those of managed classes.
    init(_ source: String, models: Bool = false) throws {
        let output = try Self.plugIn(models ? "model" : "managed", source)
        var records = output.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)[...]
        try #require(records.count > 1)
        expanded = records.removeFirst()
        var messages: [String] = []
        var fixes: [[String]] = []
        var mended: [[String]] = []
        // After the last NUL there is an empty text.
        while records.count > 1 {
            messages.append(records.removeFirst())
            fixes.append([])
            mended.append([])
            while let title = records.popFirst(), !title.isEmpty {
                try #require(!records.isEmpty)
                fixes[fixes.count - 1].append(title)
                mended[mended.count - 1].append(records.removeFirst())
            }
        }
        self.messages = messages
        self.fixes = fixes
        mendedSources = mended
    }

    /// The source after a fix-it; nil without one.
    func mended(message: Int = 0, fix: Int = 0) -> String? {
        guard mendedSources.indices.contains(message), mendedSources[message].indices.contains(fix) else { return nil }
        return mendedSources[message][fix]
    }

    private static func plugIn(_ face: String, _ source: String) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "CoreDataMacros-tool")
        process.arguments = ["--expand", face]
        let input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        // A source is smaller than the buffer of a pipe.
        try input.fileHandleForWriting.write(contentsOf: Data(source.utf8))
        try input.fileHandleForWriting.close()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: bytes, as: UTF8.self)
    }
}
