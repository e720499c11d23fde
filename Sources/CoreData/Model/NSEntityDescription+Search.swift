// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lists the attributes of an entity that full-text search reads.

package import CoreDataFoundation

/// An attribute that full-text search reads, with its way to make tokens.
package struct SearchedAttribute: Sendable {
    package let attribute: NSAttributeDescription
    package let tokenizer: SearchTokenizer
    package var name: String { attribute.name }
    package var column: SearchColumn { SearchColumn(name: name, tokenizer: tokenizer) }
}

extension NSEntityDescription {
    /// The stored attributes of type String with `isIndexedBySpotlight`, inherited ones included, by name.
    package var searchedAttributes: [SearchedAttribute] {
        attributesByName.values.filter(\.isSearched).sorted { $0.name < $1.name }
            .map { SearchedAttribute(attribute: $0, tokenizer: $0.searchTokenizer) }
    }

    /// The columns that a query for objects of this entity may name: those of the whole inheritance tree, by name.
    /// Objects of entities without a column have no text there, so a query means the same for an entity and for its
    /// subentities. Two subentities may have attributes of one name with different tokenizers.
    package var searchColumns: [SearchColumn] {
        guard let root = lineage.last else { return [] }
        var columns = Set(root.searchedAttributes.map(\.column))
        var rest = root.subentities
        while let entity = rest.popLast() {
            columns.formUnion(entity.searchedAttributes.map(\.column))
            rest += entity.subentities
        }
        return columns.sorted { ($0.name, $0.tokenizer.rawValue) < ($1.name, $1.tokenizer.rawValue) }
    }
}

extension NSAttributeDescription {
    /// The entry of the user info that chooses how full-text search splits the attribute's texts: "trigram", or none.
    package static let searchTokenizerKey = "search"

    fileprivate var isSearched: Bool { isIndexedBySpotlight && attributeType == .stringAttributeType && !isTransient }

    fileprivate var searchTokenizer: SearchTokenizer {
        (userInfo?[Self.searchTokenizerKey] as? String).flatMap(SearchTokenizer.init) ?? .words
    }
}
