// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// AND, OR and NOT as a predicate object.

import Foundation

/// A compound predicate that can be copied, compared and printed.
///
/// It is compiled and evaluated as a whole, not part by part.
final class CompoundPredicate: NSCompoundPredicate, PredicateWithSyntax, NSSecureCoding {
    let ownSyntax: PredicateSyntax
    let evaluated: PredicateSyntax
    private let evaluators = EvaluatorPool()
    private let neededPermits: [EvaluationPermit]

    override init(type: LogicalType, subpredicates: [NSPredicate]) {
        ownSyntax = PredicateSyntax(type, subpredicates.map(\.syntax))
        evaluated = PredicateSyntax(type, subpredicates.map(\.evaluatedSyntax))
        neededPermits = subpredicates.flatMap(\.permits)
        super.init(type: type, subpredicates: subpredicates)
    }

    required convenience init?(coder: NSCoder) {
        guard coder.containsValue(forKey: "NSCompoundPredicateType"),
            let type = UInt(exactly: coder.decodeInteger(forKey: "NSCompoundPredicateType")).flatMap(LogicalType.init),
            let parts = PredicateArchive.nested(coder, { $0.predicates("NSSubpredicates") }),
            type != .not || parts.count == 1
        else { return nil }
        self.init(type: type, subpredicates: parts)
    }

    /// Traps for a predicate with a closure.
    func encode(with coder: NSCoder) {
        coder.encode(Int(compoundPredicateType.rawValue), forKey: "NSCompoundPredicateType")
        PredicateArchive.writing(coder) { $0.write(subpredicates, "NSSubpredicates") }
    }

    static var supportsSecureCoding: Bool { true }

    override func evaluate(with object: Any?) -> Bool { evaluate(with: object, substitutionVariables: nil) }

    override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        if !neededPermits.isEmpty { checkPermits() }
        do {
            return try evaluators.matches(evaluated, object, variables: bindings)
        } catch {
            preconditionFailure("The predicate '\(ownSyntax)' cannot be asked of this object: \(error).")
        }
    }

    private func checkPermits() {
        for permit in neededPermits { permit.check("The predicate '\(ownSyntax)'") }
    }

    override func copy(with zone: NSZone? = nil) -> Any { self }
    override func isEqual(_ object: Any?) -> Bool { hasSameSyntax(as: object) }
    override var hash: Int { ownSyntax.hashOfKeyPaths }
    override var description: String { ownSyntax.description }
    override var predicateFormat: String { ownSyntax.description }
}
