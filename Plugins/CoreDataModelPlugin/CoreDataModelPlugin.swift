// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The build plug-in: compiles the models of a target into its resources, and generates missing classes and accessors.

import Foundation
import PackagePlugin

/// One command for each target: accessors in its sources require its models, and class names in its models
/// require its sources.
@main
struct CoreDataModelPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let own = TargetFiles(target)
        let dependencies = target.recursiveTargetDependencies.compactMap { $0 as? any SourceModuleTarget }
            .map { (module: $0.moduleName, files: TargetFiles($0)) }
            .filter { !Self.system.contains($0.module) && !$0.files.sources.isEmpty && $0.files.mentionsCoreData }
        let output = context.pluginWorkDirectoryURL
        let request = Request(
            module: target.moduleName, models: own.models.map(\.path), mappings: own.mappings.map(\.path),
            sources: own.sources.map(\.path),
            dependencies: dependencies.map {
                Request.Dependency(
                    module: $0.module, models: $0.files.models.map(\.path), sources: $0.files.sources.map(\.path))
            }, options: own.options?.path, output: output.path)
        let file = output.appending(path: "request.json")
        try request.write(to: file)
        let seen = [own] + dependencies.map(\.files)
        return [
            .buildCommand(
                displayName: "Compiling models of \(target.name)",
                executable: try context.tool(named: "coredata-modelc").url,
                arguments: [file.path],
                // Includes the folders themselves, because SwiftPM warns about unhandled files.
                inputFiles: [file] + own.models + own.mappings + seen.flatMap { $0.sources + $0.modelFiles }
                    + [own.options].compactMap(\.self),
                outputFiles: Self.outputs(own.models, own.mappings, in: output))
        ]
    }

    /// The modules of Core Data itself, which the tool knows.
    private static let system: Set<String> = ["CoreData", "CoreDataFoundation", "CoreDataModelFiles", "SQLiteDriver"]

    /// The names of the files that the tool creates (`TargetGeneration`).
    private static func outputs(_ models: [URL], _ mappings: [URL], in folder: URL) -> [URL] {
        let names =
            models.flatMap { model in
                let stem = model.deletingPathExtension().lastPathComponent
                return ["\(stem).momd"] + (0..<8).map { "\(stem)-Classes-\($0).swift" }
            } + mappings.map { "\($0.deletingPathExtension().lastPathComponent).cdm" }
        return (names + ["ManagedAccessors.swift", "ClassList.swift"]).map { folder.appending(path: $0) }
    }
}

/// The request that `coredata-modelc` reads.
private struct Request: Encodable {
    struct Dependency: Encodable {
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

    /// Rewriting an unchanged file would run the tool again.
    func write(to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        let data = try encoder.encode(self)
        if let old = try? Data(contentsOf: file), old == data { return }
        let fresh = file.deletingLastPathComponent().appending(path: ".request-\(UUID().uuidString)")
        guard FileManager.default.createFile(atPath: fresh.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: fresh.path])
        }
        defer { try? FileManager.default.removeItem(at: fresh) }
        // `Data.write(to:)` writes wrong bytes after a short write.
        let handle = try FileHandle(forWritingTo: fresh)
        try handle.write(contentsOf: data)
        try handle.close()
        guard rename(fresh.path, file.path) == 0 else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: file.path])
        }
    }
}
