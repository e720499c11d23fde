// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts the index flags of models from before 2017 to fetch indexes.

enum LegacyIndexes {
    /// An index with the name of each attribute, then `compoundIndex`, `compoundIndex1` and so on, as
    /// in Apple's compiler.
    static func fetchIndexes(indexedAttributes: [String], compounds: [[String]]) -> [ModelDocument.FetchIndex] {
        var indexes = indexedAttributes.map { name in
            var index = ModelDocument.FetchIndex(name: name)
            index.elements = [ModelDocument.FetchIndex.Element(property: name)]
            return index
        }
        for (position, names) in compounds.enumerated() where !names.isEmpty {
            var index = ModelDocument.FetchIndex(name: position == 0 ? "compoundIndex" : "compoundIndex\(position)")
            index.elements = names.map { ModelDocument.FetchIndex.Element(property: $0) }
            indexes.append(index)
        }
        return indexes
    }
}
