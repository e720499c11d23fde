// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compiles the source of a mapping model to a `.cdm`.

import CoreDataModelFiles
package import Foundation

/// Compiles mapping models like Apple's `mapc`: with the entity hashes of both models, and with generated expressions.
package struct MappingCompiler {
    /// The models to search: `.xcdatamodeld`, `.xcdatamodel`.
    let models: [URL]
    /// As in `ModelCompiler`, for migration policies.
    let classNames: @Sendable (String) -> String

    package init(models: [URL], classNames: @escaping @Sendable (String) -> String = { $0 }) {
        self.models = models
        self.classNames = classNames
    }

    /// - Parameter url: an `.xcmappingmodel`, or its `xcmapping.xml`.
    /// - Returns: a `.cdm`.
    /// - Throws: `GenerationFailure` with all faults.
    package func compile(_ url: URL) throws -> Data {
        let file = url.pathExtension == "xml" ? url : url.appendingPathComponent("xcmapping.xml")
        do {
            let source = try MappingSource(xml: try Data(contentsOf: file))
            let from = try model(source.sourceModelPath, "source", source.line, file)
            let to = try model(source.destinationModelPath, "destination", source.line, file)
            return try document(source, from: from, to: to, file: file.path).data()
        } catch let failure as GenerationFailure {
            throw failure
        } catch {
            throw GenerationFailure([Diagnostic(error, at: file)])
        }
    }

    /// - Throws: `GenerationFailure`.
    func document(
        _ source: MappingSource, from: ModelDocument, to: ModelDocument, file: String
    ) throws -> MappingDocument {
        var act = MappingBuild(source: source, file: file, from: MappedModel(from), to: MappedModel(to))
        let mappings = source.entities.map { act.mapping($0, classNames) }
        guard act.faults.isEmpty else { throw GenerationFailure(act.faults) }
        return MappingDocument(entityMappings: mappings)
    }

    // MARK: Models

    /// The models in the folder of a mapping model and in its parent folders.
    package static func models(near mapping: URL) -> [URL] {
        var found: [URL] = []
        var folder = mapping.standardizedFileURL.deletingLastPathComponent()
        while true {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            found += names.sorted().filter { $0.hasSuffix(".xcdatamodeld") || $0.hasSuffix(".xcdatamodel") }
                .map { folder.appendingPathComponent($0) }
            guard folder.path != "/", !folder.path.isEmpty else { return found }
            folder = folder.deletingLastPathComponent()
        }
    }

    /// The path comes from the computer that created the mapping, so only its last two components are used.
    private func model(_ path: String?, _ role: String, _ line: Int, _ file: URL) throws -> ModelDocument {
        func failure(_ sentence: String) -> GenerationFailure {
            GenerationFailure([Diagnostic(.error, file.path, line: line, sentence)])
        }
        guard let path else { throw failure("The mapping model names no \(role) model.") }
        let names = path.split(separator: "/").map(String.init)
        let version = names.last ?? path
        let bundleName = names.dropLast().last.flatMap { $0.hasSuffix(".xcdatamodeld") ? $0 : nil } ?? version
        let bundles = models.filter { $0.lastPathComponent == bundleName }
        guard !bundles.isEmpty else {
            let known = models.map { "'\($0.lastPathComponent)'" }
            throw failure(
                "The \(role) model '\(bundleName)' of the mapping is not at hand; "
                    + (known.isEmpty ? "there is none." : "there are \(known.joined(separator: ", "))."))
        }
        var versions: [String] = []
        for bundle in bundles {
            let found = try ModelBundle(contentsOf: bundle).versions
            if let match = found.first(where: { "\($0.name).xcdatamodel" == version })
                ?? (bundleName == version ? found.first : nil)
            {
                return try ModelSource.read(match).0
            }
            versions += found.map { "'\($0.name)'" }
        }
        throw failure(
            "The \(role) model '\(bundleName)' has no version '\(version)'; it has \(versions.joined(separator: ", "))."
        )
    }
}
