// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The expressions of mapping models that nobody has to write, as Apple's compiler writes them.

/// `$manager` is the migration manager, `$source` the object that is migrated.
package enum MappingExpression {
    /// - Parameter filter: a predicate, as text; nil for all objects of the entity.
    package static func sourceObjects(of entity: String, filter: String?) -> String {
        let request = call(
            "fetchRequestForSourceEntityNamed:predicateString:",
            [.constant(.string(entity)), .constant(.string(filter ?? "TRUEPREDICATE"))])
        return text(.fetch(request, context: .keyPath(manager, "sourceContext"), countsOnly: false))
    }

    /// What the object that is migrated has.
    package static func sourceValue(_ path: String) -> String { text(.keyPath(.variable("source"), path)) }

    /// The objects that an entity mapping has made of what an expression gives.
    ///
    /// - Throws: `ModelFileError` for an expression that is not understood.
    package static func destinations(byMapping name: String, of objects: String) throws -> String {
        try text(
            call(
                "destinationInstancesForEntityMappingNamed:sourceInstances:",
                [.constant(.string(name)), PredicateParser.expression(objects)]))
    }

    /// The objects that all mappings together have made of what a relationship of the source leads to.
    package static func destinations(ofRelationship name: String) -> String {
        text(
            call(
                "destinationInstancesForSourceRelationshipNamed:sourceInstances:",
                [.constant(.string(name)), .keyPath(.variable("source"), name)]))
    }

    /// What is wrong with a predicate; nil where nothing is.
    package static func fault(ofPredicate text: String) -> String? {
        do {
            _ = try PredicateParser.predicate(text)
            return nil
        } catch { return (error as? ModelFileError)?.explanation ?? "\(error)" }
    }

    private static var manager: ExpressionNode { .variable("manager") }

    private static func call(_ selector: String, _ arguments: [ExpressionNode]) -> ExpressionNode {
        .call(manager, selector, arguments)
    }

    /// Nothing in these has no spelling.
    private static func text(_ node: ExpressionNode) -> String { (try? PredicatePrinter.text(of: node)) ?? "" }
}
