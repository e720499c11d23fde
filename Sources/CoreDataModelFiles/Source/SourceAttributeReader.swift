// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the attributes of a model source and inserts the elements of composite ones.

import Foundation

/// Reads `<attribute>` with the model's composite types, to which attributes refer by name.
struct SourceAttributeReader {
    let composites: [String: XMLTree]
    let mistakes: SourceMistakes

    /// An attribute of an unknown type becomes an undefined one; the mistake is noted.
    func attribute(_ element: XMLTree) -> ModelDocument.Attribute { attribute(element, inside: []) }

    func elements(ofComposite name: String) -> [ModelDocument.Attribute] { elements(ofComposite: name, inside: []) }

    private func elements(ofComposite name: String, inside path: [String]) -> [ModelDocument.Attribute] {
        guard let composite = composites[name] else { return [] }
        guard !path.contains(name) else {
            mistakes.note(
                composite.error(
                    "The composite '\(name)' contains itself: \((path + [name]).joined(separator: " > "))."))
            return []
        }
        return composite.children(named: "attribute").map { element in
            mistakes.inside(element) { attribute(element, inside: path + [name]) }
        }
    }

    private func attribute(_ element: XMLTree, inside path: [String]) -> ModelDocument.Attribute {
        let traits = mistakes.traits(of: element)
        let name = traits.name
        let typeName = element.attribute("attributeType") ?? ""
        let known = AttributeKind(sourceName: typeName)
        if known == nil {
            mistakes.note(
                ModelFileError(.unknownType(typeName), "The attribute '\(name)' has the unknown type '\(typeName)'."))
        }
        let kind = known ?? .undefined
        var attribute = ModelDocument.Attribute(name: name, type: kind.rawValue)
        attribute.traits = traits
        attribute.valueClassName = kind.valueClassName
        if kind == .transformable, let custom = element.attribute("customClassName"), !custom.isEmpty {
            attribute.valueClassName = custom
        }
        attribute.valueTransformerName = element.nonEmpty("valueTransformerName")
        attribute.allowsExternalBinaryDataStorage = element.flag("allowsExternalBinaryDataStorage")
        attribute.preservesValueInHistoryOnDeletion = element.flag("preserveAfterDeletion")
        attribute.allowsCloudEncryption = element.flag("allowsCloudEncryption")
        attribute.usesScalarValueType = element.flag("usesScalarValueType")
        if element.flag("derived") {
            attribute.derivationExpression = element.attribute("derivationExpression") ?? ""
            attribute.traits.isReadOnly = true
        }
        attribute.minimum = element.attribute("minValueString")
        attribute.maximum = element.attribute("maxValueString")
        attribute.regularExpression = element.attribute("regularExpressionString")
        attribute.defaultValue = defaultValue(of: element, kind)
        attribute.traits.validations = SourceLimits(
            kind: kind, minimum: attribute.minimum, maximum: attribute.maximum, pattern: attribute.regularExpression,
            earliest: seconds("minDateTimeInterval", element), latest: seconds("maxDateTimeInterval", element)
        ).validations()
        if kind == .composite, let composite = element.attribute("composite") {
            attribute.compositeName = composite
            attribute.elements = elements(ofComposite: composite, inside: path)
        }
        return attribute
    }

    private func defaultValue(of element: XMLTree, _ kind: AttributeKind) -> PropertyListValue? {
        if kind == .date {
            return seconds("defaultDateTimeInterval", element).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        }
        return element.attribute("defaultValueString").flatMap(kind.value(ofSourceText:))
    }

    private func seconds(_ name: String, _ element: XMLTree) -> Double? { mistakes.value { try element.seconds(name) } }
}

extension XMLTree {
    /// Seconds since 2001-01-01 UTC.
    func seconds(_ name: String) throws -> Double? {
        guard let text = attribute(name), !text.isEmpty else { return nil }
        guard let seconds = Double(text), seconds.isFinite else {
            throw error("The attribute '\(name)' of <\(self.name)> is '\(text)' instead of a number of seconds.")
        }
        return seconds
    }
}
