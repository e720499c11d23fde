// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the attributes of a model source and inserts the elements of composite ones.

import Foundation

/// Reads `<attribute>` with the model's composite types, to which attributes refer by name.
struct SourceAttributeReader {
    let composites: [String: XMLTree]

    func attribute(_ element: XMLTree) throws -> ModelDocument.Attribute {
        try attribute(element, inside: [])
    }

    func elements(ofComposite name: String) throws -> [ModelDocument.Attribute] {
        try elements(ofComposite: name, inside: [])
    }

    private func elements(ofComposite name: String, inside path: [String]) throws -> [ModelDocument.Attribute] {
        guard let composite = composites[name] else { return [] }
        guard !path.contains(name) else {
            throw composite.error(
                "The composite '\(name)' contains itself: \((path + [name]).joined(separator: " > ")).")
        }
        return try composite.children(named: "attribute").map { try attribute($0, inside: path + [name]) }
    }

    private func attribute(_ element: XMLTree, inside path: [String]) throws -> ModelDocument.Attribute {
        let name = try element.required("name")
        let typeName = element.attribute("attributeType") ?? ""
        guard let kind = AttributeKind(sourceName: typeName) else {
            throw ModelFileError(.unknownType(typeName), "The attribute '\(name)' has the unknown type '\(typeName)'.")
        }
        var attribute = ModelDocument.Attribute(name: name, type: kind.rawValue)
        attribute.traits = try ModelXMLReader.traits(of: element)
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
        attribute.defaultValue = try defaultValue(of: element, kind)
        attribute.traits.validations = SourceLimits(
            kind: kind, minimum: attribute.minimum, maximum: attribute.maximum, pattern: attribute.regularExpression,
            earliest: try element.seconds("minDateTimeInterval"), latest: try element.seconds("maxDateTimeInterval")
        ).validations()
        if kind == .composite, let composite = element.attribute("composite") {
            attribute.compositeName = composite
            attribute.elements = try elements(ofComposite: composite, inside: path)
        }
        return attribute
    }

    private func defaultValue(of element: XMLTree, _ kind: AttributeKind) throws -> PropertyListValue? {
        if kind == .date {
            return try element.seconds("defaultDateTimeInterval").map {
                .date(Date(timeIntervalSinceReferenceDate: $0))
            }
        }
        return element.attribute("defaultValueString").flatMap(kind.value(ofSourceText:))
    }
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
