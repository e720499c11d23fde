// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Builds the errors of validation: one violated rule of a property, or several.

import Foundation

extension CoreDataError {
    /// The error of one value that violates one rule of its property.
    ///
    /// - Parameters:
    ///   - code: 1550 to 1690.
    ///   - object: the invalid object, added to the user info.
    ///   - entity: the name of the entity, for the message.
    ///   - value: the invalid value; nil omits it from the user info.
    ///   - predicate: the violated rule, if it is a predicate.
    ///   - warning: a sentence of the model's author, which replaces the default message, or a number (possibly as
    ///     text), which replaces the code.
    ///   - reason: the predicate of the sentence after the name of the property, if the code does not define it.
    package static func validation(
        _ code: CocoaError.Code, object: Any?, entity: NSEntityDescription? = nil, key: String, value: Any? = nil,
        predicate: NSPredicate? = nil, warning: Any? = nil, reason: String? = nil
    ) -> NSError {
        var info: [String: Any] = [NSValidationKeyErrorKey: key]
        if let object { info[NSValidationObjectErrorKey] = object }
        if let value { info[NSValidationValueErrorKey] = value }
        if let predicate { info[NSValidationPredicateErrorKey] = predicate }
        let number = number(warning)
        let code = number.map(CocoaError.Code.init) ?? code
        let sentence =
            (number == nil ? warning as? String : nil) ?? reason.map { "\(name(key, entity)) \($0)." }
            ?? sentence(code, name(key, entity), limits: limits(of: key, in: entity), predicate)
        return make(code, sentence, userInfo: info)
    }

    /// The error of a row that a rule of the database refused: a validation error of its object, which the context
    /// adds (`withRefusedObject`).
    ///
    /// - Parameters:
    ///   - entity: the name of the entity.
    ///   - key: the permanent or temporary key of the row.
    ///   - key: that of the row, or the temporary one.
    ///   - property: nil if the failure concerns no single property.
    ///   - reason: the predicate of a sentence.
    package static func refusedRow(
        _ code: CocoaError.Code, entity: String, root: Int, key: Int64, property: String?, reason: String,
        underlying: any Error
    ) -> NSError {
        var info: [String: Any] = [refusedRowKey: [NSNumber(value: root), NSNumber(value: key)]]
        if let property { info[NSValidationKeyErrorKey] = property }
        let object = key > 0 ? " of the object with the key \(key)" : " of a new object"
        let subject = property.map { "\(entity).\($0)" } ?? entity
        return make(code, "\(subject)\(object) \(reason).", underlying: underlying, userInfo: info)
    }

    private static let refusedRowKey = "NSRefusedRow"

    /// The error of `refusedRow`, with the object under `NSValidationObjectErrorKey`; other errors as they are.
    ///
    /// - Parameter find: returns the object with a key, given the index of its root entity.
    static func withRefusedObject(_ error: any Error, _ find: (Int, Int64) -> NSManagedObject?) -> any Error {
        let cause = error as NSError
        guard let place = cause.userInfo[refusedRowKey] as? [NSNumber], place.count == 2 else { return error }
        var info = cause.userInfo
        info[refusedRowKey] = nil
        let object = find(place[0].intValue, place[1].int64Value)
        info[NSValidationObjectErrorKey] = object
        if let object, let property = info[NSValidationKeyErrorKey] as? String {
            info[NSValidationValueErrorKey] = object.value(forKey: property)
        }
        return DescribedError(domain: cause.domain, code: cause.code, userInfo: info)
    }

    /// The error code in a warning.
    private static func number(_ warning: Any?) -> Int? {
        if let number = (warning as? NSNumber)?.intValue ?? warning as? Int { return number }
        guard let number = (warning as? String).flatMap(Int.init) else { return nil }
        return (NSManagedObjectValidationError...NSValidationInvalidURIError).contains(number) ? number : nil
    }

    private static func name(_ key: String, _ entity: NSEntityDescription?) -> String {
        entity?.name.map { "\($0).\(key)" } ?? key
    }

    /// Combines failures into one error: nil for none, the failure itself, of any type, for one, and 1560 with all
    /// of them as `NSError` under `NSDetailedErrorsKey` for more. A 1560 in the list is replaced by its parts.
    package static func multipleValidation(_ errors: [any Error]) -> (any Error)? {
        if errors.count == 1 { return errors[0] }
        let parts = errors.flatMap { error in
            let error = error as NSError
            return error.domain == NSCocoaErrorDomain && error.code == NSValidationMultipleErrorsError
                ? error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error] : [error]
        }
        guard let first = parts.first else { return nil }
        guard parts.count > 1 else { return first }
        let list = parts.map { "- \($0.localizedDescription)" }.joined(separator: "\n")
        return make(
            .validationMultipleErrors, "\(parts.count) values are not valid:\n\(list)",
            userInfo: [NSDetailedErrorsKey: parts])
    }

    private static func limits(of key: String, in entity: NSEntityDescription?) -> (least: Int, most: Int)? {
        entity?.relationshipsByName[key].map { ($0.minCount, $0.maxCount) }
    }

    private static func sentence(
        _ code: CocoaError.Code, _ name: String, limits: (least: Int, most: Int)?, _ predicate: NSPredicate?
    ) -> String {
        let rule = predicate.map { ": \($0.description)" } ?? ""
        return switch code {
        case .validationMissingMandatoryProperty: "\(name) needs a value."
        case .validationRelationshipLacksMinimumCount:
            "\(name) has fewer objects than its minimum\(limits.map { ", \($0.least)" } ?? "")."
        case .validationRelationshipExceedsMaximumCount:
            "\(name) has more objects than its maximum\(limits.map { ", \($0.most)" } ?? "")."
        case .validationRelationshipDeniedDelete: "The object cannot be deleted while \(name) is not empty."
        case .validationNumberTooLarge: "\(name) is too large\(rule)."
        case .validationNumberTooSmall: "\(name) is too small\(rule)."
        case .validationDateTooLate: "\(name) is too late\(rule)."
        case .validationDateTooSoon: "\(name) is too early\(rule)."
        case .validationInvalidDate: "\(name) is not a valid date."
        case .validationStringTooLong: "\(name) is too long\(rule)."
        case .validationStringTooShort: "\(name) is too short\(rule)."
        case .validationStringPatternMatching: "\(name) does not match its pattern\(rule)."
        case CocoaError.Code(rawValue: NSValidationInvalidURIError): "\(name) is not a valid URI."
        default: "\(name) is not valid\(rule)."
        }
    }
}
