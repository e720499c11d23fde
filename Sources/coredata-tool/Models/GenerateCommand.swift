// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool generate`: generates the classes of a model.

import ArgumentParser
import CoreDataGeneration
import CoreDataModelFiles
import CoreDataToolKit
import Foundation

extension GenerationOptions.Style: ExpressibleByArgument {}
extension GenerationOptions.Access: ExpressibleByArgument {}

struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Writes the classes of a model's entities.",
        discussion: """
            What is written of each entity is what its Codegen setting in Xcode says: a whole class, properties in an extension, or \
            nothing. With --all whole classes are written for entities that are set to Manual/None, too.

            Example:
              coredata-tool generate Shop.xcdatamodeld -o Classes
            Of an inferred model each entity gets a class of its name.
            """)

    @Argument(
        help: ArgumentHelp(
            "An .xcdatamodeld or .xcdatamodel, a compiled model or a store.", valueName: "model|store"))
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

    @OptionGroup var inference: InferenceOptions

    @Flag(help: "Write over files that are there and differ.")
    var force = false

    func run() throws {
        try Terminal.generate {
            let url = URL(fileURLWithPath: path)
            let (document, file, lines, isKept) = try source(url)
            var options = GenerationOptions()
            (options.style, options.access) = (style, access)
            let model = GenerationModel(name: url.lastPathComponent, document: document, file: file, lines: lines)
            let generation = ClassGeneration(model, options: options, module: module, everything: all || isKept)
            let diagnostics = ModelInspection.diagnostics(document, file: file, lines: lines) + generation.diagnostics
            guard !diagnostics.contains(where: { $0.severity == .error }) else { throw GenerationFailure(diagnostics) }
            let folder = URL(fileURLWithPath: output)
            let header = ClassGeneration.header(model.name, isPublic: access == .public)
            let files = generation.sources.map { entity, source in
                (folder.appendingPathComponent("\(entity)+CoreData.swift"), Data((header + source).utf8))
            }
            // All files are checked before the first one is written.
            for (file, data) in files where (try? Data(contentsOf: file)) != data {
                try Overwriting.check(file.relativePath, force: force)
            }
            for (file, data) in files { try AtomicWrite.file(data, to: file) }
            guard files.isEmpty else { return diagnostics }
            let sentence =
                "There is no class to write: the model names none, or leaves them to you (--all writes those, too)."
            return diagnostics + [Diagnostic(.warning, file, sentence)]
        }
    }

    /// - Returns: also whether the model is that of a store. A cached model has no Codegen setting, and class names
    ///   with modules; an inferred one has no class names.
    private func source(_ url: URL) throws -> (ModelDocument, String, ModelSourceLines, isKept: Bool) {
        guard try FileKind(of: url) != .model else {
            let (document, file, lines) = try ModelSource.current(url)
            return (document, file, lines, false)
        }
        let store = try OpenedStore(url, inference: inference.chosen)
        var document = try store.authoredModel()
        for index in document.entities.indices {
            let entity = document.entities[index]
            document.entities[index].className =
                store.origin.isInferred
                ? entity.name : entity.className.map { String($0.split(separator: ".").last ?? "") }
        }
        return (document, url.path, ModelSourceLines(), true)
    }
}
