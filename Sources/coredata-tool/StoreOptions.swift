// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The options that several subcommands share, for opening stores and for output.

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

    @OptionGroup var inference: InferenceOptions

    func open(_ path: String) throws -> OpenedStore {
        try OpenedStore(
            URL(place: path), model: model.map { URL(fileURLWithPath: $0) }, version: modelVersion,
            isWritable: writable, inference: inference.chosen)
    }

    func summary(_ path: String) throws -> ModelSummary {
        let url = URL(place: path)
        switch try FileKind(of: url) {
        case .model:
            // Printing hashes of a model that no store can use would be misleading.
            let errors = try ModelCompiler.errors(url, version: modelVersion)
            guard errors.isEmpty else { throw GenerationFailure(errors) }
            return try ModelSummary(model: url, version: modelVersion)
        default: return try ModelSummary(store: open(path))
        }
    }
}

/// The use of a model that is inferred from tables (Documentation/Internals/InferredModels.md).
struct InferenceOptions: ParsableArguments {
    @Flag(help: "Of a store that keeps no model, take the one inferred from its tables.")
    var infer = false

    @Option(help: "A JSON file that corrects names, types and relationships of the inferred model; implies --infer.")
    var overlay: String?

    /// nil unless the user asked for it.
    var chosen: ModelInference? {
        infer || overlay != nil ? ModelInference(overlay: overlay.map { URL(fileURLWithPath: $0) }) : nil
    }
}

/// The destination of the output.
struct OutputOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: "The file to write; standard output otherwise.")
    var output: String?

    @Flag(help: "Write over a file that is there.")
    var force = false

    /// The format for the extension of the file name.
    ///
    /// - Throws: an error for the user if the extension is unknown.
    func format<Format>(_ endings: [String: Format]) throws -> Format? {
        guard let output else { return nil }
        let ending = (output as NSString).pathExtension.lowercased()
        if ending.isEmpty { return nil }
        if let format = endings[ending] { return format }
        throw ToolError(
            "\(output) would not be what its name says: name a file that ends with "
                + "\(endings.keys.sorted().map { "." + $0 }.joined(separator: ", ")), or give --format.")
    }

    /// Calls the body with a writing function. The file appears only when it is complete.
    func write(_ body: (@escaping (String) throws -> Void) throws -> Void) throws {
        guard let output else {
            return try body { try Terminal.write($0) }
        }
        // Writes to the destination of a symbolic link and keeps the link.
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

/// Protects existing files unless the user forces their replacement.
enum Overwriting {
    /// Whether a path is a device or a pipe, such as /dev/stdout, which is written to and never replaced.
    static func isStream(_ path: String) -> Bool {
        var info = stat()
        guard stat(path, &info) == 0 else { return false }
        return ![S_IFREG, S_IFDIR].contains(info.st_mode & S_IFMT)
    }

    /// - Throws: `ToolError` if a file exists.
    static func check(_ path: String, force: Bool) throws {
        guard !force, FileManager.default.fileExists(atPath: path) else { return }
        throw ToolError("\(path) is there already: --force writes over it.")
    }
}
