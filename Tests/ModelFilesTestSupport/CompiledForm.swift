// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Returns the parts of a model document that remain when it is compiled.

package import CoreDataModelFiles
import Foundation
import Testing

package enum CompiledForm {
    package static func of(_ source: ModelDocument) -> ModelDocument {
        var document = source
        // Only code generators read these, and compiled models do not hold them.
        document.sourceLanguage = nil
        // Composite types have their elements in place, their own declarations are gone.
        document.composites = []
        document.fetchRequests = document.fetchRequests.map(request)
        for position in document.entities.indices {
            var entity = document.entities[position]
            entity.codeGeneration = nil
            entity.isSyncable = true
            entity.attributes = entity.attributes.map(attribute)
            for index in entity.fetchedProperties.indices {
                entity.fetchedProperties[index].request = request(entity.fetchedProperties[index].request)
            }
            document.entities[position] = entity
        }
        return document
    }

    private static func attribute(_ source: ModelDocument.Attribute) -> ModelDocument.Attribute {
        var attribute = source
        // Whether code sees a number or an object; for code generators.
        attribute.usesScalarValueType = false
        attribute.compositeName = nil
        // The predicates made from these stay.
        attribute.minimum = nil
        attribute.maximum = nil
        attribute.regularExpression = nil
        attribute.elements = attribute.elements.map(Self.attribute)
        // Compiled models hold objects; as text they have one spelling.
        attribute.derivationExpression = attribute.derivationExpression.map {
            ModelPredicate.canonical(expression: $0) ?? $0
        }
        return attribute
    }

    private static func request(_ source: ModelDocument.FetchRequest) -> ModelDocument.FetchRequest {
        var request = source
        request.predicateFormat = source.predicateFormat.map { ModelPredicate.canonical(predicate: $0) ?? $0 }
        return request
    }
}

/// Compares piece by piece, so that a difference is shown where it is.
package func expectSame(_ one: ModelDocument, _ other: ModelDocument) {
    #expect(one.versionIdentifiers == other.versionIdentifiers)
    #expect(one.entities.map(\.name) == other.entities.map(\.name))
    for (first, second) in zip(one.entities, other.entities) {
        let (attributes, others) = (first.attributes, second.attributes)
        #expect(attributes.map(\.traits.name) == others.map(\.traits.name), "\(first.name)")
        for (left, right) in zip(attributes, others) where left != right { Issue.record("\(left)\n\(right)") }
        for (left, right) in zip(first.relationships, second.relationships) where left != right {
            Issue.record("\(left)\n\(right)")
        }
        #expect(first.indexes == second.indexes, "\(first.name)")
        #expect((first == second) as Bool, "\(first.name)")
    }
    #expect(one.fetchRequests == other.fetchRequests)
    #expect(one.configurations == other.configurations)
    #expect((one == other) as Bool)
}
