// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A lazy reference to a model, verified by its checksum.

import CoreDataModelFiles
public import Foundation

/// A version of a model that is read when needed. The stages of a migration consist of such references.
open class NSManagedObjectModelReference: NSObject, @unchecked Sendable {  // the cached model is guarded by `lock`
    private enum Place {
        case model(NSManagedObjectModel)
        case file(URL)
        case hashes([String: Data], Bundle?)
        case name(String, Bundle?)
    }

    /// The expected `NSManagedObjectModel.versionChecksum` of the model.
    public final let versionChecksum: String

    private let place: Place
    private let lock = NSLock()
    private var cached: NSManagedObjectModel?

    /// A reference to a model in memory.
    public init(model: NSManagedObjectModel, versionChecksum: String) {
        place = .model(model)
        self.versionChecksum = versionChecksum
        super.init()
    }

    /// A reference to a model file; in a bundle of versions, to the one with the checksum.
    public init(fileURL: URL, versionChecksum: String) {
        place = .file(fileURL)
        self.versionChecksum = versionChecksum
        super.init()
    }

    /// A reference to a model with the given version hashes of its entities.
    ///
    /// - Parameters:
    ///   - versionHashes: `Data` by entity name; other entries are ignored.
    ///   - bundle: nil means the main bundle, all loaded bundles, and the resource bundles next to the executable.
    ///   - versionChecksum: the checksum that the model must have.
    public init(entityVersionHashes versionHashes: [AnyHashable: Any], in bundle: Bundle?, versionChecksum: String) {
        var hashes: [String: Data] = [:]
        for (name, hash) in versionHashes {
            if let name = name.base as? String, let hash = hash as? Data { hashes[name] = hash }
        }
        place = .hashes(hashes, bundle)
        self.versionChecksum = versionChecksum
        super.init()
    }

    /// A reference to a model by the name of its file or its version, without extension.
    ///
    /// - Parameters:
    ///   - modelName: the name of the file or of the version.
    ///   - bundle: nil means the main bundle, all loaded bundles, and the resource bundles next to the executable.
    ///   - versionChecksum: the checksum that the model must have.
    public init(name modelName: String, in bundle: Bundle?, versionChecksum: String) {
        place = .name(modelName, bundle)
        self.versionChecksum = versionChecksum
        super.init()
    }

    /// The model, read at first access.
    ///
    /// - Important: traps when there is no such model. A migration throws
    ///   `NSManagedObjectModelReferenceNotFoundError` (134504) instead.
    open var resolvedModel: NSManagedObjectModel {
        do {
            return try resolve()
        } catch {
            preconditionFailure("\(error.localizedDescription) Bring the model along with the program.")
        }
    }

    /// - Throws: `NSManagedObjectModelReferenceNotFoundError` (134504), naming the location and the checksum.
    final func resolve() throws -> NSManagedObjectModel {
        try lock.withLock {
            if let cached { return cached }
            guard let model = model() else {
                throw CoreDataError.make(
                    CocoaError.Code(rawValue: NSManagedObjectModelReferenceNotFoundError),
                    "There is no model with the version checksum \(versionChecksum) \(placeDescription).")
            }
            cached = model
            return model
        }
    }

    /// Of a compiled bundle one version is read, if its `VersionInfo.plist` has the hashes of the wanted one.
    private func model() -> NSManagedObjectModel? {
        let hasChecksum = { [versionChecksum] (hashes: [String: Data]) in
            VersionDigest.checksum(hashes) == versionChecksum
        }
        switch place {
        case .model(let model): return isMeant(model) ? model : nil
        case .file(let url):
            return ModelSearch.first(where: hasChecksum, fits: isMeant) {
                NSManagedObjectModel.versions(contentsOf: url, where: $0)
            }
        case .hashes(let hashes, let bundle):
            return ModelSearch.first(in: bundle.map { [$0] }) {
                $0 == hashes
            } fits: {
                $0.entityVersionHashesByName == hashes && isMeant($0)
            }
        case .name(let name, let bundle):
            return ModelSearch.versions(named: name, in: bundle.map { [$0] }).first(where: isMeant)
        }
    }

    private func isMeant(_ model: NSManagedObjectModel) -> Bool { model.versionChecksum == versionChecksum }

    private var placeDescription: String {
        switch place {
        case .model: "in the model given"
        case .file(let url): "at \(url.path)"
        case .hashes(let hashes, let bundle):
            "with the entities \(hashes.keys.sorted().joined(separator: ", "))\(inside(bundle))"
        case .name(let name, let bundle): "with the name '\(name)'\(inside(bundle))"
        }
    }

    private func inside(_ bundle: Bundle?) -> String { bundle.map { " in \($0.bundlePath)" } ?? "" }
}
