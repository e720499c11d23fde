// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool model from`: a model of the tables of a database.

import ArgumentParser
import CoreDataGeneration
import CoreDataToolKit
import Foundation

struct ModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model", abstract: "Makes a model of the tables of a database.", subcommands: [From.self])

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
