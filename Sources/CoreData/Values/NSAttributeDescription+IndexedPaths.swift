// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the paths into an attribute's values for which a model asks for an index. StructuredValues-6.

import Foundation

/// A path in the user info of an attribute that no index can have.
struct WrongIndexedPath: Error {
    let entity: String
    let attribute: String
    let path: String
    let reason: String

    /// A sentence with entity, attribute and path.
    var sentence: String {
        "The user info '\(NSAttributeDescription.indexedPathsKey)' of '\(entity).\(attribute)' asks for an index of "
            + "the path '\(path)', but \(reason)."
    }
}

extension NSAttributeDescription {
    /// The entry of the user info with the paths of an index, separated by commas: "tags.name, size".
    package static let indexedPathsKey = "indexedPaths"

    /// The paths that an index of this attribute has, without repetitions. Empty if the model asks for none, and
    /// without the paths that no index can have.
    var indexedPaths: [InsidePath] {
        guard obstacleToIndexing == nil else { return [] }
        var seen: Set<String> = []
        return askedPaths.filter { Self.fault(in: $0) == nil && seen.insert($0).inserted }
            .map { InsidePath(name, $0.split(separator: ".").map(String.init)) }
    }

    /// - Parameter entity: the name of the entity that declares the attribute.
    /// - Throws: the first path that no index can have.
    func checkIndexedPaths(of entity: String) throws(WrongIndexedPath) {
        func wrong(_ path: String, _ reason: String) -> WrongIndexedPath {
            WrongIndexedPath(entity: entity, attribute: name, path: path, reason: reason)
        }
        guard let asked = userInfo?[Self.indexedPathsKey] else { return }
        guard asked is String else { throw wrong("\(asked)", "the entry is not a text") }
        for path in askedPaths {
            if let fault = Self.fault(in: path) ?? obstacleToIndexing { throw wrong(path, fault) }
        }
    }

    private var askedPaths: [String] {
        (userInfo?[Self.indexedPathsKey] as? String)?.split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) } ?? []
    }

    private static func fault(in path: String) -> String? {
        let names = path.split(separator: ".", omittingEmptySubsequences: false)
        if names.contains(where: \.isEmpty) { return "a name in it is empty" }
        if names.contains(where: { $0.contains("/") || $0.hasPrefix("@") }) {
            return "a name in it has a slash or begins with '@'"
        }
        return nil
    }

    /// The reason why the values of the attribute cannot be indexed: an entry would depend on more than the row.
    private var obstacleToIndexing: String? {
        if !hasMembers { return "its values have no members" }
        if isTransient || self is NSDerivedAttributeDescription { return "the attribute is not stored" }
        if allowsExternalBinaryDataStorage { return "its values may be in files beside the store" }
        if attributeType == .transformableAttributeType, let name = AttributeTransform(self).transformerName {
            return "the transformer '\(name)' belongs to the program"
        }
        return nil
    }
}
