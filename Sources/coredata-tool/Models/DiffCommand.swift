// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool diff`: the differences between two stores, or two models.

import ArgumentParser
import CoreDataToolKit
import Foundation

struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Compares two stores, or two models: entities, properties, and every value of every object.",
        discussion: """
            Examples:
              coredata-tool diff Before.sqlite After.sqlite
              coredata-tool diff Before.sqlite After.sqlite --key Book.isbn \\
                  --key Author.name
              coredata-tool diff Before.sqlite After.sqlite -o changes.ndjson
              coredata-tool diff 'Shop.xcdatamodeld/Shop.xcdatamodel' \\
                  'Shop.xcdatamodeld/Shop 2.xcdatamodel'
            Objects are the same if they have the same row in both stores; with --key, if their key attributes have the same \
            values. A store and a model are compared by their models. Memory does not grow with the stores. \
            Exit status: 0 without a difference, 1 with differences.
            """)

    @Argument(help: ArgumentHelp("A store, or a model.", valueName: "store|model"))
    var one: String

    @Argument(help: ArgumentHelp("Another one.", valueName: "store|model"))
    var other: String

    @Option(help: "An attribute that says which objects are the same: Entity.attribute. May be given several times.")
    var key: [String] = []

    @Option(help: "The model of a store that keeps none.")
    var model: String?

    @OptionGroup var inference: InferenceOptions

    @Flag(help: "Compare the models alone.")
    var modelOnly = false

    @Flag(help: "Compare the data alone.")
    var dataOnly = false

    @Flag(help: "Print the numbers of differences, and nothing else.")
    var summary = false

    @Option(
        help:
            "table, json, ndjson (a line for each difference) or csv; otherwise the ending of the output file, or table."
    )
    var format: OutputFormat?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if modelOnly, dataOnly { throw ValidationError("--model-only and --data-only contradict each other.") }
        _ = try keys()
    }

    private func keys() throws -> [String: [String]] {
        var result: [String: [String]] = [:]
        for text in key {
            let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw ValidationError("--key needs Entity.attribute, not '\(text)'.") }
            result[parts[0], default: []] += parts[1].split(separator: ",").map(String.init)
        }
        return result
    }

    func run() throws {
        try Terminal.report {
            let (first, second) = (URL(fileURLWithPath: one), URL(fileURLWithPath: other))
            let used = try format ?? output.format(OutputFormat.endings) ?? .table
            let given = model.map { URL(fileURLWithPath: $0) }
            let models = try (FileKind(of: first), FileKind(of: second))
            let isModels = models.0 == .model || models.1 == .model
            if isModels, dataOnly { throw ToolError("A model has no data: --data-only compares two stores.") }
            // Both are opened before any output, because a store that cannot be compared is not an equal one.
            let stores =
                isModels || modelOnly
                ? nil
                : try [first, second].map {
                    try RowStore($0, model: RowStore.model(given, for: $0), inference: inference.chosen)
                }
            var differs = false
            try output.write { write in
                if !dataOnly {
                    let model = try ModelDiff(first, second, model: given, inference: inference.chosen)
                    differs = !model.changes.isEmpty
                    for store in model.inferred {
                        Terminal.printNote("\(store.path) keeps no model: this is what its tables tell of it.")
                    }
                    // A pipe gets rows of one form, and changes of the model have another.
                    if used == .table || isModels || modelOnly {
                        try self.write(model, used, write)
                    } else if differs {
                        let count = model.changes.count
                        Terminal.printNote(
                            "The models have \(count) difference\(count == 1 ? "" : "s"): --model-only lists them.")
                    }
                }
                guard let stores else { return }
                let counts = try compare(stores[0], stores[1], used, write)
                differs = differs || !counts.isEmpty
            }
            return differs ? Terminal.findings : nil
        }
    }

    private func write(
        _ model: ModelDiff, _ used: OutputFormat, _ write: @escaping (String) throws -> Void
    ) throws {
        if model.changes.isEmpty, used == .table { return try write("The models are equal.\n") }
        let sink = ResultText(used, width: output.output == nil ? Terminal.width : nil, write: write)
        try sink.begin(.init(columns: ModelDiff.Change.columns, hasIDs: false, noun: "difference"))
        for change in model.changes { try sink.add(change.row) }
        try sink.end(model.changes.count)
        guard used == .table else { return }
        for sentence in model.migration { try write(sentence + "\n") }
        if !modelOnly { try write("\n") }
    }

    private func compare(
        _ first: RowStore, _ second: RowStore, _ used: OutputFormat, _ write: @escaping (String) throws -> Void
    ) throws -> DataDiff.Counts {
        let diff = try DataDiff(first, second, keys: keys())
        let sink = ResultText(used, width: output.output == nil ? Terminal.width : nil, write: write)
        let steps = StepLine()
        var rows = 0
        if !summary {
            try sink.begin(.init(columns: DataDiff.Change.columns, hasIDs: false, noun: "difference"))
        }
        let counts = try diff.run(step: steps.show) { change in
            guard !summary else { return }
            rows += 1
            try sink.add(change.row)
        }
        steps.end()
        if !summary { try sink.end(rows) }
        if used == .table || summary {
            try write(
                "Objects: \(counts.compared) in both, \(counts.changed) of them changed, \(counts.added) added, "
                    + "\(counts.removed) removed.\n")
        }
        return counts
    }
}
