// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes a model document as the XML of an `.xcdatamodel`.

package import Foundation

/// Writes the `contents` file of Xcode's editor. Parts that the editor has no field for are omitted and
/// listed in `losses`.
package struct ModelXMLWriter {
    /// Sentences about the omitted parts.
    package private(set) var losses: [String] = []
    private var lines: [String] = []

    /// - Returns: the bytes of the file, and sentences about omitted parts of the document.
    package static func write(_ document: ModelDocument) -> (contents: Data, losses: [String]) {
        var writer = ModelXMLWriter()
        writer.write(CompositeNaming.named(document))
        return (Data((writer.lines.joined(separator: "\n") + "\n").utf8), writer.losses)
    }

    private mutating func write(_ document: ModelDocument) {
        lines.append("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>")
        let fields = XMLFields([
            ("type", "com.apple.IDECoreDataModeler.DataModel"), ("documentVersion", "1.0"),
            ("lastSavedToolsVersion", "22522"), ("systemVersion", "23A344"), ("minimumToolsVersion", "Automatic"),
            ("sourceLanguage", document.sourceLanguage ?? "Swift"),
            ("userDefinedModelVersionIdentifier", document.versionIdentifiers.first ?? ""),
        ])
        if document.versionIdentifiers.count > 1 {
            losses.append("The model has several version identifiers; the source names the first.")
        }
        element(0, "model", fields) { writer in
            for entity in document.entities { writer.write(entity) }
            for request in document.fetchRequests { writer.write(request, at: 1) }
            for configuration in document.configurations { writer.write(configuration) }
            for composite in document.composites { writer.write(composite) }
        }
    }

    private mutating func write(_ entity: ModelDocument.Entity) {
        var fields = XMLFields([("name", entity.name), ("representedClassName", entity.className)])
        fields.add("isAbstract", if: entity.isAbstract)
        fields.add("parentEntity", entity.superentityName)
        fields.add("elementID", entity.renamingIdentifier)
        fields.add("versionHashModifier", entity.versionHashModifier)
        fields.add("syncable", entity.isSyncable ? "YES" : "NO")
        fields.add("codeGenerationType", entity.codeGeneration)
        element(1, "entity", fields) { writer in
            for attribute in entity.attributes { writer.write(attribute, of: entity.name, at: 2) }
            for relationship in entity.relationships { writer.write(relationship) }
            for property in entity.fetchedProperties { writer.write(property) }
            for index in entity.indexes { writer.write(index) }
            writer.write(constraints: entity.uniquenessConstraints)
            writer.write(userInfo: entity.userInfo, of: entity.name, at: 2)
        }
    }

    private mutating func write(_ attribute: ModelDocument.Attribute, of owner: String, at depth: Int) {
        let title = "\(owner).\(attribute.traits.name)"
        let kind = AttributeKind(rawValue: attribute.type) ?? .undefined
        var fields = Self.fields(of: attribute.traits)
        fields.add("attributeType", kind.sourceName)
        fields.add("composite", attribute.compositeName)
        fields.add("customClassName", kind == .transformable ? attribute.valueClassName : nil)
        fields.add("valueTransformerName", attribute.valueTransformerName)
        fields.add("allowsExternalBinaryDataStorage", if: attribute.allowsExternalBinaryDataStorage)
        fields.add("preserveAfterDeletion", if: attribute.preservesValueInHistoryOnDeletion)
        fields.add("allowsCloudEncryption", if: attribute.allowsCloudEncryption)
        if attribute.derivationExpression != nil { fields.add("derived", "YES") }
        fields.add("derivationExpression", attribute.derivationExpression)
        fields.add("usesScalarValueType", if: attribute.usesScalarValueType)
        if let value = attribute.defaultValue {
            if let field = SourceDefault.field(value) {
                fields.add(field.name, field.text)
            } else {
                losses.append("The default value of '\(title)' has no spelling in a source.")
            }
        }
        for rule in attribute.traits.validations {
            if let field = SourceLimits.field(of: rule) {
                fields.add(field.name, field.text)
            } else {
                losses.append("The rule '\(rule.format)' of '\(title)' has no spelling in a source.")
            }
        }
        element(depth, "attribute", fields) { writer in
            writer.write(userInfo: attribute.traits.userInfo, of: title, at: depth + 1)
        }
    }

    private mutating func write(_ relationship: ModelDocument.Relationship) {
        var fields = Self.fields(of: relationship.traits)
        fields.add("toMany", if: relationship.isToMany)
        if relationship.minCount != 0 { fields.add("minCount", "\(relationship.minCount)") }
        if relationship.maxCount != 0 { fields.add("maxCount", "\(relationship.maxCount)") }
        fields.add("ordered", if: relationship.isOrdered)
        let rules = ["No Action", "Nullify", "Cascade", "Deny"]
        fields.add(
            "deletionRule", rules.indices.contains(relationship.deleteRule) ? rules[relationship.deleteRule] : rules[1])
        fields.add("destinationEntity", relationship.destinationEntityName)
        fields.add("inverseName", relationship.inverseName)
        fields.add("inverseEntity", relationship.inverseEntityName)
        element(2, "relationship", fields) { writer in
            writer.write(userInfo: relationship.traits.userInfo, of: relationship.traits.name, at: 3)
        }
    }

    private mutating func write(_ property: ModelDocument.FetchedProperty) {
        var fields = Self.fields(of: property.traits)
        fields.remove("transient")
        element(2, "fetchedProperty", fields) { writer in
            var request = property.request
            request.name = "fetchedPropertyFetchRequest"
            writer.write(request, at: 3)
            writer.write(userInfo: property.traits.userInfo, of: property.traits.name, at: 3)
        }
    }

    private mutating func write(_ request: ModelDocument.FetchRequest, at depth: Int) {
        var fields = XMLFields([("name", request.name), ("entity", request.entityName)])
        fields.add("predicateString", request.predicateFormat)
        if request.fetchLimit != 0 { fields.add("fetchLimit", "\(request.fetchLimit)") }
        if request.fetchBatchSize != 0 { fields.add("fetchBatchSize", "\(request.fetchBatchSize)") }
        if request.resultType != 0 { fields.add("resultType", "\(request.resultType)") }
        if !request.includesSubentities { fields.add("includeSubentities", "NO") }
        if !request.includesPropertyValues { fields.add("includePropertyValues", "NO") }
        if !request.includesPendingChanges { fields.add("includesPendingChanges", "NO") }
        if !request.returnsObjectsAsFaults { fields.add("returnObjectsAsFaults", "NO") }
        fields.add("returnDistinctResults", if: request.returnsDistinctResults)
        if !request.sortDescriptors.isEmpty {
            losses.append("The sort descriptors of the request '\(request.name)' have no spelling in a source.")
        }
        element(depth, "fetchRequest", fields) { _ in }
    }

    private mutating func write(_ index: ModelDocument.FetchIndex) {
        var fields = XMLFields([("name", index.name)])
        fields.add("partialIndexPredicate", index.partialPredicateFormat)
        element(2, "fetchIndex", fields) { writer in
            for part in index.elements {
                let key = ModelNames.isIdentifier(part.property) ? "property" : "expression"
                writer.element(
                    3, "fetchIndexElement",
                    XMLFields([
                        (key, part.property), ("type", part.collation == 1 ? "RTree" : "Binary"),
                        ("order", part.isAscending ? "ascending" : "descending"),
                    ])
                ) { _ in }
            }
        }
    }

    private mutating func write(constraints: [[String]]) {
        guard !constraints.isEmpty else { return }
        element(2, "uniquenessConstraints", XMLFields([])) { writer in
            for constraint in constraints {
                writer.element(3, "uniquenessConstraint", XMLFields([])) { writer in
                    for name in constraint {
                        writer.element(4, "constraint", XMLFields([("value", name)])) { _ in }
                    }
                }
            }
        }
    }

    private mutating func write(_ configuration: ModelDocument.Configuration) {
        element(1, "configuration", XMLFields([("name", configuration.name)])) { writer in
            for name in configuration.entityNames {
                writer.element(2, "memberEntity", XMLFields([("name", name)])) { _ in }
            }
        }
    }

    private mutating func write(_ composite: ModelDocument.Composite) {
        element(1, "composite", XMLFields([("name", composite.name)])) { writer in
            for attribute in composite.elements { writer.write(attribute, of: composite.name, at: 2) }
        }
    }

    private mutating func write(userInfo: [String: PropertyListValue], of title: String, at depth: Int) {
        guard !userInfo.isEmpty else { return }
        let entries = userInfo.sorted { $0.key < $1.key }
        element(depth, "userInfo", XMLFields([])) { writer in
            for (key, value) in entries {
                guard case .string(let text) = value else {
                    writer.losses.append("The entry '\(key)' in the user info of '\(title)' is no text.")
                    continue
                }
                writer.element(depth + 1, "entry", XMLFields([("key", key), ("value", text)])) { _ in }
            }
        }
    }

    private static func fields(of traits: ModelDocument.PropertyTraits) -> XMLFields {
        var fields = XMLFields([("name", traits.name)])
        fields.add("optional", if: traits.isOptional)
        fields.add("transient", if: traits.isTransient)
        fields.add("spotlightIndexingEnabled", if: traits.isIndexedBySpotlight)
        fields.add("elementID", traits.renamingIdentifier)
        fields.add("versionHashModifier", traits.versionHashModifier)
        return fields
    }

    private mutating func element(
        _ depth: Int, _ name: String, _ fields: XMLFields, _ children: (inout ModelXMLWriter) -> Void
    ) {
        let indent = String(repeating: "    ", count: depth)
        let start = lines.count
        lines.append("\(indent)<\(name)\(fields.text)>")
        children(&self)
        if lines.count == start + 1 {
            lines[start] = "\(indent)<\(name)\(fields.text)/>"
        } else {
            lines.append("\(indent)</\(name)>")
        }
    }
}

/// The attributes of an XML element, in order.
private struct XMLFields {
    private var fields: [(name: String, value: String)] = []

    init(_ fields: [(String, String?)]) { for (name, value) in fields { add(name, value) } }

    mutating func add(_ name: String, _ value: String?) { if let value { fields.append((name, value)) } }

    mutating func add(_ name: String, if flag: Bool) { if flag { fields.append((name, "YES")) } }

    mutating func remove(_ name: String) { fields.removeAll { $0.name == name } }

    var text: String { fields.map { " \($0.name)=\"\(Self.escaped($0.value))\"" }.joined() }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n", "\r", "\t": result += "&#\(scalar.value);"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
