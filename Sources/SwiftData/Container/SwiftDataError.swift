// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The errors of this module.

import CoreData
public import Foundation

/// A kind of error. `catch SwiftDataError.loadIssueModelContainer` matches all errors of that kind, also a
/// `ModelError`.
///
///     do {
///         try context.save()
///     } catch SwiftDataError.modelValidationFailure {
///         show("A book needs a title.")
///     }
public struct SwiftDataError: Error, Equatable, Hashable, Sendable, CustomStringConvertible {
    private let name: String

    /// The store could not be opened.
    public static let loadIssueModelContainer = SwiftDataError(name: "loadIssueModelContainer")
    /// A model breaks a rule of the schema.
    public static let modelValidationFailure = SwiftDataError(name: "modelValidationFailure")
    /// A model is in no context.
    public static let missingModelContext = SwiftDataError(name: "missingModelContext")
    /// The predicate has a part that no store can evaluate.
    public static let unsupportedPredicate = SwiftDataError(name: "unsupportedPredicate")
    /// The store cannot sort like that.
    public static let unsupportedSortDescriptor = SwiftDataError(name: "unsupportedSortDescriptor")
    /// The key path names no property of the schema.
    public static let unsupportedKeyPath = SwiftDataError(name: "unsupportedKeyPath")
    /// Not thrown here: batches include pending changes.
    public static let includePendingChangesWithBatchSize = SwiftDataError(name: "includePendingChangesWithBatchSize")
    /// Not thrown here: identifiers are sorted with pending changes.
    public static let sortingPendingChangesWithIdentifiers = SwiftDataError(
        name: "sortingPendingChangesWithIdentifiers")
    /// The name of a file has characters that file systems do not allow.
    public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
        name: "configurationFileNameContainsInvalidCharacters")
    /// The name of a file is longer than file systems allow.
    public static let configurationFileNameTooLong = SwiftDataError(name: "configurationFileNameTooLong")
    /// A configuration has an entity that the container's schema lacks.
    public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
        name: "configurationSchemaNotFoundInContainerSchema")
    /// Two configurations have the same name or the same file.
    public static let duplicateConfiguration = SwiftDataError(name: "duplicateConfiguration")
    /// The store is newer than the schema.
    public static let backwardMigration = SwiftDataError(name: "backwardMigration")
    /// The store's version is in no schema, and cannot be migrated without one.
    public static let unknownSchema = SwiftDataError(name: "unknownSchema")
    /// The history from before the token was deleted.
    public static let historyTokenExpired = SwiftDataError(name: "historyTokenExpired")
    /// The predicate over transactions cannot be evaluated.
    public static let invalidTransactionFetchRequest = SwiftDataError(name: "invalidTransactionFetchRequest")

    /// Whether an error is of this kind.
    public static func ~= (lhs: SwiftDataError, rhs: any Error) -> Bool {
        (rhs as? SwiftDataError) == lhs || (rhs as? ModelError)?.kind == lhs
    }

    /// The name of the kind.
    public var description: String { name }
}

/// An error with the entity, the property, the rule and the underlying error, which `SwiftDataError` lacks.
///
///     do {
///         try context.save()
///     } catch let error as ModelError {
///         show("\(error.entityName ?? "").\(error.propertyName ?? ""): \(error.reason)")
///     }
public struct ModelError: Error, CustomStringConvertible, LocalizedError {
    /// The kind of the error, which `~=` compares.
    public let kind: SwiftDataError
    /// The entity; nil for an error about none or several.
    public let entityName: String?
    /// The property; nil for an error about none or several.
    public let propertyName: String?
    /// The model; nil for an error about none or several.
    public let identifier: PersistentIdentifier?
    /// The reason, in a sentence.
    public let reason: String
    /// The error of the engine, if there is one.
    public let underlyingError: (any Error)?

    init(
        _ kind: SwiftDataError, entity: String? = nil, property: String? = nil, identifier: PersistentIdentifier? = nil,
        _ reason: String, _ underlyingError: (any Error)? = nil
    ) {
        self.kind = kind
        entityName = entity
        propertyName = property
        self.identifier = identifier
        self.reason = reason
        self.underlyingError = underlyingError
    }

    /// Kind, place and reason.
    public var description: String {
        let place = entityName.map { "\($0)\(propertyName.map { ".\($0)" } ?? "")" }
        return "\(kind)\(place.map { " at '\($0)'" } ?? ""): \(reason)"
    }

    /// The reason.
    public var errorDescription: String? { description }
}
