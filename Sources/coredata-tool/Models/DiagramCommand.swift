// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool diagram`: draws a model.

import ArgumentParser
import CoreDataToolKit

struct DiagramCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagram", abstract: "Draws the entities of a store or a model and their relationships.",
        discussion: """
            Example:
              coredata-tool diagram Shop.xcdatamodeld -o Shop.svg
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case mermaid
        case svg
    }

    @Argument(help: ArgumentHelp("A store, or a model.", valueName: "store|model"))
    var path: String

    @OptionGroup var store: StoreOptions

    @Option(help: "mermaid or svg; otherwise the ending of the output file (.svg, .mmd), or mermaid.")
    var format: Format?

    @OptionGroup var output: OutputOptions

    func run() throws {
        try Terminal.run {
            let named =
                try format ?? output.format(["svg": .svg, "mmd": .mermaid, "mermaid": .mermaid, "md": .mermaid])
            let graph = ModelGraph(try store.summary(path))
            let text = named == .svg ? SVGDiagram.text(graph) : MermaidDiagram.text(graph)
            try output.write { try $0(text) }
        }
    }
}
