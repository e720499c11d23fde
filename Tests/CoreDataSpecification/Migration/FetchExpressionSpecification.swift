// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// FETCH in expressions.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

@Suite("Fetch request expressions") struct FetchExpressionSpecification {
    private func stack(_ kind: StoreKind) throws -> Stack {
        let stack = try Stack(kind, LibraryModels.first())
        LibraryStore.sample(stack.context)
        try stack.context.save()
        return stack
    }

    /// Proves: G40
    @Test("FETCH gives the results of a request, or their number", arguments: StoreKind.all)
    func values(kind: StoreKind) throws {
        let stack = try stack(kind)
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        request.predicate = NSPredicate(format: "pages > 300")
        let variables: NSMutableDictionary = ["request": request, "context": stack.context]
        let found =
            NSExpression(format: "FETCH($request, $context, NO)")
            .expressionValue(with: nil, context: variables) as? [NSManagedObject]
        #expect(Set((found ?? []).compactMap { $0.value(forKey: "title") as? String }) == ["Emma", "Dune"])
        let count = NSExpression(format: "FETCH($request, $context, YES)").expressionValue(
            with: nil, context: variables)
        #expect(count as? Int == 2)
    }

    /// Proves: G40
    @Test("a fetch request expression has its parts, and equals the one of the format")
    func parts() throws {
        let made = NSFetchRequestExpression.expression(
            forFetch: NSExpression(forVariable: "request"), context: NSExpression(forVariable: "context"),
            countOnly: true)
        let expression = try #require(made as? NSFetchRequestExpression)
        #expect(expression.expressionType == NSFetchRequestExpressionType && expression.expressionType.rawValue == 50)
        #expect(expression.requestExpression.variable == "request")
        #expect(expression.contextExpression.variable == "context")
        #expect(expression.isCountOnlyRequest)
        #expect(expression == NSExpression(format: "FETCH($request, $context, YES)"))
        #expect(expression.description == "FETCH($request, $context, YES)")
    }

    /// Proves: G81
    @Test("a fetch request with FETCH in its predicate throws", arguments: StoreKind.all)
    func inPredicates(kind: StoreKind) throws {
        let stack = try stack(kind)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "pages > FETCH(title, title, YES)")
        #expect(throws: (any Error).self) { try stack.context.fetch(request) }
        #expect(throws: (any Error).self) { try stack.context.count(for: request) }
    }
}
