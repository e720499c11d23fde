// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The interface for converting typed predicates over the types of a higher module.

public import Foundation

/// Describes the types of a module whose classes are no managed objects.
package protocol TypedPredicateForms: AnyObject {
    /// The names of a key path; empty for one that reads its root's value itself; nil for one without names.
    func name(of keyPath: AnyKeyPath) -> String?
    /// A captured value as the store compares it.
    ///
    /// - Throws: `PredicateConversionError` for a value that no store can compare.
    func constant(_ value: Any?) throws -> Any?
    /// All cases of an enumeration in order, if the stored values have another order; nil for other types.
    func orderedCases<Value: Comparable>(of type: Value.Type) -> [Value]?
    /// The entities of a class and its subclasses; nil for other types.
    func entities(of type: any Any.Type) -> [AnyObject]?
}

/// The kind of a text comparison of `#Predicate`.
///
/// Foundation on Linux lacks nodes that `#Predicate` writes on Apple's systems. These have the same names.
public enum TextComparisonKind: String, Codable, Sendable {
    /// Whether one text contains the other, as in a user's search: without case and diacritics.
    case localizedStandardContains
    /// The order of two texts in the user's language.
    case localizedCompare
    /// The order of two texts without case.
    case caseInsensitiveCompare
}

extension PredicateExpressions {
    /// `text.localizedStandardContains(part)`.
    public struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>:
        PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        /// Whether the text has the part.
        public typealias Output = Bool
        /// The text.
        public let root: Root
        /// The part.
        public let other: Other

        /// A node of a text and a part.
        public init(root: Root, other: Other) {
            self.root = root
            self.other = other
        }

        /// Ignores case and diacritics. The empty text is in no text, as for Foundation's method.
        public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
            let (text, part) = (String(try root.evaluate(bindings)), String(try other.evaluate(bindings)))
            let folding = StringFolding([.caseInsensitive, .diacriticInsensitive])
            return folding.folded(text).contains(folding.folded(part))
        }
    }

    /// `text.localizedCompare(other)`, `text.caseInsensitiveCompare(other)`.
    public struct StringComparison<Root: PredicateExpression, Other: PredicateExpression>: PredicateExpression
    where Root.Output: StringProtocol, Other.Output: StringProtocol {
        /// The order of both texts.
        public typealias Output = ComparisonResult
        /// One text.
        public let root: Root
        /// The other one.
        public let other: Other
        /// The kind of the comparison: by the locale, or without case.
        public let kind: TextComparisonKind

        /// A node of two texts.
        public init(root: Root, other: Other, kind: TextComparisonKind) {
            self.root = root
            self.other = other
            self.kind = kind
        }

        /// The order of both texts.
        public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
            let (one, two) = (String(try root.evaluate(bindings)), String(try other.evaluate(bindings)))
            return kind == .caseInsensitiveCompare ? one.caseInsensitiveCompare(two) : one.localizedCompare(two)
        }
    }

    /// `#Predicate` calls it for `localizedStandardContains`.
    public static func build_localizedStandardContains<Root, Other>(
        _ root: Root, _ other: Other
    ) -> StringLocalizedStandardContains<Root, Other> {
        StringLocalizedStandardContains(root: root, other: other)
    }

    /// `#Predicate` calls it for `localizedCompare`.
    public static func build_localizedCompare<Root, Other>(
        _ root: Root, _ other: Other
    ) -> StringComparison<Root, Other> {
        StringComparison(root: root, other: other, kind: .localizedCompare)
    }

    /// `#Predicate` calls it for `caseInsensitiveCompare`.
    public static func build_caseInsensitiveCompare<Root, Other>(
        _ root: Root, _ other: Other
    ) -> StringComparison<Root, Other> {
        StringComparison(root: root, other: other, kind: .caseInsensitiveCompare)
    }
}

extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions.StringLocalizedStandardContains: Codable where Root: Codable, Other: Codable {}

extension PredicateExpressions.StringLocalizedStandardContains: Sendable where Root: Sendable, Other: Sendable {}

extension PredicateExpressions.StringComparison: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions.StringComparison: Codable where Root: Codable, Other: Codable {}

extension PredicateExpressions.StringComparison: Sendable where Root: Sendable, Other: Sendable {}

extension PredicateExpressions.StringLocalizedStandardContains: ConvertibleNode
where Root: ConvertibleNode, Other: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        let part = try conversion.value(of: other)
        let isContained = PredicateSyntax.comparison(
            ComparisonSyntax(
                try conversion.value(of: root), .contains, part, options: [.caseInsensitive, .diacriticInsensitive]))
        if case .constant(let text) = part { return .condition(text as? String == "" ? .constant(false) : isContained) }
        // Every text CONTAINS the empty one.
        return .condition(.and([isContained, .comparison(ComparisonSyntax(part, .notEqualTo, .constant("")))]))
    }
}

/// The order of two texts, as a node that is compared with a case.
extension PredicateExpressions.StringComparison: ConvertibleNode where Root: ConvertibleNode, Other: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        throw PredicateConversionError.unsupportedOperation("A \(kind.rawValue) that is not compared with .orderedSame")
    }

    var textComparison: (any TextComparisonNode)? { self }

    /// The condition that both texts are equal.
    func equality(_ conversion: inout PredicateConversion) throws -> PredicateSyntax {
        let options: ComparisonSyntax.Options = kind == .caseInsensitiveCompare ? [.caseInsensitive] : []
        return .comparison(
            ComparisonSyntax(
                try conversion.value(of: root), .equalTo, try conversion.value(of: other), options: options))
    }
}

/// A comparison of texts of any types.
protocol TextComparisonNode {
    func equality(_ conversion: inout PredicateConversion) throws -> PredicateSyntax
}

extension PredicateExpressions.StringComparison: TextComparisonNode
where Root: ConvertibleNode, Other: ConvertibleNode {}

extension PredicateExpressions.TypeCheck: ConvertibleNode where Input: ConvertibleNode {
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        guard let entities = conversion.forms?.entities(of: Desired.self) else {
            throw PredicateConversion.unsupported(self)
        }
        return .condition(conversion.isKind(try conversion.value(of: input), of: entities))
    }
}

extension PredicateExpressions.ConditionalCast: ConvertibleNode where Input: ConvertibleNode {
    /// The object itself, if it is of the class.
    func converted(_ conversion: inout PredicateConversion) throws -> ConvertedNode {
        guard conversion.forms?.entities(of: Desired.self) != nil else { throw PredicateConversion.unsupported(self) }
        return .value(try conversion.value(of: input))
    }

    var castType: (any Any.Type)? { Desired.self }
}

extension PredicateConversion {
    fileprivate func isKind(_ value: ExpressionSyntax, of entities: [AnyObject]) -> PredicateSyntax {
        let entity = PredicateParser.path("entity", on: value)
        return .or(entities.map { .comparison(ComparisonSyntax(entity, .equalTo, .constant($0))) })
    }

    /// Whether the value of a node is not nil.
    func presence(of node: some ConvertibleNode, _ value: ExpressionSyntax) -> PredicateSyntax {
        if let type = node.castType, let entities = forms?.entities(of: type) {
            return isKind(value, of: entities)
        }
        if case .constant(let value) = value { return .constant(presentValue(value) != nil) }
        return .comparison(ComparisonSyntax(value, .notEqualTo, .constant(nil)))
    }
}
