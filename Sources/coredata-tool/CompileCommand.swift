// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool compile`: a model source becomes what programs load.

import ArgumentParser
import CoreDataGeneration
import Foundation

struct CompileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compile", abstract: "Compiles a model or a mapping model, as Xcode's momc and mapc do.",
        discussion: """
            An output that ends with .mom gets the current version alone, every other one all versions with their hashes.
            A mapping model becomes a .cdm; the models that it names are looked for in its folder, in the folders above, and
            among those given with --model.
            """)

    @Argument(help: ArgumentHelp("An .xcdatamodeld, .xcdatamodel or .xcmappingmodel.", valueName: "model"))
    var path: String

    @Option(
        name: .shortAndLong, help: "The .momd, .mom or .cdm to write; beside the model and named like it otherwise.")
    var output: String?

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
                try WholeWrite.file(try compiler.compile(model), to: target)
                return []
            }
            let target =
                output.map { URL(fileURLWithPath: $0) } ?? model.deletingPathExtension().appendingPathExtension("momd")
            let compiler = ModelCompiler(module: module)
            if target.pathExtension == "mom" {
                let (file, warnings) = try compiler.compileCurrent(model)
                try WholeWrite.file(file, to: target)
                return warnings
            }
            let (files, warnings) = try compiler.compile(model)
            try WholeWrite.folder(files, to: target)
            return warnings
        }
    }
}

struct DecompileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decompile", abstract: "Writes the source of a compiled model.",
        discussion: "What a source cannot say is told on standard error.")

    @Argument(help: ArgumentHelp("A .mom or .momd.", valueName: "model"))
    var path: String

    @Option(
        name: .shortAndLong,
        help: "The .xcdatamodel or .xcdatamodeld to write; beside the model and named like it otherwise.")
    var output: String?

    func run() throws {
        try Terminal.generate {
            let model = URL(fileURLWithPath: path)
            let (files, isVersioned, losses) = try ModelDecompiler.sources(model)
            let beside = model.deletingPathExtension().appendingPathExtension(
                isVersioned ? "xcdatamodeld" : "xcdatamodel")
            try WholeWrite.folder(files, to: output.map { URL(fileURLWithPath: $0) } ?? beside)
            return losses.map { Diagnostic(.warning, model.path, $0) }
        }
    }
}

extension Terminal {
    /// Runs a command that makes files; what is to be said of the model goes to standard error as compilers say it.
    static func generate(_ body: () throws -> [Diagnostic]) throws {
        do {
            for diagnostic in try body() { printError("\(diagnostic)\n") }
        } catch let failure as GenerationFailure {
            printError("\(failure)\n")
            throw ExitCode.failure
        } catch {
            printError("coredata-tool: \((error as NSError).localizedDescription)\n")
            throw ExitCode.failure
        }
    }

    private static func printError(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
