// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the models in the bundles of a program.

import CoreDataModelFiles
public import Foundation

extension NSManagedObjectModel {
    /// The merger of all models in the bundles.
    ///
    /// - Parameter bundles: nil means the main bundle, all loaded bundles, and the resource bundles next to the
    ///   executable.
    /// - Returns: nil when there is no model, one cannot be read, or two have different entities with the same name.
    public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        guard let models = ModelSearch.models(in: bundles), !models.isEmpty else { return nil }
        return NSManagedObjectModel(byMerging: models)
    }

    /// The model, or the merger of several, that matches the metadata of a store. Searches all versions in the bundles.
    ///
    /// - Parameters:
    ///   - bundles: nil means the main bundle, all loaded bundles, and the resource bundles next to the executable.
    ///   - metadata: the metadata of the store.
    /// - Returns: nil unless the models contain exactly the entities of the store, in the same versions.
    /// - Complexity: of a compiled bundle it reads `VersionInfo.plist`, and the versions whose hashes are the store's.
    ///   It reads each version of other bundles.
    public class func mergedModel(
        from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
    ) -> NSManagedObjectModel? {
        guard let hashes = versionHashes(inStoreMetadata: metadata) else { return nil }
        return ModelSearch.model(in: bundles, of: hashes)
    }
}

/// Searches bundles for models.
enum ModelSearch {
    /// The current version of the model with this file name in the program's bundles; nil if it does not exist or
    /// cannot be read.
    static func model(named name: String) -> NSManagedObjectModel? {
        locations(in: nil).first { $0.deletingPathExtension().lastPathComponent == name }
            .flatMap { NSManagedObjectModel(contentsOf: $0) }
    }

    /// The folders of the program's bundles, in search order.
    static var places: [URL] {
        var seen: Set<String> = []
        return folders(of: nil).filter { seen.insert($0.standardizedFileURL.path).inserted }
    }

    /// The current version of every model; nil when one cannot be read.
    static func models(in bundles: [Bundle]?) -> [NSManagedObjectModel]? {
        let models = locations(in: bundles).map { NSManagedObjectModel(contentsOf: $0) }
        return models.contains { $0 == nil } ? nil : models.compactMap { $0 }
    }

    /// The readable versions of every model, each read when the iteration reaches it.
    ///
    /// - Parameter mayFit: as for `NSManagedObjectModel.versions(contentsOf:where:)`.
    static func versions(
        in bundles: [Bundle]?, where mayFit: @escaping ([String: Data]) -> Bool = { _ in true }
    ) -> some Sequence<NSManagedObjectModel> {
        locations(in: bundles).lazy.flatMap { NSManagedObjectModel.versions(contentsOf: $0, where: mayFit) }
    }

    /// The versions with some checksums, by checksum; those that no bundle has are missing.
    static func versions(in bundles: [Bundle]?, checksums: Set<String>) -> [String: NSManagedObjectModel] {
        var found: [String: NSManagedObjectModel] = [:]
        _ = first(in: bundles) {
            checksums.contains(VersionDigest.checksum($0))
        } fits: { model in
            let checksum = model.versionChecksum
            if checksums.contains(checksum), found[checksum] == nil { found[checksum] = model }
            return found.count == checksums.count
        }
        return found
    }

    /// The first version that fits. Those that may fit by `VersionInfo.plist` are read first, and the others only if
    /// none of these fits: hashes of derived attributes differ between frameworks.
    static func first(
        in bundles: [Bundle]?, where mayFit: @escaping ([String: Data]) -> Bool, fits: (NSManagedObjectModel) -> Bool
    ) -> NSManagedObjectModel? {
        first(where: mayFit, fits: fits) { versions(in: bundles, where: $0) }
    }

    /// The same, for other versions.
    static func first<Versions: Sequence<NSManagedObjectModel>>(
        where mayFit: @escaping ([String: Data]) -> Bool, fits: (NSManagedObjectModel) -> Bool,
        among versions: (@escaping ([String: Data]) -> Bool) -> Versions
    ) -> NSManagedObjectModel? {
        versions { $0.isEmpty || mayFit($0) }.first(where: fits)
            ?? versions { !$0.isEmpty && !mayFit($0) }.first(where: fits)
    }

    /// The version, or the merger of several, with exactly the entities of a store; nil if no bundle has them.
    static func model(in bundles: [Bundle]?, of hashes: [String: Data]) -> NSManagedObjectModel? {
        let whole = first(in: bundles) { known in
            hashes.allSatisfy { known[$0.key] == $0.value }
        } fits: {
            ModelMerging.describes($0, hashes)
        }
        if let whole { return NSManagedObjectModel(byMerging: [whole]) }
        let parts = versions(in: bundles) { known in known.keys.allSatisfy { hashes[$0] != nil } }
        return ModelMerging.parts(of: hashes, among: Array(parts)).flatMap { NSManagedObjectModel(byMerging: $0) }
    }

    /// All versions of the models with this name, followed by the versions that have this name themselves.
    static func versions(named name: String, in bundles: [Bundle]?) -> some Sequence<NSManagedObjectModel> {
        let places = locations(in: bundles)
        let named = places.filter { $0.deletingPathExtension().lastPathComponent == name }
        let own = places.lazy.compactMap { try? NSManagedObjectModel.unchecked(contentsOf: $0, version: name) }
        return [
            AnySequence(named.lazy.flatMap { NSManagedObjectModel.versions(contentsOf: $0) }), AnySequence(own),
        ].lazy.joined()
    }

    /// The locations of models. If a bundle contains a model in several forms, only the preferred one.
    static func locations(in bundles: [Bundle]?) -> [URL] {
        var seen: Set<URL> = []
        return folders(of: bundles).filter { seen.insert($0.standardizedFileURL).inserted }.flatMap(models(inFolder:))
    }

    /// The locations of compiled mapping models, those of a folder sorted by name.
    static func mappingLocations(in bundles: [Bundle]?) -> [URL] {
        var seen: Set<URL> = []
        return folders(of: bundles).filter { seen.insert($0.standardizedFileURL).inserted }.flatMap { folder in
            let contents = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            return (contents ?? []).filter { $0.pathExtension == "cdm" }.sorted { $0.path < $1.path }
        }
    }

    /// In order of preference.
    private static let extensions = ["momd", "mom", "xcdatamodeld", "xcdatamodel"]

    private static func models(inFolder folder: URL) -> [URL] {
        let contents = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        var found: [String: URL] = [:]
        for url in (contents ?? []).sorted(by: { $0.path < $1.path }) {
            guard let rank = extensions.firstIndex(of: url.pathExtension) else { continue }
            let name = url.deletingPathExtension().lastPathComponent
            let known = found[name].flatMap { extensions.firstIndex(of: $0.pathExtension) }
            if known.map({ rank < $0 }) ?? true { found[name] = url }
        }
        return found.sorted { $0.key < $1.key }.map(\.value)
    }

    private static func folders(of bundles: [Bundle]?) -> [URL] {
        if let bundles { return bundles.compactMap(\.resourceURL) }
        let loaded = [Bundle.main] + Bundle.allBundles + Bundle.allFrameworks
        return loaded.compactMap(\.resourceURL) + resourceBundles()
    }

    /// SwiftPM puts the resources of a target into a folder next to the executable. It is not a loaded bundle until the
    /// target's own code uses it.
    private static func resourceBundles() -> [URL] {
        let places = [Bundle.main.bundleURL, Bundle.main.executableURL?.deletingLastPathComponent()].compactMap { $0 }
        var seen: Set<URL> = []
        return places.filter { seen.insert($0.standardizedFileURL).inserted }.flatMap { place in
            let contents = try? FileManager.default.contentsOfDirectory(at: place, includingPropertiesForKeys: nil)
            return (contents ?? []).filter { ["resources", "bundle"].contains($0.pathExtension) }
                .sorted { $0.path < $1.path }.compactMap { Bundle(url: $0)?.resourceURL }
        }
    }
}
