// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A model in memory with the line numbers of its source.

package import CoreDataModelFiles
package import Foundation

/// All versions of a model, read once.
struct ReadModel {
    let url: URL
    let versions: [(version: ModelBundle.Version, document: ModelDocument, lines: ModelSourceLines)]
    /// The versions that could not be read.
    let faults: [Diagnostic]
    /// nil if there is a current version.
    let noCurrentVersion: ModelFileError?
    /// Whether the model names a missing version as current.
    let lacksChosenVersion: Bool

    /// - Throws: `GenerationFailure` if there are no versions.
    init(_ url: URL) throws {
        self.url = url
        do {
            var faults: [Diagnostic] = []
            let bundle = try ModelBundle(contentsOf: url)
            noCurrentVersion = bundle.currentVersion == nil ? bundle.noCurrentVersion : nil
            lacksChosenVersion = bundle.lacksChosenVersion
            versions = bundle.versions.compactMap { version in
                do {
                    let (document, lines) = try ModelSource.read(version)
                    return (version, document, lines)
                } catch {
                    faults += Diagnostic.all(of: error, at: version.url)
                    return nil
                }
            }
            self.faults = faults
        } catch {
            throw GenerationFailure(Diagnostic.all(of: error, at: url))
        }
    }

    /// The version to generate classes from.
    ///
    /// - Throws: `GenerationFailure` if there is no current version, or it could not be read.
    func current() throws -> (document: ModelDocument, file: String, lines: ModelSourceLines) {
        if let found = versions.first(where: \.version.isCurrent) {
            return (found.document, found.version.url.path, found.lines)
        }
        if let noCurrentVersion { throw GenerationFailure([Diagnostic(noCurrentVersion, at: url)]) }
        throw GenerationFailure(faults)
    }
}

/// Reads a model with the line numbers of its source.
package enum ModelSource {
    package static func read(_ version: ModelBundle.Version) throws -> (ModelDocument, ModelSourceLines) {
        do {
            return try ModelDocument.read(modelFile: try ModelBundle.contents(of: version))
        } catch var error as ModelFileError {
            error.url = error.url ?? version.url
            throw error
        }
    }

    /// The current version of a model.
    ///
    /// - Throws: `GenerationFailure`.
    package static func current(_ url: URL) throws -> (ModelDocument, file: String, ModelSourceLines) {
        let (document, file, lines) = try ReadModel(url).current()
        return (document, file, lines)
    }
}
