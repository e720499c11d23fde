// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The errors of aggregate queries.

public import Foundation

/// The reason why an aggregate query cannot be carried out, with entity and property.
///
/// Names that the model lacks, and functions that do not fit an attribute, are the errors of fetches (134060).
public struct AggregateError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// The kinds of reasons.
    public enum Reason: String, Sendable, Hashable {
        /// A key path is no stored property.
        case unnamedKeyPath
        /// A value cannot be converted to the type that the query names.
        case unsupportedType
        /// The closure reads a column for a group that it did not read at first: it depends on values.
        case changedColumns
        /// The key of groups is a component of dates by which no groups are made.
        case unsupportedComponent
        /// The predicate cannot be translated.
        case unsupportedPredicate
        /// The limit is negative.
        case invalidLimit
    }

    /// The kind of the reason.
    public let reason: Reason
    /// The entity of the query.
    public let entityName: String
    /// The property; nil for errors about none.
    public let propertyName: String?
    private let sentence: String

    package init(_ reason: Reason, entity: String, property: String? = nil, _ sentence: String) {
        self.reason = reason
        entityName = entity
        propertyName = property
        self.sentence = sentence
    }

    /// Place and reason, in a sentence.
    public var description: String {
        "The query of '\(entityName)\(propertyName.map { ".\($0)" } ?? "")' cannot be carried out: \(sentence)"
    }

    /// The description.
    public var errorDescription: String? { description }
}
