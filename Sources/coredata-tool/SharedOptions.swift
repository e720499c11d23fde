// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What several subcommands have in common: how a store is opened, where output goes.

import ArgumentParser
import CoreDataGeneration
import CoreDataToolKit
import Foundation

extension OutputFormat: ExpressibleByArgument {}

struct StoreOptions: ParsableArguments {
    @Option(
        help: "The model to open the store with (.xcdatamodeld, .xcdatamodel, .momd, .mom) instead of the one it keeps."
    )
    var model: String?

    @Option(help: "Which version of the model; its current one otherwise.")
    var modelVersion: String?

    @Flag(
        help:
            "Open the store itself for writing, so that SQLite can put its log in order; otherwise nothing is changed.")
    var writable = false

    func open(_ path: String) throws -> OpenedStore {
        try OpenedStore(
            URL(fileURLWithPath: path), model: model.map { URL(fileURLWithPath: $0) }, version: modelVersion,
            isWritable: writable)
    }

    func summary(_ path: String) throws -> ModelSummary {
        let url = URL(fileURLWithPath: path)
        switch try FileKind(of: url) {
        case .model:
            // Hashes of a model that no store can be made with would be of no use to anybody.
            let errors = try ModelCompiler.errors(url, version: modelVersion)
            guard errors.isEmpty else { throw GenerationFailure(errors) }
            return try ModelSummary(model: url, version: modelVersion)
        default: return try ModelSummary(store: open(path))
        }
    }
}

/// Where a command writes what it would print.
struct OutputOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: "The file to write; standard output otherwise.")
    var output: String?

    @Flag(help: "Write over a file that is there.")
    var force = false

    /// A format that the name of the file stands for, of those given by ending.
    ///
    /// - Throws: a sentence for people when the name ends with something else.
    func format<Format>(_ endings: [String: Format]) throws -> Format? {
        guard let output else { return nil }
        let ending = (output as NSString).pathExtension.lowercased()
        if ending.isEmpty { return nil }
        if let format = endings[ending] { return format }
        throw ToolError(
            "\(output) would not be what its name says: name a file that ends with "
                + "\(endings.keys.sorted().map { "." + $0 }.joined(separator: ", ")), or give --format.")
    }

    /// Gives the body a function that writes. A file is there only once all of it is written.
    func write(_ body: (@escaping (String) throws -> Void) throws -> Void) throws {
        guard let output else {
            return try body { try Terminal.write($0) }
        }
        // The file that a link leads to is written, and the link stays.
        let url = URL(fileURLWithPath: output).resolvingSymlinksInPath()
        if Overwriting.isStream(output) { return try writeInto(URL(fileURLWithPath: output), body) }
        try Overwriting.check(output, force: force)
        let unfinished = url.deletingLastPathComponent()
            .appendingPathComponent(".\(url.lastPathComponent)-\(UUID().uuidString)")
        SignalCleanUp.add(unfinished.path)
        defer {
            try? FileManager.default.removeItem(at: unfinished)
            SignalCleanUp.remove(unfinished.path)
        }
        guard FileManager.default.createFile(atPath: unfinished.path, contents: nil) else {
            throw OutputFailure("\(output) cannot be written: \(String(cString: strerror(errno))).")
        }
        try writeInto(unfinished, body)
        guard rename(unfinished.path, url.path) == 0 else {
            throw OutputFailure("\(output) cannot be written: \(String(cString: strerror(errno))).")
        }
    }

    private func writeInto(_ url: URL, _ body: (@escaping (String) throws -> Void) throws -> Void) throws {
        let name = output ?? url.path
        func failure(_ error: any Error) -> OutputFailure {
            OutputFailure("\(name) cannot be written: \(ToolError.text(of: error))")
        }
        let handle: FileHandle
        do {
            handle = try FileHandle(forWritingTo: url)
        } catch {
            throw failure(error)
        }
        try body { text in
            do {
                try handle.write(contentsOf: Data(text.utf8))
            } catch {
                throw failure(error)
            }
        }
        do {
            try handle.close()
        } catch {
            throw failure(error)
        }
    }
}

/// Nothing that is there is replaced unless somebody asks for it.
enum Overwriting {
    /// Whether a path leads to a device or a pipe, such as /dev/stdout: it takes what is written, and is never
    /// replaced.
    static func isStream(_ path: String) -> Bool {
        var info = stat()
        guard stat(path, &info) == 0 else { return false }
        return ![S_IFREG, S_IFDIR].contains(info.st_mode & S_IFMT)
    }

    /// - Throws: `ToolError` when something is there.
    static func check(_ path: String, force: Bool) throws {
        guard !force, FileManager.default.fileExists(atPath: path) else { return }
        throw ToolError("\(path) is there already: --force writes over it.")
    }
}
