// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts minimum, maximum and pattern of a model source to the predicates of a compiled model.

import Foundation
import PredicateLanguage

/// The limits of one attribute: of the value for numbers and dates, of the length for strings.
struct SourceLimits {
    let kind: AttributeKind
    var minimum: String?
    var maximum: String?
    var pattern: String?
    /// Seconds since 2001-01-01 UTC.
    var earliest: Double?
    var latest: Double?

    /// A predicate for each limit, with the error code for its violation.
    func validations() -> [ModelDocument.Validation] {
        switch kind {
        case .integer16, .integer32, .integer64, .decimal, .double, .float:
            return [
                number(minimum).map { validation("SELF >= \($0)", 1620) },
                number(maximum).map { validation("SELF <= \($0)", 1610) },
            ].compactMap { $0 }
        case .date:
            return [
                earliest.map { validation("SELF >= \(PredicateSpelling.text(ofDate: $0))", 1640) },
                latest.map { validation("SELF <= \(PredicateSpelling.text(ofDate: $0))", 1630) },
            ].compactMap { $0 }
        case .string:
            return [
                number(minimum).map { validation("length >= \($0)", 1670) },
                number(maximum).map { validation("length <= \($0)", 1660) },
                pattern.flatMap { $0.isEmpty ? nil : $0 }
                    .map { validation("SELF MATCHES \(PredicateSpelling.text(of: $0))", 1680) },
            ].compactMap { $0 }
        case .undefined, .boolean, .binary, .uuid, .uri, .transformable, .objectID, .composite:
            return []
        }
    }

    private func validation(_ format: String, _ code: Int64) -> ModelDocument.Validation {
        ModelDocument.Validation(format: format, warning: .integer(code))
    }

    /// The number in the spelling of predicates; nil for malformed text.
    private func number(_ text: String?) -> String? {
        guard let text, !text.isEmpty else { return nil }
        switch kind {
        case .double, .float:
            return Double(text).flatMap { $0.isFinite ? PredicateSpelling.text(of: $0) : nil }
        case .decimal:
            return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map { "\($0)" }
        default:
            return (Int64(text) ?? Double(text).flatMap { Int64(exactly: $0.rounded(.towardZero)) }).map { "\($0)" }
        }
    }
}
