// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds all faults that make a model unusable.

import CoreDataModelFiles
import Foundation

extension NSManagedObjectModel {
    /// Checks the model. A coordinator calls it before it uses the model.
    ///
    /// - Throws: `CocoaError` 134060 with all faults, each also as an error under `NSDetailedErrorsKey`.
    package func check() throws {
        let faults = ModelCheck(self).faults()
        if !faults.isEmpty { throw CoreDataError.invalidModel(faults) }
    }

    /// The faults that `check()` would report; entity and property are nil for a fault that concerns several.
    package var faults: [(entity: String?, property: String?, sentence: String)] {
        ModelCheck(self).faults().map { ($0.entity, $0.property, $0.cause.sentence) }
    }
}

/// One check of a model, which it does not change.
struct ModelCheck {
    private let model: NSManagedObjectModel
    private let members: Set<ObjectIdentifier>
    private let inheritance: InheritanceCheck

    init(_ model: NSManagedObjectModel) {
        self.model = model
        inheritance = InheritanceCheck(model.entities)
        members = Set(model.entities.map(ObjectIdentifier.init))
    }

    /// The faults in the order of the model: by entity name, then by property name.
    func faults() -> [ModelFault] {
        var faults = model.loadingFaults
        var seen: Set<String> = []
        for entity in model.entities.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) {
            let name = entity.name ?? ""
            if !name.isEmpty, !seen.insert(name).inserted {
                faults.append(ModelFault(entity: name, "there is another entity of this name"))
            }
            faults += causes(of: entity).map { ModelFault(entity: name, $0) }
            guard inheritance.isSound(entity) else { continue }
            faults += propertyFaults(of: entity)
            faults += indexFaults(of: entity)
        }
        for (configuration, entities) in model.configured.sorted(by: { $0.key < $1.key }) {
            for entity in entities where !contains(entity) {
                let name = entity.name ?? ""
                faults.append(
                    ModelFault(
                        entity: nil, "the configuration '\(configuration)' holds '\(name)', which is not in the model"))
            }
        }
        return faults
    }

    private func contains(_ entity: NSEntityDescription) -> Bool { members.contains(ObjectIdentifier(entity)) }
}

// MARK: Entities

extension ModelCheck {
    private func causes(of entity: NSEntityDescription) -> [ModelFault.Cause] {
        var sentences: [String] = []
        if let fault = ModelNames.fault(ofEntity: entity.name ?? "") { sentences.append(fault) }
        if let sentence = inheritance.sentence(entity) {
            sentences.append(sentence)
        } else if let parent = entity.superentity, !contains(parent) {
            sentences.append("its superentity '\(parent.name ?? "")' is not in the model")
        }
        for child in entity.subentities where !contains(child) {
            sentences.append("its subentity '\(child.name ?? "")' is not in the model")
        }
        if inheritance.isSound(entity) { sentences += uniquenessSentences(entity) }
        return sentences.map { ModelFault.Cause($0) }
    }

    private func uniquenessSentences(_ entity: NSEntityDescription) -> [String] {
        if entity.ownUniquenessConstraintNames.isEmpty { return [] }
        let attributes = entity.attributesByName
        return entity.ownUniquenessConstraintNames.flatMap { constraint -> [String] in
            let title = "the uniqueness constraint (\(constraint.joined(separator: ", ")))"
            if constraint.isEmpty { return ["a uniqueness constraint names no attribute"] }
            return constraint.compactMap { name in
                if let relationship = entity.relationshipsByName[name], !relationship.isToMany,
                    !relationship.isTransient
                {
                    return nil
                }
                guard let attribute = Self.attribute(name, in: attributes) else {
                    let kind = entity.propertiesByName[name] == nil ? "does not exist" : "is no attribute and no to-one"
                    return "\(title) names '\(name)', which \(kind)"
                }
                return attribute.isTransient ? "\(title) names '\(name)', which is transient and so in no store" : nil
            }
        }
    }

    /// An attribute by name, or an element of a composite by its path ("address.city").
    private static func attribute(_ path: String, in attributes: [String: NSAttributeDescription])
        -> NSAttributeDescription?
    {
        if let found = attributes[path] { return found }
        let steps = path.split(separator: ".").map(String.init)
        guard steps.count > 1, var current = attributes[steps[0]] else { return nil }
        for step in steps.dropFirst() {
            let elements = (current as? NSCompositeAttributeDescription)?.elements ?? []
            guard let next = elements.first(where: { $0.name == step }) else { return nil }
            current = next
        }
        return current
    }

    private func indexFaults(of entity: NSEntityDescription) -> [ModelFault] {
        // A model under construction builds its dictionaries again for each access.
        if entity.indexes.isEmpty { return [] }
        let known = entity.propertiesByName
        var faults: [ModelFault] = []
        for index in entity.indexes {
            let title = "the index '\(index.name)'"
            faults += index.loadingFaults.map { ModelFault(entity: entity.name, "\(title): \($0.sentence)") }
            if let text = index.partialPredicateText,
                let sentence = ModelRules.sentence(ofPredicate: text, "\(title): its condition")
            {
                faults.append(ModelFault(entity: entity.name, sentence))
            }
            if index.elements.isEmpty { faults.append(ModelFault(entity: entity.name, "\(title) has no elements")) }
            for element in index.elements {
                guard let name = element.propertyName, ModelNames.isIdentifier(name) else { continue }
                if known[name] == nil, !["self", "SELF", "entity"].contains(name) {
                    faults.append(ModelFault(entity: entity.name, "\(title) names '\(name)', which does not exist"))
                }
            }
        }
        return faults
    }
}

// MARK: Properties

extension ModelCheck {
    private func propertyFaults(of entity: NSEntityDescription) -> [ModelFault] {
        let inherited = entity.superentity?.propertiesByName ?? [:]
        var seen: Set<String> = []
        return entity.ownProperties.sorted { $0.name < $1.name }.flatMap { property -> [ModelFault] in
            var sentences = property.loadingFaults.map(\.sentence)
            if let fault = ModelNames.fault(ofProperty: property.name) { sentences.append(fault) }
            if !seen.insert(property.name).inserted { sentences.append("there is another property of this name") }
            if let other = inherited[property.name] {
                sentences.append(
                    "'\(other.owner?.name ?? "")', which the entity inherits from, has a property of this name")
            }
            sentences += ModelRules.sentences(property)
            switch property {
            case let attribute as NSAttributeDescription: sentences += self.sentences(attribute)
            case let relationship as NSRelationshipDescription: sentences += self.sentences(relationship, entity)
            case is NSExpressionDescription:
                sentences.append("a computed column is for fetch requests, not for entities")
            default: break
            }
            return sentences.map { ModelFault(entity: entity.name, property: property.name, $0) }
        }
    }

    private func sentences(_ attribute: NSAttributeDescription) -> [String] {
        var sentences: [String] = []
        switch attribute.attributeType {
        case .undefinedAttributeType where !attribute.isTransient:
            sentences.append("an attribute that is stored needs a type")
        case .objectIDAttributeType where !attribute.isTransient:
            sentences.append("object ids cannot be stored: use a relationship")
        case .compositeAttributeType:
            sentences += compositeSentences(attribute)
        default: break
        }
        if let value = attribute.defaultValue, !attribute.attributeType.accepts(value) {
            sentences.append(
                "its default value is of the class \(type(of: value)), which does not fit the type "
                    + "\(attribute.attributeType.displayName), or is out of its range")
        }
        if let derived = attribute as? NSDerivedAttributeDescription {
            if let text = derived.derivationText, !text.isEmpty {
                sentences += [ModelRules.sentence(ofExpression: text, "its derivation")].compactMap { $0 }
            } else {
                sentences.append("a derived attribute needs a derivation expression")
            }
        }
        return sentences
    }

    private func compositeSentences(_ attribute: NSAttributeDescription) -> [String] {
        guard let composite = attribute as? NSCompositeAttributeDescription else {
            return ["an attribute of the type Composite must be an NSCompositeAttributeDescription"]
        }
        if composite.elements.isEmpty { return ["a composite attribute needs elements"] }
        var seen: Set<String> = []
        return composite.elements.flatMap { element -> [String] in
            var sentences: [String] = []
            if let fault = ModelNames.fault(ofElement: element.name) { sentences.append(fault) }
            if !seen.insert(element.name).inserted { sentences.append("there is another element of this name") }
            sentences += element.loadingFaults.map(\.sentence) + self.sentences(element)
            return sentences.map { "its element '\(element.name)': \($0)" }
        }
    }

    private func sentences(_ relationship: NSRelationshipDescription, _ entity: NSEntityDescription) -> [String] {
        var sentences: [String] = []
        if relationship.maxCount > 0, relationship.minCount > relationship.maxCount {
            sentences.append("its minimum \(relationship.minCount) is above its maximum \(relationship.maxCount)")
        }
        guard let destination = relationship.destinationEntity else {
            // A destination that is missing from a file has already been reported.
            return sentences + (relationship.loadingFaults.isEmpty ? ["it has no destination"] : [])
        }
        if !contains(destination) {
            sentences.append("its destination '\(destination.name ?? "")' is not in the model")
        }
        guard let inverse = relationship.inverseRelationship else { return sentences }
        let title = "its inverse '\(inverse.qualifiedName)'"
        guard let holder = inverse.owner, related(holder, destination) else {
            return sentences + ["\(title) is no relationship of its destination '\(destination.name ?? "")'"]
        }
        // An inverse with a different inverse is unusual, but Apple's framework opens stores of such models.
        let isOneSided = inverse.inverseRelationship.map { $0 !== relationship } ?? false
        if !isOneSided, let target = inverse.destinationEntity, !related(target, entity) {
            sentences.append("\(title) leads to '\(target.name ?? "")', not back to '\(entity.name ?? "")'")
        }
        return sentences
    }

    /// Whether two entities are equal or one is an ancestor of the other.
    private func related(_ one: NSEntityDescription, _ other: NSEntityDescription) -> Bool {
        one.isKindOf(entity: other) || other.isKindOf(entity: one)
    }
}
