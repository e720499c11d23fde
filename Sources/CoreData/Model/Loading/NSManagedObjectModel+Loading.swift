// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads a model from a file and converts it to descriptions.

package import CoreDataModelFiles
public import Foundation

extension NSManagedObjectModel {
    /// Reads a model from a file of Xcode or of `coredata-modelc`.
    ///
    /// ```swift
    /// guard let model = NSManagedObjectModel(contentsOf: url) else {
    ///     throw CocoaError(.fileReadCorruptFile, userInfo: [NSFilePathErrorKey: url.path])
    /// }
    /// model.entitiesByName["Poem"]?.managedObjectClassName = NSStringFromClass(Poem.self)
    /// let container = NSPersistentContainer(name: "Poems", managedObjectModel: model)
    /// ```
    ///
    /// - Parameter url: a `.momd`, `.mom`, `.xcdatamodeld` or `.xcdatamodel`; of several versions the current one is
    ///   read.
    /// - Returns: nil when there is no model at the location or it cannot be read.
    /// - Important: may be called on any thread. Faults in a readable model (for example a relationship without
    ///   destination) make `NSPersistentStoreCoordinator.addPersistentStore(type:configuration:at:options:)` throw
    ///   134060, with one sentence for each.
    /// - Complexity: reads the whole file; keep the model for all containers of the program.
    /// - SeeAlso: `NSPersistentContainer`, `NSManagedObjectModel.entitiesByName`,
    ///   `NSPersistentStoreCoordinator.cachedModelForPersistentStore(at:options:)`.
    public convenience init?(contentsOf url: URL) {
        guard let document = try? ModelBundle.load(contentsOf: url) else { return nil }
        self.init(document: document)
    }

    /// Creates the descriptions of a document. Never fails; `check()` reports faults.
    package convenience init(document: ModelDocument) {
        self.init()
        ModelLoading.fill(self, from: document)
    }

    /// Reads and checks a model.
    ///
    /// - Parameter version: a version's name without extension; nil for the current one.
    /// - Throws: `CocoaError` 260 if the model does not exist, 259 if it cannot be parsed, 134060 with all its faults.
    package static func load(contentsOf url: URL, version: String? = nil) throws -> NSManagedObjectModel {
        let model = try unchecked(contentsOf: url, version: version)
        try model.check()
        return model
    }

    /// - Throws: as `load(contentsOf:version:)`, except for the faults of a readable model.
    static func unchecked(contentsOf url: URL, version: String?) throws -> NSManagedObjectModel {
        do {
            return NSManagedObjectModel(document: try ModelBundle.load(contentsOf: url, version: version))
        } catch let error as ModelFileError {
            throw CoreDataError.unreadableModel(error, at: url)
        }
    }

    /// The readable versions of a model, the current one first. Each is read when the iteration reaches it.
    ///
    /// - Parameter mayFit: called with the hashes of a version in the `VersionInfo.plist` of its bundle, or with none
    ///   if it has none. A version that cannot fit is not read.
    static func versions(
        contentsOf url: URL, where mayFit: @escaping ([String: Data]) -> Bool = { _ in true }
    ) -> some Sequence<NSManagedObjectModel> {
        let bundle = try? ModelBundle(contentsOf: url)
        let versions = bundle?.versions ?? []
        let ordered = versions.filter(\.isCurrent) + versions.filter { !$0.isCurrent }
        return ordered.lazy.filter { mayFit($0.entityHashes) }
            .compactMap { try? bundle?.document(version: $0.name) }
            .map { NSManagedObjectModel(document: $0) }
    }

    /// The checksums of the versions in a bundle, for staged migration.
    ///
    /// - Parameter url: a `.momd` or `.xcdatamodeld`.
    /// - Returns: checksums by version name.
    /// - Throws: as `load(contentsOf:version:)`; a version without a checksum in the bundle is read to compute it.
    public static func checksumsForVersionedModel(at url: URL) throws -> [String: String] {
        do {
            let bundle = try ModelBundle(contentsOf: url)
            var checksums: [String: String] = [:]
            for version in bundle.versions {
                if let known = version.checksum {
                    checksums[version.name] = known
                } else {
                    let document = try bundle.document(version: version.name)
                    checksums[version.name] = NSManagedObjectModel(document: document).versionChecksum
                }
            }
            return checksums
        } catch let error as ModelFileError {
            throw CoreDataError.unreadableModel(error, at: url)
        }
    }
}

extension CoreDataError {
    /// The error for a model file that is missing (260), not accessible (257), or malformed (259).
    fileprivate static func unreadableModel(_ error: ModelFileError, at url: URL) -> NSError {
        let code: CocoaError.Code =
            switch error.kind {
            case .notFound, .noVersion: .fileReadNoSuchFile
            case .unreadable: .fileReadNoPermission
            default: .fileReadCorruptFile
            }
        let place = error.url ?? url
        let mistakes = error.all.map(\.explanation).joined(separator: " ")
        return make(code, "The model at \(place.path) cannot be read. \(mistakes)", url: place)
    }
}
