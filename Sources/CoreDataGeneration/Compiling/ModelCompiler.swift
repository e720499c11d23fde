// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Compiles a model source to the files of a `.momd`.

import CoreDataModelFiles
package import Foundation

/// Compiles models like Apple's `momc`, without the redundant `.omo`.
package struct ModelCompiler {
    /// Maps the class name in a model ("Book", ".Book") to the name in the compiled model ("Shop.Book").
    package var classNames: @Sendable (String) -> String

    /// - Parameter module: replaces a leading dot; nil keeps the dot.
    package init(module: String? = nil) {
        classNames = { name in
            if let module, name.hasPrefix(".") { return module + name }
            return name
        }
    }

    package init(classNames: @escaping @Sendable (String) -> String) { self.classNames = classNames }

    /// Compiles all versions of a model.
    ///
    /// - Parameter url: an `.xcdatamodeld`, `.xcdatamodel`, `.momd` or `.mom`.
    /// - Returns: the files of the `.momd` by name, and warnings.
    /// - Throws: `GenerationFailure` with all faults of the current version, and with unreadable versions. Faults of
    ///   old versions are warnings, because stores of such versions still exist. An old version that cannot be
    ///   written is omitted.
    package func compile(_ url: URL) throws -> (files: [String: Data], warnings: [Diagnostic]) {
        try compile(ReadModel(url))
    }

    /// Like `compile(_:)`, for a model that is already read.
    func compile(_ model: ReadModel) throws -> (files: [String: Data], warnings: [Diagnostic]) {
        var files: [String: Data] = [:]
        var info = VersionInfo()
        var diagnostics = model.faults
        if model.lacksChosenVersion, let error = model.noCurrentVersion {
            diagnostics.append(Diagnostic(error, at: model.url))
        }
        for (version, document, lines) in model.versions {
            do {
                let found = ModelInspection.diagnostics(document, file: version.url.path, lines: lines)
                // Old versions are not going to change. Warnings name only the faults that keep their
                // stores from opening.
                diagnostics += version.isCurrent ? found : found.filter { $0.severity == .error }.map(\.asWarning)
                guard !version.isCurrent || !found.contains(where: { $0.severity == .error }) else { continue }
                files["\(version.name).mom"] = try KeyedModelWriter.data(for: qualified(document))
                let hashes = document.entityHashes()
                info.entityHashes[version.name] = hashes
                info.checksums[version.name] = VersionDigest.checksum(hashes)
            } catch {
                // An old version that a compiled model cannot represent is omitted.
                let failure = Diagnostic(error, at: version.url)
                diagnostics.append(version.isCurrent ? failure : failure.asWarning)
            }
        }
        guard !diagnostics.contains(where: { $0.severity == .error }) else { throw GenerationFailure(diagnostics) }
        if model.versions.count > 1 {
            info.currentVersionName = model.versions.first { $0.version.isCurrent }?.version.name
        }
        files["VersionInfo.plist"] = info.data()
        return (files, diagnostics)
    }

    /// Compiles only the current version, as a `.mom`.
    ///
    /// - Throws: `GenerationFailure`.
    package func compileCurrent(_ url: URL) throws -> (file: Data, warnings: [Diagnostic]) {
        let (document, file, lines) = try ModelSource.current(url)
        let diagnostics = ModelInspection.diagnostics(document, file: file, lines: lines)
        guard !diagnostics.contains(where: { $0.severity == .error }) else { throw GenerationFailure(diagnostics) }
        do {
            return (try KeyedModelWriter.data(for: qualified(document)), diagnostics)
        } catch {
            throw GenerationFailure([Diagnostic(error, at: URL(fileURLWithPath: file))])
        }
    }

    /// The faults that prevent the compilation of one version, the current one unless named.
    ///
    /// - Throws: `GenerationFailure` if the version cannot be read.
    package static func errors(_ url: URL, version: String?) throws -> [Diagnostic] {
        let model = try ReadModel(url)
        let (document, file, lines): (ModelDocument, String, ModelSourceLines)
        if let version, let found = model.versions.first(where: { $0.version.name == version }) {
            (document, file, lines) = (found.document, found.version.url.path, found.lines)
        } else if version == nil {
            (document, file, lines) = try model.current()
        } else {
            return []  // loading the model reports the existing versions
        }
        return ModelInspection.diagnostics(document, file: file, lines: lines).filter { $0.severity == .error }
    }

    private func qualified(_ document: ModelDocument) -> ModelDocument {
        var document = document
        for index in document.entities.indices {
            document.entities[index].className = document.entities[index].className.map(classNames)
        }
        return document
    }
}
