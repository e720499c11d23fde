// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The versions of a model file as plain values.

import CoreDataModelFiles
public import Foundation

/// A model file with all its versions.
public struct BrowsedModel: Sendable {
    /// One version of the model.
    public struct Version: Sendable {
        /// The name of the version, without the ending of its file.
        public let name: String
        /// Whether this is the current version of the bundle, which apps use.
        public let isCurrent: Bool
        /// By name.
        public let entities: [EntityOutline]
    }

    /// The location of the file or bundle.
    public let url: URL
    /// Sorted by name, with numbers in numeric order. A single model file has one version.
    public let versions: [Version]

    /// Whether the file at a path is a model rather than a store.
    ///
    /// - Throws: `BrowsingError` for a file that is missing, or that is neither of them.
    public static func isModel(path: String) throws(BrowsingError) -> Bool {
        do {
            return try FileKind(of: URL(fileURLWithPath: path)) == .model
        } catch {
            throw BrowsingError(error)
        }
    }

    /// Reads a model file: `.xcdatamodeld`, `.xcdatamodel`, `.momd` or `.mom`.
    ///
    /// - Throws: `BrowsingError` for a file that is missing or damaged.
    public init(path: String) throws(BrowsingError) {
        url = URL(fileURLWithPath: path)
        do {
            let bundle = try ModelBundle(contentsOf: url)
            let names = bundle.versions.map(\.name)
                .sorted { $0.compare($1, options: .numeric) == .orderedAscending }
            let current = bundle.currentVersion?.name
            let place = url
            versions = try names.map { name in
                let summary = try ModelSummary(model: place, version: names.count > 1 ? name : nil)
                return Version(
                    name: name, isCurrent: name == current || names.count == 1,
                    entities: summary.entities.map(EntityOutline.init))
            }
        } catch {
            throw BrowsingError(error)
        }
    }
}
