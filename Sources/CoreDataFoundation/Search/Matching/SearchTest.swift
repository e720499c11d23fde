// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests objects and texts by one search query.

import Foundation

/// A query, resolved once for each entity of the tested objects. Used on one thread at a time.
package final class SearchTest {
    private let query: SearchQuery?
    /// Whether a filter of the query that names no searched attribute matches nothing (Predicates-22).
    private let takesAnyFilter: Bool
    /// The keys are schemas and attributes; the values keep the schemas.
    private var matchers: [Target: Matcher] = [:]
    /// The query for a text that is no attribute of an object; an error for a query with filters.
    private let text: Result<ResolvedSearch?, SearchError>

    private struct Target: Hashable {
        let schema: ObjectIdentifier
        let attribute: String?
    }

    private struct Matcher {
        let schema: any SearchSchema
        /// nil for a query that matches nothing.
        let search: ResolvedSearch?
        let readers: [SearchColumn: KeyPathReader]
    }

    /// - Parameter query: nil matches nothing.
    package init(_ query: SearchQuery?, takesAnyFilter: Bool = false) {
        self.query = query
        self.takesAnyFilter = takesAnyFilter
        let column = SearchColumn(name: "SELF", tokenizer: .words)
        do {
            text = .success(try query?.resolved(for: [column]))
        } catch {
            text = takesAnyFilter ? .success(nil) : .failure(.filteredText(attribute: error.name))
        }
    }

    /// - Parameter value: a query, or the text of one; nil matches nothing.
    /// - Throws: `SearchQueryError`; `SearchError` for another value.
    package convenience init(of value: Any?, takesAnyFilter: Bool = false) throws {
        self.init(try Self.query(of: value), takesAnyFilter: takesAnyFilter)
    }

    /// The query of the right side of MATCHING; nil for nil.
    package static func query(of value: Any?) throws -> SearchQuery? {
        switch presentValue(value) {
        case nil: nil
        case let query as SearchQuery: query
        case let text as String: try SearchQuery(text)
        case let text as NSString: try SearchQuery(String(text))
        case let other?: throw SearchError.notText(type: "\(type(of: other))")
        }
    }

    /// Whether an object or a text matches.
    ///
    /// - Throws: `SearchError`; the errors of reading the object.
    package func matches(_ value: Any?) throws -> Bool {
        guard let value = presentValue(value) else { return false }
        if let object = value as? any SearchedObject { return try matches(object, in: nil) }
        if let text = value as? String { return try matches(text: text) }
        throw SearchError.noObject(type: "\(type(of: value))")
    }

    /// Whether the object or the text at a key of an owner matches.
    ///
    /// - Parameter isMany: whether one of several objects is sufficient.
    func matches(_ key: KeyPathReader, of owner: Any?, isMany: Bool) throws -> Bool {
        guard let owner = presentValue(owner) else { return false }
        if let object = owner as? any SearchedObject, object.searchSchema.hasAttribute(key.keyPath) {
            return try matches(object, in: key.keyPath)
        }
        guard isMany else { return try matches(key.value(of: owner)) }
        return try key.leaves(of: owner).contains { try matches($0) }
    }

    /// Whether all objects or texts at a key of an owner match.
    func matchesAll(_ key: KeyPathReader, of owner: Any?) throws -> Bool {
        guard let owner = presentValue(owner) else { return false }
        if let object = owner as? any SearchedObject, object.searchSchema.hasAttribute(key.keyPath) {
            return try matches(object, in: key.keyPath)
        }
        return try key.leaves(of: owner).allSatisfy { try matches($0) }
    }

    private func matches(_ object: any SearchedObject, in attribute: String?) throws -> Bool {
        let matcher = try matcher(object.searchSchema, attribute)
        guard let search = matcher.search else { return false }
        return try SearchedTexts { try matcher.readers[$0]?.value(of: object) as? String }.matches(search)
    }

    private func matches(text value: String) throws -> Bool {
        guard let search = try text.get() else { return false }
        return try SearchedTexts { _ in value }.matches(search)
    }

    /// - Returns: nil for a query that matches nothing.
    private func resolved(_ query: SearchQuery, _ schema: any SearchSchema, _ attribute: String?) throws
        -> ResolvedSearch?
    {
        do {
            return try schema.resolved(query, in: attribute)
        } catch {
            if takesAnyFilter, case .notSearched(let name, _, _) = error, name != attribute { return nil }
            throw error
        }
    }

    private func matcher(_ schema: any SearchSchema, _ attribute: String?) throws -> Matcher {
        let target = Target(schema: ObjectIdentifier(schema), attribute: attribute)
        if let known = matchers[target] { return known }
        let search = try query.flatMap { try resolved($0, schema, attribute) }
        let readers = try schema.objectColumns.map { ($0, try KeyPathReader($0.name)) }
        let matcher = Matcher(
            schema: schema, search: search, readers: Dictionary(readers, uniquingKeysWith: { first, _ in first }))
        matchers[target] = matcher
        return matcher
    }
}
