// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The border to higher modules: objects with searched attributes, and their entities.

/// An object whose texts a search reads: a managed object, or a row of a store.
package protocol SearchedObject: AnyObject {
    var searchSchema: any SearchSchema { get }
}

/// The searched attributes of an entity. Objects with the same schema have the same attributes.
package protocol SearchSchema: AnyObject {
    /// The name of the entity.
    var searchName: String { get }
    /// The searched attributes of the entity's objects, by name.
    var objectColumns: [SearchColumn] { get }
    /// Those that a query may name: of the whole inheritance tree, by name.
    var queryColumns: [SearchColumn] { get }
    /// Whether the key is an attribute, whose text can be searched, not a relationship.
    func hasAttribute(_ key: String) -> Bool
}

extension SearchSchema {
    /// The query for the entity's objects.
    ///
    /// - Parameter attribute: the only attribute to search; nil for all.
    /// - Returns: nil for a query that matches nothing.
    /// - Throws: `SearchError`.
    package func resolved(_ query: SearchQuery, in attribute: String? = nil) throws(SearchError) -> ResolvedSearch? {
        let columns = queryColumns
        guard !columns.isEmpty else { throw .noAttributes(entity: searchName) }
        do {
            return try query.limited(to: attribute).resolved(for: columns)
        } catch {
            throw .notSearched(attribute: error.name, entity: searchName, others: columns.map(\.name))
        }
    }
}

extension SearchQuery {
    fileprivate func limited(to attribute: String?) -> SearchQuery {
        guard let attribute, let syntax else { return self }
        return SearchQuery(.columns([attribute], syntax))
    }
}

/// The reason why a query cannot be used for an object.
package enum SearchError: Error, Equatable, CustomStringConvertible {
    case noAttributes(entity: String)
    case notSearched(attribute: String, entity: String, others: [String])
    case filteredText(attribute: String)
    case notText(type: String)
    case noObject(type: String)

    package var description: String {
        switch self {
        case .noAttributes(let entity):
            "'\(entity)' has no searched attributes: set isIndexedBySpotlight of its attributes of type String (Index "
                + "in Spotlight in Xcode's model editor, @Attribute(.spotlight) in SwiftData)."
        case .notSearched(let attribute, let entity, let others):
            "'\(entity).\(attribute)' is not searched: set its isIndexedBySpotlight, if it is a stored attribute of "
                + "type String. The searched attributes of '\(entity)' are \(others.joined(separator: ", "))."
        case .filteredText(let attribute):
            "The filter '\(attribute):' names an attribute, but MATCHING searches a text without attributes here."
        case .notText(let type): "MATCHING takes a SearchQuery or the text of one, not a value of type \(type)."
        case .noObject(let type):
            "MATCHING searches an object, or the text of an attribute, not a value of type \(type). Write ANY before a "
                + "to-many relationship."
        }
    }
}
