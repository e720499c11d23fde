// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Names the fetch indexes that stand for the index marks of models from before 2017.

enum LegacyIndexes {
    /// An index named after each attribute, then `compoundIndex`, `compoundIndex1` and so on, as Apple's compiler does.
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
