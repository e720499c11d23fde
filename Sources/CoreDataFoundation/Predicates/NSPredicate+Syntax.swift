// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts predicate objects, including Foundation's, to syntax trees and back.

package import Foundation

/// A predicate object that stores its syntax.
protocol PredicateWithSyntax: NSPredicate {
    var ownSyntax: PredicateSyntax { get }
}

extension NSPredicate {
    /// The syntax of the predicate. A predicate that consists of code, such as `NSPredicate(block:)` or a custom
    /// subclass, is a block.
    package var syntax: PredicateSyntax { syntax(within: PredicateDepth.maximum, forEvaluation: false) }

    /// The syntax for `evaluate(with:)`: subclasses that may override it are blocks.
    var evaluatedSyntax: PredicateSyntax { syntax(within: PredicateDepth.maximum, forEvaluation: true) }

    /// Calls the body with the comparison of a plain comparison predicate, without building a tree; returns nil for
    /// other predicates and for subclasses.
    package func lookAtComparison<Result>(_ body: (ComparisonSyntax) -> Result) -> Result? {
        guard type(of: self) == NSComparisonPredicate.self else { return nil }
        return body(unsafeDowncast(self, to: NSComparisonPredicate.self).comparison)
    }

    /// - Parameter levels: the remaining depth of nested compound predicates.
    private func syntax(within levels: Int, forEvaluation: Bool) -> PredicateSyntax {
        // The most frequent class first: the cast to the protocol costs more than the rest.
        if type(of: self) == NSComparisonPredicate.self {
            return unsafeDowncast(self, to: NSComparisonPredicate.self).ownSyntax
        }
        if forEvaluation, mayOverrideEvaluation { return code }
        if forEvaluation, let compound = self as? CompoundPredicate { return compound.evaluated }
        if let predicate = self as? any PredicateWithSyntax { return predicate.ownSyntax }
        if let compound = self as? NSCompoundPredicate {
            guard levels > 0 else { return .tooDeep }
            let parts = compound.chain(longerThan: PredicateDepth.maximum / 2) ?? compound.subpredicates
            return PredicateSyntax(
                compound.compoundPredicateType,
                parts.map { $0.syntax(within: levels - 1, forEvaluation: forEvaluation) })
        }
        // Foundation hides the value of a value predicate, but compares two of them by value.
        if type(of: self) == NSPredicate.self {
            if isEqual(NSPredicate(value: true)) { return .constant(true) }
            if isEqual(NSPredicate(value: false)) { return .constant(false) }
        }
        return code
    }

    private var code: PredicateSyntax {
        .block(PredicateBlock(owner: self) { [self] in evaluate(with: $0, substitutionVariables: $1) })
    }

    /// Whether this is an instance of a custom class.
    private var mayOverrideEvaluation: Bool {
        let type = type(of: self)
        return type != NSComparisonPredicate.self && type != NSCompoundPredicate.self && type != NSPredicate.self
            && !(self is CompoundPredicate || self is ConstantPredicate || self is BlockPredicate)
    }

    /// The permits of all parts that come from an archive.
    var permits: [EvaluationPermit] {
        if let comparison = self as? NSComparisonPredicate { return comparison.permit.map { [$0] } ?? [] }
        return (self as? NSCompoundPredicate)?.subpredicates.flatMap(\.permits) ?? []
    }

    /// Compares any two predicates: Foundation considers all compound predicates equal.
    package func hasSameSyntax(as object: Any?) -> Bool {
        guard let other = object as? NSPredicate else { return false }
        return self === other || syntax == other.syntax
    }

    /// A copy with the same syntax: Foundation's `copy()` of a compound predicate is always false.
    package var faithfulCopy: NSPredicate {
        self is any PredicateWithSyntax ? self : syntax.predicate
    }
}

extension NSCompoundPredicate {
    /// The conditions of a long chain built step by step, `((a OR b) OR c) OR …`, as one list.
    ///
    /// - Returns: nil for shorter chains, which keep their structure.
    fileprivate func chain(longerThan limit: Int) -> [NSPredicate]? {
        guard compoundPredicateType != .not else { return nil }
        var (first, others) = (self, [ArraySlice<NSPredicate>]())
        while let next = first.subpredicates.first as? NSCompoundPredicate, !(next is CompoundPredicate),
            next.compoundPredicateType == compoundPredicateType
        {
            others.append(first.subpredicates.dropFirst())
            first = next
        }
        return others.count > limit ? first.subpredicates + others.reversed().joined() : nil
    }
}

extension PredicateSyntax {
    package init(_ type: NSCompoundPredicate.LogicalType, _ parts: [PredicateSyntax]) {
        switch type {
        case .and: self = .and(parts)
        case .or: self = .or(parts)
        case .not: self = parts.first.map { .not($0) } ?? .constant(false)
        }
    }

    /// A predicate object with this syntax: a comparison, a compound predicate, a constant, or a block.
    package var predicate: NSPredicate {
        switch self {
        case .constant(let value): return ConstantPredicate(value: value)
        case .comparison(let comparison): return NSComparisonPredicate(comparison)
        case .and(let parts): return CompoundPredicate(type: .and, subpredicates: parts.map(\.predicate))
        case .or(let parts): return CompoundPredicate(type: .or, subpredicates: parts.map(\.predicate))
        case .not(let part): return CompoundPredicate(type: .not, subpredicates: [part.predicate])
        case .block(let block): return (block.owner as? NSPredicate) ?? BlockPredicate(block)
        }
    }

    // Ignores constants, because equal numbers may differ in type.
    var hashOfKeyPaths: Int { keyPaths.hashValue }
}

/// TRUEPREDICATE or FALSEPREDICATE.
final class ConstantPredicate: NSPredicate, NSSecureCoding {
    private let value: Bool

    override init(value: Bool) {
        self.value = value
        super.init(value: value)
    }

    required convenience init?(coder: NSCoder) { self.init(value: coder.decodeBool(forKey: "NSValue")) }
    func encode(with coder: NSCoder) { coder.encode(value, forKey: "NSValue") }
    static var supportsSecureCoding: Bool { true }

    override init(block: @escaping (Any?, [String: Any]?) -> Bool) {
        preconditionFailure("A constant predicate has no code; use NSPredicate(block:).")
    }

    override func copy(with zone: NSZone? = nil) -> Any { self }
    override func isEqual(_ object: Any?) -> Bool { hasSameSyntax(as: object) }
    override var hash: Int { value.hashValue }
    override var description: String { ownSyntax.description }
    override var predicateFormat: String { ownSyntax.description }
}

/// A predicate object for a block.
final class BlockPredicate: NSPredicate {
    private let block: PredicateBlock

    init(_ block: PredicateBlock) {
        self.block = block
        super.init(block: block.evaluate)
    }

    override init(block: @escaping (Any?, [String: Any]?) -> Bool) {
        self.block = PredicateBlock(block)
        super.init(block: block)
    }

    override init(value: Bool) {
        self.block = PredicateBlock { _, _ in value }
        super.init(block: { _, _ in value })
    }

    override func copy(with zone: NSZone? = nil) -> Any { self }
    override func isEqual(_ object: Any?) -> Bool { hasSameSyntax(as: object) }
    override var hash: Int { ObjectIdentifier(block).hashValue }
    override var description: String { ownSyntax.description }
    override var predicateFormat: String { ownSyntax.description }
}

extension ConstantPredicate: PredicateWithSyntax {
    var ownSyntax: PredicateSyntax { .constant(value) }
}

extension BlockPredicate: PredicateWithSyntax {
    var ownSyntax: PredicateSyntax { .block(block) }
}
