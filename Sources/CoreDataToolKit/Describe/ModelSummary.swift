// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The description of a store or a model, as a value.

package import CoreData
import CoreDataModelFiles
import Foundation

/// The description of a store or a model.
package struct ModelSummary: Sendable {
    package struct Property: Sendable {
        package enum Kind: String, Sendable {
            case attribute
            case relationship
            case fetched
        }

        package var name: String
        package var kind: Kind
        /// "String", or "Department", "Employee*" for a to-many relationship, "Employee* ordered".
        package var type: String
        package var isOptional: Bool
        /// "transient", "derived from …", "inverse department", "delete cascades" …
        package var details: [String]
        package var destination: String?
        package var inverse: String?
        package var isToMany = false
        package var isOrdered = false
    }

    package struct Entity: Sendable {
        package var name: String
        package var superentity: String?
        package var isAbstract: Bool
        /// The number of objects of exactly this entity; nil for a model, and for an entity outside of the store.
        package var count: Int?
        /// nil for an inferred model.
        package var hash: Data?
        package var properties: [Property]

        package func count(of kind: Property.Kind) -> Int { properties.count { $0.kind == kind } }
    }

    /// The facts about the whole, as titles and values.
    package var facts: [(key: String, title: String, value: String)]
    /// By name.
    package var entities: [Entity]

    /// - Throws: `ModelFileError`.
    package init(model url: URL, version: String? = nil) throws {
        let document = try ModelBundle.load(contentsOf: url, version: version)
        let model = NSManagedObjectModel(document: document)
        facts = [("path", "Model", url.path)]
        if let bundle = try? ModelBundle(contentsOf: url), bundle.versions.count > 1 {
            let used = version ?? bundle.currentVersion?.name
            facts.append(("version", "Version", used ?? ""))
            facts.append(("versions", "Versions", bundle.versions.map(\.name).joined(separator: ", ")))
        }
        Self.addIdentifiers(document.versionIdentifiers, to: &facts)
        if !document.configurations.isEmpty {
            facts.append(
                (
                    "configurations", "Configurations",
                    document.configurations.map(\.name).sorted().joined(separator: ", ")
                ))
        }
        facts.append(("checksum", "Checksum", model.versionChecksum))
        entities = Self.entities(of: document, hashes: model.entityVersionHashesByName)
    }

    /// Counts the objects of each entity of an open store.
    ///
    /// - Throws: the store's errors.
    package init(store: OpenedStore, progress: (String, Int) -> ProgressLine = { ProgressLine($0, total: $1) }) throws {
        facts = [("path", "Store", store.url.shownPlace), ("type", "Type", store.type)]
        if let uuid = store.file.uuid { facts.append(("uuid", "UUID", uuid)) }
        if let version = store.file.frameworkVersion { facts.append(("framework", "Framework version", "\(version)")) }
        facts.append(("model", "Model", store.origin.rawValue))
        let guesses = store.notes.count { $0.isGuess }
        if guesses > 0 { facts.append(("guesses", "Guesses", "\(guesses), which `model infer` names")) }
        Self.addIdentifiers(store.file.versionIdentifiers, to: &facts)
        let counts = try Self.counts(store, progress)
        entities = Self.entities(of: store.document, hashes: store.file.hashes).filter { counts[$0.name] != nil }
        for position in entities.indices { entities[position].count = counts[entities[position].name] }
    }

    private static func addIdentifiers(
        _ identifiers: [String], to facts: inout [(key: String, title: String, value: String)]
    ) {
        if !identifiers.isEmpty {
            facts.append(("identifiers", "Version identifiers", identifiers.joined(separator: ", ")))
        }
    }

    private static func counts(_ store: OpenedStore, _ progress: (String, Int) -> ProgressLine) throws -> [String: Int]
    {
        try store.ask { context in
            let entities = store.entities
            let line = progress("Counting", entities.count)
            defer { line.finish() }
            var counts: [String: Int] = [:]
            for (position, entity) in entities.enumerated() {
                guard let name = entity.name else { continue }
                let request = NSFetchRequest<NSManagedObject>(entityName: name)
                request.includesSubentities = false
                counts[name] = try context.count(for: request)
                line.advance(to: position + 1)
            }
            return counts
        }
    }

    // MARK: Entities

    static func entities(of document: ModelDocument, hashes: [String: Data]) -> [Entity] {
        document.entities.sorted { $0.name < $1.name }.map { source in
            Entity(
                name: source.name, superentity: source.superentityName, isAbstract: source.isAbstract, count: nil,
                hash: hashes[source.name],
                properties: source.attributes.map(property) + source.relationships.map(property)
                    + source.fetchedProperties.map(property))
        }
    }

    private static func property(_ source: ModelDocument.Attribute) -> Property {
        var details = details(source.traits)
        if let text = source.derivationExpression { details.append("derived from \(text)") }
        if let name = source.valueTransformerName, !name.isEmpty { details.append("transformed by \(name)") }
        if source.allowsExternalBinaryDataStorage { details.append("external storage") }
        if !source.elements.isEmpty {
            details.append(
                "elements "
                    + source.elements.map { "\($0.traits.name): \(AttributeKind.title(of: $0.type))" }
                    .joined(separator: ", "))
        }
        return Property(
            name: source.traits.name, kind: .attribute, type: AttributeKind.title(of: source.type),
            isOptional: source.traits.isOptional, details: details)
    }

    private static func property(_ source: ModelDocument.Relationship) -> Property {
        var details = details(source.traits)
        if let inverse = source.inverseName, !inverse.isEmpty { details.append("inverse \(inverse)") }
        switch source.deleteRule {
        case 0: details.append("delete takes no action")
        case 2: details.append("delete cascades")
        case 3: details.append("delete denied")
        default: break
        }
        let suffix = source.isToMany ? (source.isOrdered ? "* ordered" : "*") : ""
        return Property(
            name: source.traits.name, kind: .relationship, type: source.destinationEntityName + suffix,
            isOptional: source.traits.isOptional, details: details, destination: source.destinationEntityName,
            inverse: source.inverseName, isToMany: source.isToMany, isOrdered: source.isOrdered)
    }

    private static func property(_ source: ModelDocument.FetchedProperty) -> Property {
        Property(
            name: source.traits.name, kind: .fetched, type: source.request.entityName + "*", isOptional: true,
            details: source.request.predicateFormat.map { ["where \($0)"] } ?? [])
    }

    private static func details(_ traits: ModelDocument.PropertyTraits) -> [String] {
        (traits.isOptional ? ["optional"] : []) + (traits.isTransient ? ["transient"] : [])
    }
}
