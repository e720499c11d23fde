// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool export` and `import`: whole stores as text and files, and back.

import ArgumentParser
import CoreDataToolKit
import Foundation

extension ExchangeFormat: ExpressibleByArgument {}

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes all objects of a store as JSON Lines or CSV, with data in files.",
        discussion: """
            Examples:
              coredata-tool export Shop.sqlite -o Shop-export
              coredata-tool export Shop.sqlite -o Shop-export --format csv
              coredata-tool export Shop.sqlite -o books.csv --entity Book
              coredata-tool export Shop.sqlite | head
              coredata-tool export Old.sqlite -o Old-export --infer
            A folder gets a file for each entity, the model, and a folder of data. `import` makes the same store of it.
            """)

    @Argument(help: "A store.")
    var store: String

    @Option(
        name: .shortAndLong, help: "A new folder, or a file that ends with .jsonl or .csv; standard output otherwise.")
    var output: String?

    @Option(help: "jsonl or csv; otherwise the ending of the output file, or jsonl.")
    var format: ExchangeFormat?

    @Option(help: "The objects of one entity alone, without those of its subentities. For a file.")
    var entity: String?

    @Option(help: "The model to open the store with instead of the one it keeps.")
    var model: String?

    @OptionGroup var inference: InferenceOptions

    @Flag(help: "Write over a file that is there.")
    var force = false

    func run() throws {
        try Terminal.run {
            let rows = try RowStore(
                URL(fileURLWithPath: store), model: model.map { URL(fileURLWithPath: $0) }, inference: inference.chosen)
            let ending = output.map { ($0 as NSString).pathExtension.lowercased() } ?? "jsonl"
            let byName = ExchangeFormat(rawValue: ending == "ndjson" ? "jsonl" : ending)
            guard let output, byName == nil else {
                // A file, or standard output.
                var file = OutputOptions()
                (file.output, file.force) = (output, force)
                var summary = StoreExport.Summary()
                try file.write { write in
                    summary = try StoreExport.write(
                        rows, entity: entity, format: format ?? byName ?? .jsonl, to: write)
                }
                if output != nil { Terminal.printNote(Self.text(summary)) }
                return
            }
            if entity != nil { throw ToolError("--entity goes with a file; a folder has all entities.") }
            let steps = StepLine()
            let summary = try StoreExport.write(
                rows, to: URL(fileURLWithPath: output), format: format ?? .jsonl, step: steps.show)
            steps.end()
            try Terminal.write("\(output): \(Self.text(summary))\n")
        }
    }

    private static func text(_ summary: StoreExport.Summary) -> String {
        let objects = "\(summary.objects) object\(summary.objects == 1 ? "" : "s")"
        return summary.files == 0
            ? "\(objects)." : "\(objects), \(summary.files) file\(summary.files == 1 ? "" : "s") of data."
    }
}

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Makes a store of an export, or brings an export into a store that has data.",
        discussion: """
            Examples:
              coredata-tool import Shop-export -o Copy.sqlite
              coredata-tool import books.jsonl -o Books.sqlite --model Shop.xcdatamodeld
              coredata-tool import Shop-export --into Shop.sqlite --dry-run \\
                  --upsert Book.isbn --upsert Author.name
              coredata-tool import books.csv --into Shop.sqlite --upsert Book.isbn --yes
            A new store has the objects of the export with their keys, so `diff` finds no difference. With --upsert an object \
            with the same key is updated, and others are inserted; all of that is validated.
            """)

    @Argument(help: "A folder of `export`, or a file of JSON Lines or CSV.")
    var source: String

    @Option(name: .shortAndLong, help: "The store to make.")
    var output: String?

    @Option(help: "The store to bring the objects into.")
    var into: String?

    @Option(help: "An attribute that says which objects are the same: Entity.attribute. May be given several times.")
    var upsert: [String] = []

    @Option(help: "The model; otherwise the one in the export, or the one that the store keeps.")
    var model: String?

    @Option(help: "Which version of the model; its current one otherwise.")
    var modelVersion: String?

    @OptionGroup var write: WriteOptions

    func validate() throws {
        if (output == nil) == (into == nil) { throw ValidationError("Name a new store with -o, or one with --into.") }
        if into != nil, upsert.isEmpty {
            throw ValidationError("--into needs --upsert Entity.attribute, which says which objects are the same.")
        }
        _ = try keys()
    }

    private func keys() throws -> [String: [String]] {
        var result: [String: [String]] = [:]
        for text in upsert {
            let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw ValidationError("--upsert needs Entity.attribute, not '\(text)'.") }
            result[parts[0], default: []] += parts[1].split(separator: ",").map(String.init)
        }
        return result
    }

    func run() throws {
        try Terminal.run {
            let exchange = try ExchangeSource(URL(fileURLWithPath: source))
            let modelURL = model.map { URL(fileURLWithPath: $0) }
            let steps = StepLine()
            if let output {
                if write.dryRun { throw ToolError("--dry-run goes with --into: -o makes a new store alone.") }
                let summary = try StoreImport.make(
                    URL(fileURLWithPath: output), from: exchange, model: modelURL, version: modelVersion,
                    step: steps.show)
                steps.end()
                let count = summary.inserted
                return try Terminal.write("\(output): \(count) object\(count == 1 ? "" : "s").\n")
            }
            guard let into else { return }
            let url = URL(fileURLWithPath: into)
            let forecast = try StoreUpsert.run(
                url, from: exchange, keys: keys(), model: modelURL, version: modelVersion, isDry: true,
                step: steps.show)
            steps.end()
            let updated = "\(forecast.updated) object\(forecast.updated == 1 ? "" : "s")"
            try Terminal.write("\(updated) to update, \(forecast.inserted) to insert.\n")
            guard try write.mayProceed("Change \(url.lastPathComponent)?") else { return }
            let copy = try write.backupFolder(of: url).map { try StoreBackup.make(of: url, in: $0) }
            let summary = try StoreUpsert.run(
                url, from: exchange, keys: keys(), model: modelURL, version: modelVersion, step: steps.show)
            steps.end()
            try Terminal.write("\(summary.updated) updated, \(summary.inserted) inserted.\n")
            let unknown = summary.unknownReferences
            if unknown > 0 {
                Terminal.printNote(
                    "\(unknown) reference\(unknown == 1 ? " leads" : "s lead") to objects that \(source) has no record "
                        + "of: these relationships stay as they are.")
            }
            if let copy { try Terminal.write("The store from before: \(copy.path)\n") }
        }
    }
}
