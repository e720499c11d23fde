// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Goes between predicate objects, Foundation's included, and trees.

package import Foundation

/// A predicate object of ours.
protocol PredicateWithSyntax: NSPredicate {
    var ownSyntax: PredicateSyntax { get }
}

extension NSPredicate {
    /// What the predicate says. Predicates that are only code, such as `NSPredicate(block:)` and other people's
    /// subclasses, are blocks.
    package var syntax: PredicateSyntax { syntax(within: PredicateDepth.maximum, asked: false) }

    /// What `evaluate(with:)` asks: the syntax, but the code of subclasses that may have an answer of their own.
    var askedSyntax: PredicateSyntax { syntax(within: PredicateDepth.maximum, asked: true) }

    /// Gives the body what a predicate compares that is nothing but a comparison; nil for others, and for subclasses. Makes no tree.
    package func lookAtComparison<Result>(_ body: (ComparisonSyntax) -> Result) -> Result? {
        guard type(of: self) == NSComparisonPredicate.self else { return nil }
        return body(unsafeDowncast(self, to: NSComparisonPredicate.self).comparison)
    }

    /// - Parameter levels: how many compound predicates may follow within one another.
    private func syntax(within levels: Int, asked: Bool) -> PredicateSyntax {
        // The class of most predicates first: to ask for the protocol takes longer than all the rest.
        if type(of: self) == NSComparisonPredicate.self {
            return unsafeDowncast(self, to: NSComparisonPredicate.self).ownSyntax
        }
        if asked, mayAnswerOtherwise { return code }
        if asked, let compound = self as? CompoundPredicate { return compound.asked }
        if let predicate = self as? any PredicateWithSyntax { return predicate.ownSyntax }
        if let compound = self as? NSCompoundPredicate {
            guard levels > 0 else { return .tooDeep }
            let parts = compound.chain(longerThan: PredicateDepth.maximum / 2) ?? compound.subpredicates
            return PredicateSyntax(
                compound.compoundPredicateType, parts.map { $0.syntax(within: levels - 1, asked: asked) })
        }
        // Foundation keeps the value of a value predicate to itself, but finds two of them equal by it.
        if type(of: self) == NSPredicate.self {
            if isEqual(NSPredicate(value: true)) { return .constant(true) }
            if isEqual(NSPredicate(value: false)) { return .constant(false) }
        }
        return code
    }

    private var code: PredicateSyntax {
        .block(PredicateBlock(owner: self) { [self] in evaluate(with: $0, substitutionVariables: $1) })
    }

    /// Whether this is of a class of the user's.
    private var mayAnswerOtherwise: Bool {
        let type = type(of: self)
        return type != NSComparisonPredicate.self && type != NSCompoundPredicate.self && type != NSPredicate.self
            && !(self is CompoundPredicate || self is ConstantPredicate || self is BlockPredicate)
    }

    /// Of the parts that were read from an archive.
    var permits: [EvaluationPermit] {
        if let comparison = self as? NSComparisonPredicate { return comparison.permit.map { [$0] } ?? [] }
        return (self as? NSCompoundPredicate)?.subpredicates.flatMap(\.permits) ?? []
    }

    /// Equality for any two predicates: Foundation's own finds all compound predicates equal.
    package func hasSameSyntax(as object: Any?) -> Bool {
        guard let other = object as? NSPredicate else { return false }
        return self === other || syntax == other.syntax
    }

    /// A copy that says the same: Foundation's own `copy()` of a compound predicate is always false.
    package var faithfulCopy: NSPredicate {
        self is any PredicateWithSyntax ? self : syntax.predicate
    }
}

extension NSCompoundPredicate {
    /// The conditions of a long chain that was put together one by one, `((a OR b) OR c) OR …`, as one list.
    ///
    /// - Returns: nil for shorter ones, which stay as they were made.
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

    /// An object that says this: a comparison, a compound predicate, or one of a constant or code.
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

    // Not by constants: equal numbers may differ in type.
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

/// Code that was taken from a predicate object, as an object again.
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
