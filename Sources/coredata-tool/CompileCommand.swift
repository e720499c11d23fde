// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool compile`: a model source becomes what programs load.

import ArgumentParser
import CoreDataGeneration
import Foundation

struct CompileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compile", abstract: "Compiles a model, as Xcode's momc does.",
        discussion: """
            An output that ends with .mom gets the current version alone, every other one all versions with their hashes.
            """)

    @Argument(help: ArgumentHelp("An .xcdatamodeld or .xcdatamodel.", valueName: "model"))
    var path: String

    @Option(name: .shortAndLong, help: "The .momd or .mom to write; beside the model and named like it otherwise.")
    var output: String?

    @Option(help: "The module that class names with a leading dot are in.")
    var module: String?

    func run() throws {
        try Terminal.generate {
            let model = URL(fileURLWithPath: path)
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
