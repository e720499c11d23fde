// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Turns the minimum, maximum and pattern of a model source into the predicates a compiled model holds.

import Foundation

/// The limits of one attribute: numbers and dates bound the value, for a string they bound its length.
struct SourceLimits {
    let element: XMLTree
    let kind: AttributeKind

    /// Each limit as its own predicate, with the code of the error that a value beyond it gives.
    func validations() throws -> [ModelDocument.Validation] {
        switch kind {
        case .integer16, .integer32, .integer64, .decimal, .double, .float:
            return [
                number("minValueString").map { validation("SELF >= \($0)", 1620) },
                number("maxValueString").map { validation("SELF <= \($0)", 1610) },
            ].compactMap { $0 }
        case .date:
            return [
                try date("minDateTimeInterval").map { validation("SELF >= \($0)", 1640) },
                try date("maxDateTimeInterval").map { validation("SELF <= \($0)", 1630) },
            ].compactMap { $0 }
        case .string:
            return [
                number("minValueString").map { validation("length >= \($0)", 1670) },
                number("maxValueString").map { validation("length <= \($0)", 1660) },
                pattern.map { validation("SELF MATCHES \($0)", 1680) },
            ].compactMap { $0 }
        case .undefined, .boolean, .binary, .uuid, .uri, .transformable, .objectID, .composite:
            return []
        }
    }

    private func validation(_ format: String, _ code: Int64) -> ModelDocument.Validation {
        ModelDocument.Validation(format: format, warning: .integer(code))
    }

    private func number(_ name: String) -> String? {
        guard let text = element.attribute(name), !text.isEmpty else { return nil }
        switch kind {
        case .double, .float:
            return Double(text).flatMap { $0.isFinite ? PredicateConstant.text(of: $0) : nil }
        case .decimal:
            return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map { "\($0)" }
        default:
            return (Int64(text) ?? Double(text).flatMap { Int64(exactly: $0.rounded(.towardZero)) }).map { "\($0)" }
        }
    }

    private func date(_ name: String) throws -> String? {
        try element.seconds(name).map(PredicateConstant.text(ofDate:))
    }

    private var pattern: String? {
        element.attribute("regularExpressionString").flatMap { $0.isEmpty ? nil : PredicateConstant.text(of: $0) }
    }
}
