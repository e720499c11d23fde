// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the versions of a model in any format and loads one of them.

package import Foundation

/// A model on disk: an `.xcdatamodeld`, `.xcdatamodel`, `.momd`, `.mom`, or a single file with any name.
///
/// The current version is the one named in `.xccurrentversion` or `VersionInfo.plist`; otherwise the only one;
/// otherwise the one with the bundle's name. Without such a version the caller must name one.
///
/// Xcode writes a second file for the current version of a `.momd`, the optimized model (`.omo`), which has nothing
/// that the `.mom` lacks. Its layout is not public: the `.mom` with its name is read in its place, and an `.omo`
/// without a `.mom` is an error with that explanation.
package struct ModelBundle: Sendable {
    package struct Version: Sendable, Equatable {
        /// Without extension.
        package let name: String
        /// The file of the model.
        package let url: URL
        package let isCurrent: Bool
        /// From `VersionInfo.plist`; empty for sources and single files.
        package let entityHashes: [String: Data]
        package let checksum: String?
    }

    package let url: URL
    /// Sorted by name; never empty.
    package let versions: [Version]
    /// Versions that have only an optimized model.
    private var optimizedNames: [String] = []

    /// The current version named in the bundle; nil if none is named.
    private let chosenName: String?

    package var currentVersion: Version? { versions.first(where: \.isCurrent) }

    /// Reads names and property lists, but not the models.
    ///
    /// - Throws: `ModelFileError`: `notFound`, `isDirectory` for a folder that is not a model, `noVersion` for a bundle
    ///   without models, `malformedPropertyList`.
    package init(contentsOf url: URL) throws {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else {
            throw ModelFileError(.notFound, url: url, "There is no model here.")
        }
        self.url = url
        guard isDirectory.boolValue else {
            versions = [Self.single(try OptimizedModel.plainModel(of: url))]
            chosenName = nil
            return
        }
        let names = try Self.names(in: url)
        if names.contains(where: { $0.hasSuffix(".xcdatamodel") }) || url.pathExtension == "xcdatamodeld" {
            (versions, chosenName) = try Self.sourceVersions(in: url, names)
        } else if names.contains(where: { $0.hasSuffix(".mom") }) || url.pathExtension == "momd" {
            optimizedNames = OptimizedModel.versionsWithoutPlainModel(names)
            (versions, chosenName) = try Self.compiledVersions(in: url, names)
        } else if let file = ["contents", "elements"].first(where: names.contains) {
            versions = [Self.single(url.appendingPathComponent(file))]
            chosenName = nil
        } else if url.pathExtension == "xcdatamodel" {
            throw ModelFileError(.noVersion, url: url, "The model has neither 'contents' nor 'elements'.")
        } else {
            throw ModelFileError(.isDirectory, url: url, "This is a folder without a model.")
        }
    }

    /// - Parameter version: a version's name without extension; nil for the current one.
    /// - Throws: `ModelFileError`, with the file in `url`.
    package static func load(contentsOf url: URL, version: String? = nil) throws -> ModelDocument {
        try ModelBundle(contentsOf: url).document(version: version)
    }

    /// - Throws: `ModelFileError`: `noVersion`, or an error of reading the file.
    package func document(version: String? = nil) throws -> ModelDocument {
        let known = versions.map { "'\($0.name)'" }.joined(separator: ", ")
        if let version {
            guard let found = versions.first(where: { $0.name == version }) else {
                guard !optimizedNames.contains(version) else { throw OptimizedModel.unreadable(version, in: url) }
                throw ModelFileError(.noVersion, url: url, "There is no version '\(version)'; there are \(known).")
            }
            return try Self.read(found.url)
        }
        guard let current = currentVersion else { throw noCurrentVersion }
        return try Self.read(current.url)
    }

    /// Whether the bundle names a missing version as current, without a replacement.
    package var lacksChosenVersion: Bool { currentVersion == nil && chosenName != nil }

    /// The error for a missing current version. The bundle may name a version that it does not contain.
    package var noCurrentVersion: ModelFileError {
        if let chosenName, optimizedNames.contains(chosenName) {
            return OptimizedModel.unreadable(chosenName, in: url)
        }
        let known = versions.map { "'\($0.name)'" }.joined(separator: ", ")
        let sentence =
            chosenName.map { "The current version is '\($0)', which is not among the versions \(known)." }
            ?? "Nothing says which version is current of \(known)."
        return ModelFileError(.noVersion, url: url, sentence)
    }

    /// The bytes of a version's file, as used by `document(version:)`.
    ///
    /// - Throws: `ModelFileError`: `notFound`, `isDirectory`, `unreadable`.
    package static func contents(of version: Version) throws -> Data { try bytes(of: version.url) }

    /// Reads one file according to its contents: XML, a compiled model, or an archive of the old editor.
    private static func read(_ url: URL) throws -> ModelDocument {
        let data = try bytes(of: url)
        do {
            return try ModelDocument(modelFile: data)
        } catch let error as ModelFileError {
            throw error.located(at: url)
        }
    }
}

extension ModelDocument {
    /// Reads the bytes of a model file in any format, which is recognized by its start.
    ///
    /// - Throws: `ModelFileError`; `unsupportedForm` for bytes in no known format.
    package init(modelFile data: Data) throws { self = try Self.read(modelFile: data).document }

    /// Also returns line numbers, for text files. Throws as `init(modelFile:)`.
    package static func read(modelFile data: Data) throws -> (document: ModelDocument, lines: ModelSourceLines) {
        if BinaryPropertyListReader.isBinary(data) {
            let isEditorArchive = try KeyedArchive(data).root().className.hasPrefix("XD")
            return (
                try isEditorArchive ? EditorArchiveReader.read(data) : KeyedModelReader.read(data), ModelSourceLines()
            )
        }
        guard !OptimizedModel.begins(data) else { throw OptimizedModel.unreadable }
        let blank = Set(" \t\r\n".utf8).union([0xEF, 0xBB, 0xBF])
        guard data.first(where: { !blank.contains($0) }) == UInt8(ascii: "<") else {
            throw ModelFileError(.unsupportedForm, "The file is neither XML nor a binary property list.")
        }
        return try ModelXMLReader.readWithLines(data)
    }
}

// MARK: - Finding versions

extension ModelBundle {
    private static func bytes(of url: URL) throws -> Data {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else {
            throw ModelFileError(.notFound, url: url, "There is no such file.")
        }
        guard !isDirectory.boolValue else {
            throw ModelFileError(.isDirectory, url: url, "A folder stands where the model's file belongs.")
        }
        do {
            return try Data(contentsOf: url)
        } catch {
            throw ModelFileError(.unreadable, url: url, "The file cannot be read: \(error.localizedDescription)")
        }
    }

    private static func names(in folder: URL) throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        } catch {
            throw ModelFileError(.unreadable, url: folder, "The folder cannot be read: \(error.localizedDescription)")
        }
    }

    private static func single(_ file: URL) -> Version {
        let isInside = ["contents", "elements"].contains(file.lastPathComponent)
        let named = isInside ? file.deletingLastPathComponent() : file
        return Version(
            name: withoutExtension(named.lastPathComponent), url: file, isCurrent: true, entityHashes: [:],
            checksum: nil)
    }

    private static func sourceVersions(in folder: URL, _ names: [String]) throws -> ([Version], chosen: String?) {
        var chosen: String?
        if names.contains(".xccurrentversion") {
            let fields = try propertyList(folder.appendingPathComponent(".xccurrentversion"))
            if case .string(let name)? = fields["_XCCurrentVersionName"] { chosen = withoutExtension(name) }
        }
        let models = names.filter { $0.hasSuffix(".xcdatamodel") }
        let current = try current(chosen, of: models.map(withoutExtension), in: folder)
        let versions = try models.map { model in
            let location = folder.appendingPathComponent(model)
            let parts = try self.names(in: location)
            let file = parts.contains("contents") || !parts.contains("elements") ? "contents" : "elements"
            let name = withoutExtension(model)
            return Version(
                name: name, url: location.appendingPathComponent(file), isCurrent: name == current, entityHashes: [:],
                checksum: nil)
        }
        return (versions.sorted { $0.name < $1.name }, chosen)
    }

    private static func compiledVersions(in folder: URL, _ names: [String]) throws -> ([Version], chosen: String?) {
        var info = VersionInfo()
        if names.contains("VersionInfo.plist") {
            let file = folder.appendingPathComponent("VersionInfo.plist")
            do {
                info = try VersionInfo(data: try bytes(of: file))
            } catch let error as ModelFileError {
                throw error.located(at: file)
            }
        }
        let models = names.filter { $0.hasSuffix(".mom") }
        let optimized = OptimizedModel.versionsWithoutPlainModel(names)
        if models.isEmpty, let version = optimized.first { throw OptimizedModel.unreadable(version, in: folder) }
        // Another version must not replace a current one that exists but cannot be read.
        let isReadable = info.currentVersionName.map { !optimized.contains($0) } ?? true
        let current =
            isReadable ? try current(info.currentVersionName, of: models.map(withoutExtension), in: folder) : nil
        let versions = models.map { model in
            let name = withoutExtension(model)
            return Version(
                name: name, url: folder.appendingPathComponent(model), isCurrent: name == current,
                entityHashes: info.entityHashes[name] ?? [:], checksum: info.checksums[name])
        }
        return (versions.sorted { $0.name < $1.name }, info.currentVersionName)
    }

    /// Applies the rule in the type's description. A missing chosen version counts as not chosen.
    private static func current(_ chosen: String?, of names: [String], in folder: URL) throws -> String? {
        guard let only = names.first else { throw ModelFileError(.noVersion, url: folder, "The bundle has no models.") }
        if let chosen, names.contains(chosen) { return chosen }
        if names.count == 1 { return only }
        let own = withoutExtension(folder.lastPathComponent)
        return chosen == nil && names.contains(own) ? own : nil
    }

    private static func propertyList(_ url: URL) throws -> [String: PropertyListNode] {
        do {
            return try PlainPropertyList.dictionary(from: try bytes(of: url))
        } catch let error as ModelFileError {
            throw error.located(at: url)
        }
    }

    /// Version names may contain dots ("Model 1.2"), so only known extensions are removed.
    private static func withoutExtension(_ name: String) -> String {
        for suffix in [".xcdatamodel", ".xcdatamodeld", ".mom", ".momd"] where name.hasSuffix(suffix) {
            return String(name.dropLast(suffix.count))
        }
        return name
    }
}
