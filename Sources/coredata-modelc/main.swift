// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The executable that the build plug-in runs once for each target: `coredata-modelc REQUEST.json`.

import CoreDataGeneration
import Foundation

/// The request of the plug-in. Paths are absolute.
struct Request: Decodable {
    struct Dependency: Decodable {
        var module: String
        var models: [String]
        var sources: [String]
    }

    var module: String
    var models: [String]
    var mappings: [String]
    var sources: [String]
    var dependencies: [Dependency]
    var options: String?
    var output: String
}

func urls(_ paths: [String]) -> [URL] { paths.map { URL(fileURLWithPath: $0) } }

func run(_ request: Request) throws -> [Diagnostic] {
    var input = TargetGeneration.Input(
        module: request.module, models: urls(request.models), sources: urls(request.sources),
        dependencies: request.dependencies.map {
            TargetGeneration.Input.Dependency(module: $0.module, models: urls($0.models), sources: urls($0.sources))
        })
    input.mappings = urls(request.mappings)
    if let options = request.options {
        input.options = try GenerationOptions(contentsOf: URL(fileURLWithPath: options))
    }
    let result = try TargetGeneration(input)
    let output = URL(fileURLWithPath: request.output)
    for (name, files) in result.models { try AtomicWrite.folder(files, to: output.appendingPathComponent(name)) }
    for (name, data) in result.mappings { try AtomicWrite.file(data, to: output.appendingPathComponent(name)) }
    for (name, text) in result.sources {
        try AtomicWrite.file(Data(text.utf8), to: output.appendingPathComponent(name))
    }
    return result.diagnostics
}

do {
    let path = CommandLine.arguments.dropFirst().first ?? ""
    let request = try JSONDecoder().decode(Request.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    for diagnostic in try run(request) { print(diagnostic) }
} catch let failure as GenerationFailure {
    print(failure)
    exit(1)
} catch {
    print("coredata-modelc: error: \((error as NSError).localizedDescription)")
    exit(1)
}
