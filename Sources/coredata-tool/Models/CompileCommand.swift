// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool compile`: compiles a model source.

import ArgumentParser
import CoreDataGeneration
import CoreDataToolKit
import Foundation

struct CompileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compile", abstract: "Compiles a model or a mapping model, as Xcode's momc and mapc do.",
        discussion: """
            An output that ends with .mom gets the current version alone, every other one all versions with their hashes. \
            A mapping model becomes a .cdm; the models that it names are looked for in its folder, in the folders above, and \
            among those given with --model.

            Example:
              coredata-tool compile Shop.xcdatamodeld -o Shop.momd
            """)

    @Argument(help: ArgumentHelp("An .xcdatamodeld, .xcdatamodel or .xcmappingmodel.", valueName: "model"))
    var path: String

    @Option(
        name: .shortAndLong, help: "The .momd, .mom or .cdm to write; beside the model and named like it otherwise.")
    var output: String?

    @Flag(help: "Write over a file or folder that is there.")
    var force = false

    @Option(help: "The module that class names with a leading dot are in.")
    var module: String?

    @Option(
        name: .customLong("model"),
        help: ArgumentHelp("A model that a mapping model is for; may be given again.", valueName: "model"))
    var models: [String] = []

    func run() throws {
        try Terminal.generate {
            let model = URL(fileURLWithPath: path)
            if model.pathExtension == "xcmappingmodel" {
                let compiler = MappingCompiler(
                    models: models.map { URL(fileURLWithPath: $0) } + MappingCompiler.models(near: model),
                    classNames: ModelCompiler(module: module).classNames)
                let target =
                    output.map { URL(fileURLWithPath: $0) }
                    ?? model.deletingPathExtension().appendingPathExtension("cdm")
                try Overwriting.check(target.relativePath, force: force)
                try AtomicWrite.file(try compiler.compile(model), to: target)
                return []
            }
            let target =
                output.map { URL(fileURLWithPath: $0) } ?? model.deletingPathExtension().appendingPathExtension("momd")
            try Overwriting.check(target.relativePath, force: force)
            let compiler = ModelCompiler(module: module)
            if target.pathExtension == "mom" {
                let (file, warnings) = try compiler.compileCurrent(model)
                try AtomicWrite.file(file, to: target)
                return warnings
            }
            let (files, warnings) = try compiler.compile(model)
            try AtomicWrite.folder(files, to: target)
            return warnings
        }
    }
}

struct DecompileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decompile",
        abstract: "Writes the source of a compiled model, or of the model that a store keeps.",
        discussion: """
            Standard error names the parts that a source cannot express.

            Example:
              coredata-tool decompile Shop.sqlite -o Shop.xcdatamodel
            """)

    @Argument(help: ArgumentHelp("A .mom, a .momd or a store.", valueName: "model|store"))
    var path: String

    @Option(
        name: .shortAndLong,
        help: "The .xcdatamodel or .xcdatamodeld to write; beside the model and named like it otherwise.")
    var output: String?

    @OptionGroup var inference: InferenceOptions

    @Flag(help: "Write over a file or folder that is there.")
    var force = false

    func run() throws {
        try Terminal.generate {
            let model = URL(fileURLWithPath: path)
            let (files, isVersioned, losses) = try sources(model)
            let beside = model.deletingPathExtension().appendingPathExtension(
                isVersioned ? "xcdatamodeld" : "xcdatamodel")
            let target = output.map { URL(fileURLWithPath: $0) } ?? beside
            try Overwriting.check(target.relativePath, force: force)
            try AtomicWrite.folder(files, to: target)
            return losses.map { Diagnostic(.warning, model.path, $0) }
        }
    }

    private func sources(_ url: URL) throws -> (files: [String: Data], isVersioned: Bool, losses: [String]) {
        guard try FileKind(of: url) != .model else { return try ModelDecompiler.sources(url) }
        let (contents, losses) = ModelDecompiler.source(
            try OpenedStore(url, inference: inference.chosen).authoredModel())
        return (["contents": contents], false, losses)
    }
}
