// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool diagram`: a model as a picture.

import ArgumentParser
import CoreDataGeneration
import CoreDataToolKit
import Foundation

struct DiagramCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagram", abstract: "Draws the entities of a store or a model and what links them.")

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case mermaid
        case svg
    }

    @Argument(help: ArgumentHelp("A store, or a model.", valueName: "store|model"))
    var path: String

    @OptionGroup var store: StoreOptions

    @Option(help: "mermaid or svg; otherwise what the name of the output file ends with, or mermaid.")
    var format: Format?

    @Option(name: .shortAndLong, help: "The file to write; standard output otherwise.")
    var output: String?

    func run() throws {
        try Terminal.run {
            let graph = ModelGraph(try store.summary(path))
            let text = usedFormat == .svg ? SVGDiagram.text(graph) : MermaidDiagram.text(graph)
            if let output {
                try WholeWrite.bytes(Data(text.utf8), to: URL(fileURLWithPath: output))
            } else {
                Terminal.print(text)
            }
        }
    }

    private var usedFormat: Format {
        format ?? (output?.lowercased().hasSuffix(".svg") == true ? .svg : .mermaid)
    }
}
