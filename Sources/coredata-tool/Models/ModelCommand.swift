// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool model`: models of the tables of a server's database, and of a store that keeps none.

import ArgumentParser
import CoreDataGeneration
import CoreDataToolKit
import Foundation

struct ModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model", abstract: "Makes a model of the tables of a database, or of a store that keeps none.",
        subcommands: [From.self, Infer.self])

    struct Infer: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "infer",
            abstract: "Writes the model inferred from the tables of a store that keeps none.",
            discussion: """
                Examples:
                  coredata-tool model infer Old.sqlite -o Old.xcdatamodel
                  coredata-tool model infer Old.sqlite -o Old.xcdatamodel \\
                      --overlay Names.json
                Names are in lower case where no index has their capital letters. Standard error names each guess, and each part \
                that is left out; a guess is also in the user info of its property. The model reads the store with --infer, \
                but its version hashes are not those of the true model. Nothing is changed in the store.
                """)

        @Argument(help: "A store.")
        var store: String

        @Option(name: .shortAndLong, help: "The .xcdatamodel to write.")
        var output: String

        @Option(help: "A JSON file that corrects names, types and relationships.")
        var overlay: String?

        @Flag(help: "Write over a folder that is there.")
        var force = false

        func run() throws {
            try Terminal.generate {
                let url = URL(fileURLWithPath: store)
                let model = try InferredModel(store: url, overlay: overlay.map { URL(fileURLWithPath: $0) })
                let (contents, losses) = ModelDecompiler.source(model.markedDocument)
                try Overwriting.check(output, force: force)
                try AtomicWrite.folder(["contents": contents], to: URL(fileURLWithPath: output))
                let notes = model.notes.map { ($0.isGuess ? "guessed: " : "left out: ") + $0.line }
                return (notes + losses).map { Diagnostic(.warning, url.path, $0) }
            }
        }
    }

    struct From: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "from",
            abstract: "Writes a model of the tables of a PostgreSQL schema, mapped onto them.",
            discussion: """
                Of a schema that holds a store it writes the store's own model. Standard error names the parts of the schema \
                that the model lacks. Nothing is changed in the database.

                Example:
                  coredata-tool model from 'postgresql://db.example.com/shop?schema=public' -o Shop.xcdatamodel
                """)

        @Argument(help: ArgumentHelp("A URL such as postgresql://host/database?schema=name.", valueName: "url"))
        var server: String

        @Option(name: .shortAndLong, help: "The .xcdatamodel to write.")
        var output: String

        @Flag(help: "Write over a folder that is there.")
        var force = false

        func run() throws {
            try Terminal.generate {
                let url = URL(place: server)
                let model = try ServerModel(url)
                let (contents, losses) = ModelDecompiler.source(model.document)
                try Overwriting.check(output, force: force)
                try AtomicWrite.folder(["contents": contents], to: URL(fileURLWithPath: output))
                return (model.notes + losses).map { Diagnostic(.warning, url.shownPlace, $0) }
            }
        }
    }
}
