// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the models that come with a program.

public import Foundation

extension NSManagedObjectModel {
    /// The merger of all models in the bundles.
    ///
    /// - Parameter bundles: nil means the main bundle, all loaded ones, and the resource bundles that lie beside the program.
    /// - Returns: nil when there is no model, one cannot be read, or two have different entities of one name.
    public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        guard let models = ModelSearch.models(in: bundles), !models.isEmpty else { return nil }
        return NSManagedObjectModel(byMerging: models)
    }

    /// The model, or the merger of several, in the bundles that a store was written with; all versions are looked at.
    ///
    /// - Parameters:
    ///   - bundles: nil means the main bundle, all loaded ones, and the resource bundles that lie beside the program.
    ///   - metadata: of the store.
    /// - Returns: nil when the models do not give the version of every entity in the store, and no others.
    public class func mergedModel(
        from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
    ) -> NSManagedObjectModel? {
        NSManagedObjectModel(byMerging: ModelSearch.versions(in: bundles), forStoreMetadata: metadata)
    }
}

/// Looks for models in bundles.
enum ModelSearch {
    /// The current version of the model with a file of this name, in the program's bundles; nil when there is none or it
    /// cannot be read.
    static func model(named name: String) -> NSManagedObjectModel? {
        locations(in: nil).first { $0.deletingPathExtension().lastPathComponent == name }
            .flatMap { NSManagedObjectModel(contentsOf: $0) }
    }

    /// The folders of the program's bundles, in the order in which they are searched.
    static var places: [URL] {
        var seen: Set<String> = []
        return folders(of: nil).filter { seen.insert($0.standardizedFileURL.path).inserted }
    }

    /// The current version of every model; nil when one cannot be read.
    static func models(in bundles: [Bundle]?) -> [NSManagedObjectModel]? {
        let models = locations(in: bundles).map { NSManagedObjectModel(contentsOf: $0) }
        return models.contains { $0 == nil } ? nil : models.compactMap { $0 }
    }

    /// Every readable version of every model.
    static func versions(in bundles: [Bundle]?) -> [NSManagedObjectModel] {
        locations(in: bundles).flatMap { NSManagedObjectModel.versions(contentsOf: $0) }
    }

    /// All versions of the models of a name, then the versions that have this name themselves.
    static func versions(named name: String, in bundles: [Bundle]?) -> [NSManagedObjectModel] {
        let places = locations(in: bundles)
        let named = places.filter { $0.deletingPathExtension().lastPathComponent == name }
        return named.flatMap { NSManagedObjectModel.versions(contentsOf: $0) }
            + places.compactMap { try? NSManagedObjectModel.unchecked(contentsOf: $0, version: name) }
    }

    /// Models by location: of several forms of one model in a bundle, the compiled one.
    static func locations(in bundles: [Bundle]?) -> [URL] {
        var seen: Set<URL> = []
        return folders(of: bundles).filter { seen.insert($0.standardizedFileURL).inserted }.flatMap(models(inFolder:))
    }

    /// In the order of preference.
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

    /// SwiftPM puts the resources of a target into a folder of its own beside the executable, which is not a loaded
    /// bundle before the target's own code has asked for it.
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
