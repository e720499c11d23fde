// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The generated expressions of mapping models, as Apple's compiler writes them.

import PredicateLanguage

/// `$manager` is the migration manager, `$source` the migrated object.
package enum MappingExpression {
    /// - Parameter filter: a predicate, as text; nil for all objects of the entity.
    package static func sourceObjects(of entity: String, filter: String?) -> String {
        let request = call(
            "fetchRequestForSourceEntityNamed:predicateString:",
            [.constant(entity), .constant(filter ?? "TRUEPREDICATE")])
        return text(
            .function(
                name: PredicateFunctions.fetch,
                arguments: [request, .keyPathOn(manager, "sourceContext"), .constant(false)]))
    }

    /// The value of the migrated object.
    package static func sourceValue(_ path: String) -> String { text(.keyPathOn(.variable("source"), path)) }

    /// The objects that an entity mapping has created for the objects of an expression.
    ///
    /// - Throws: `ModelFileError` for a malformed expression.
    package static func destinations(byMapping name: String, of objects: String) throws -> String {
        try text(
            call(
                "destinationInstancesForEntityMappingNamed:sourceInstances:",
                [.constant(name), ModelPredicate.expression(objects)]))
    }

    /// The objects that all mappings have created for the destinations of a source relationship.
    package static func destinations(ofRelationship name: String) -> String {
        text(
            call(
                "destinationInstancesForSourceRelationshipNamed:sourceInstances:",
                [.constant(name), .keyPathOn(.variable("source"), name)]))
    }

    /// The fault of a predicate; nil for a valid one.
    package static func fault(ofPredicate text: String) -> String? {
        do {
            _ = try ModelPredicate.predicate(text)
            return nil
        } catch { return (error as? ModelFileError)?.explanation ?? "\(error)" }
    }

    private static var manager: ExpressionSyntax { .variable("manager") }

    private static func call(_ selector: String, _ arguments: [ExpressionSyntax]) -> ExpressionSyntax {
        .function(name: PredicateFunctions.call, arguments: [manager, .constant(selector)] + arguments)
    }

    /// All nodes of these expressions can be printed.
    private static func text(_ node: ExpressionSyntax) -> String { (try? ModelPredicate.text(of: node)) ?? "" }
}
