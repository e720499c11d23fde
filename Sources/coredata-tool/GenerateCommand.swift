// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool generate`: the classes of a model.

import ArgumentParser
import CoreDataGeneration
import Foundation

extension GenerationOptions.Style: ExpressibleByArgument {}
extension GenerationOptions.Access: ExpressibleByArgument {}

struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Writes the classes of a model's entities.",
        discussion: """
            What is written of each entity is what its Codegen setting in Xcode says: a whole class, properties in an extension, or
            nothing. With --all whole classes are written for entities that are set to Manual/None, too.
            """)

    @Argument(help: ArgumentHelp("An .xcdatamodeld or .xcdatamodel.", valueName: "model"))
    var path: String

    @Option(name: .shortAndLong, help: "The folder to write to; what else is there stays.")
    var output = "."

    @Option(
        help:
            "xcode: as Xcode writes them. modern: never nil where the model says so, Set<Tag>, [Page], Keys and Values."
    )
    var style = GenerationOptions.Style.xcode

    @Option(help: "public or internal.")
    var access = GenerationOptions.Access.public

    @Option(help: "The module that the classes will be in.")
    var module: String?

    @Flag(help: "Whole classes for entities that are set to Manual/None, too.")
    var all = false

    func run() throws {
        try Terminal.generate {
            let url = URL(fileURLWithPath: path)
            let (document, file, lines) = try ModelSource.current(url)
            var options = GenerationOptions()
            (options.style, options.access) = (style, access)
            let model = GenerationModel(name: url.lastPathComponent, document: document, file: file, lines: lines)
            let generation = ClassGeneration(model, options: options, module: module, everything: all)
            let diagnostics = ModelInspection.diagnostics(document, file: file, lines: lines) + generation.diagnostics
            guard !diagnostics.contains(where: { $0.severity == .error }) else { throw GenerationFailure(diagnostics) }
            let folder = URL(fileURLWithPath: output)
            for (entity, source) in generation.sources {
                let text = ClassGeneration.header(model.name, isPublic: access == .public) + source
                try WholeWrite.file(Data(text.utf8), to: folder.appendingPathComponent("\(entity)+CoreData.swift"))
            }
            return diagnostics
        }
    }
}
