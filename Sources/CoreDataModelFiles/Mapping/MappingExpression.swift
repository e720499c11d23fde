// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The generated expressions of mapping models, as Apple's compiler writes them.

/// `$manager` is the migration manager, `$source` the migrated object.
package enum MappingExpression {
    /// - Parameter filter: a predicate, as text; nil for all objects of the entity.
    package static func sourceObjects(of entity: String, filter: String?) -> String {
        let request = call(
            "fetchRequestForSourceEntityNamed:predicateString:",
            [.constant(.string(entity)), .constant(.string(filter ?? "TRUEPREDICATE"))])
        return text(.fetch(request, context: .keyPath(manager, "sourceContext"), countsOnly: false))
    }

    /// The value of the migrated object.
    package static func sourceValue(_ path: String) -> String { text(.keyPath(.variable("source"), path)) }

    /// The objects that an entity mapping has created for the objects of an expression.
    ///
    /// - Throws: `ModelFileError` for a malformed expression.
    package static func destinations(byMapping name: String, of objects: String) throws -> String {
        try text(
            call(
                "destinationInstancesForEntityMappingNamed:sourceInstances:",
                [.constant(.string(name)), PredicateParser.expression(objects)]))
    }

    /// The objects that all mappings have created for the destinations of a source relationship.
    package static func destinations(ofRelationship name: String) -> String {
        text(
            call(
                "destinationInstancesForSourceRelationshipNamed:sourceInstances:",
                [.constant(.string(name)), .keyPath(.variable("source"), name)]))
    }

    /// The fault of a predicate; nil if there is none.
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

    /// All nodes of these expressions can be printed.
    private static func text(_ node: ExpressionNode) -> String { (try? PredicatePrinter.text(of: node)) ?? "" }
}
