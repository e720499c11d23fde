// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Builds the errors of migrations by objects.

import Foundation

extension CoreDataError {
    /// A value or an object that a mapping cannot convert (134110).
    ///
    /// - Parameters:
    ///   - entity: also stored under "entity".
    ///   - property: also stored under "property" and "attribute".
    ///   - reason: a sentence without its full stop.
    ///   - isOfMapping: whether the cause is the mapping model, not a value.
    static func unmappable(
        entity: String?, property: String? = nil, reason: String, underlying: (any Error)? = nil,
        isOfMapping: Bool = false
    ) -> NSError {
        var info: [String: Any] = [:]
        if isOfMapping { info[RowFailure.mappingFaultKey] = true }
        info["entity"] = entity
        info["property"] = property
        info["attribute"] = property
        let subject = [entity, property].compactMap { $0 }.joined(separator: ".")
        return make(
            .migration, "'\(subject)' cannot be migrated. \(reason).", reason: reason, underlying: underlying,
            userInfo: info)
    }

    /// A migration policy or a function that does not exist, or a call with unsuitable arguments (134170).
    static func policy(_ description: String, underlying: (any Error)? = nil) -> NSError {
        make(.entityMigrationPolicy, description, reason: description, underlying: underlying)
    }

    /// A selector that the receiver of FUNCTION does not implement (134170).
    static func unknownFunction(_ selector: String, of type: String) -> NSError {
        policy(
            "An expression of the mapping model calls '\(selector)', which \(type) does not answer. Override "
                + "`value(ofFunction:arguments:)` for it.")
    }

    /// A mapping model that does not fit the source and the destination model (134140).
    static func unfitMapping(
        _ reason: String, source: NSManagedObjectModel, destination: NSManagedObjectModel
    ) -> NSError {
        make(
            .migrationMissingMappingModel, "The mapping model does not fit the two models. \(reason)", reason: reason,
            userInfo: ["sourceModel": source, "destinationModel": destination])
    }

    /// A store that cannot be the source (134150) or the destination (134160) of a migration.
    static func unusable(_ code: CocoaError.Code, _ url: URL, _ reason: String, underlying: (any Error)? = nil)
        -> NSError
    {
        migration(code, reason, url: url, underlying: underlying)
    }

    /// The error of a migration that failed while it ran.
    ///
    /// - Parameter cause: wrapped in 134110, unless its code is already a migration error.
    static func failedMigration(_ cause: any Error, from source: URL, to destination: URL) -> NSError {
        let cause = cause as NSError
        let isComplete = cause.domain == NSCocoaErrorDomain && completeCodes.contains(cause.code)
        if isComplete { return cause }
        let (reason, beneath) = explanation(of: cause)
        return make(
            .migration, "The store \(place(source)) cannot be migrated. \(cause.localizedDescription)", reason: reason,
            url: source,
            underlying: beneath, userInfo: ["sourceURL": source, "destinationURL": destination])
    }

    private static let completeCodes: Set<Int> = [
        NSMigrationCancelledError, NSMigrationMissingSourceModelError, NSMigrationMissingMappingModelError,
        NSMigrationManagerSourceStoreError, NSMigrationManagerDestinationStoreError, NSEntityMigrationPolicyError,
        NSInferredMappingModelError,
    ]

    private static func explanation(of cause: NSError) -> (String, NSError) {
        if cause.domain == NSCocoaErrorDomain, cause.code == NSManagedObjectConstraintMergeError {
            let reason = "constraint violation during attempted migration"
            return (
                reason,
                make(
                    CocoaError.Code(rawValue: NSMigrationConstraintViolationError),
                    "Objects of the new store have values that must be unique.",
                    reason: reason, underlying: cause)
            )
        }
        let details = cause.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [cause]
        if details.allSatisfy({ $0.code == NSValidationMissingMandatoryPropertyError }) {
            return ("Validation error missing attribute values on mandatory destination attribute", cause)
        }
        return (cause.userInfo["reason"] as? String ?? cause.localizedDescription, cause)
    }
}
