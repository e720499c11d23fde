// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The model of the golden stores, in two versions. It never changes: stores of it are files of released versions.

public import CoreData

// Foundation has an unusable class of this name.
private typealias NSExpression = CoreData.NSExpression

/// Publishers, books with chapters in order, atlases, tags, series: a value of each type, each form of relationship,
/// large data, composite and derived attributes, unique values, and searched text.
///
/// Only Apple's API, so that earlier commits of the library compile it.
public enum GoldenModel {
    /// The version that stores are written with.
    public static func first() -> NSManagedObjectModel { make(isSecond: false) }

    /// The version that they are migrated to: an entity and an attribute have other names, others are new or gone.
    public static func second() -> NSManagedObjectModel { make(isSecond: true) }

    private static func make(isSecond: Bool) -> NSManagedObjectModel {
        let publisher = entity(isSecond ? "House" : "Publisher")
        let book = entity("Book")
        let atlas = entity("Atlas")
        let chapter = entity("Chapter")
        let tag = entity("Tag")
        let series = entity("Series")
        publisher.renamingIdentifier = "Publisher"
        publisher.properties = [attribute("name", .stringAttributeType, isOptional: false)]
        publisher.uniquenessConstraints = [["name"]]
        book.properties = bookAttributes(isSecond: isSecond)
        book.subentities = [atlas]
        atlas.properties = [attribute("scale", .integer32AttributeType)]
        chapter.properties = [attribute("title", .stringAttributeType, isOptional: false)]
        tag.properties = [attribute("name", .stringAttributeType, isOptional: false)]
        tag.uniquenessConstraints = [["name"]]
        series.properties = [attribute("name", .stringAttributeType, isOptional: false)]
        relate(publisher, "books", .many, to: book, "publisher", .one)
        relate(book, "chapters", .ordered, to: chapter, "book", .one, deleting: .cascadeDeleteRule)
        relate(book, "tags", .many, to: tag, "books", .many)
        relate(series, "books", .ordered, to: book, "series", .many)
        relate(book, "sequel", .one, to: book, "prequel", .one)
        publisher.properties.append(derived("bookCount", .integer64AttributeType, "books.@count"))
        book.indexes = [
            NSFetchIndexDescription(
                name: "byReleased",
                elements: book.properties.filter { $0.name == "released" }.map {
                    NSFetchIndexElementDescription(property: $0, collationType: .binary)
                })
        ]
        let model = NSManagedObjectModel()
        model.entities = [publisher, book, atlas, chapter, tag, series]
        model.versionIdentifiers = [isSecond ? "golden 2" : "golden 1"]
        return model
    }

    private static func bookAttributes(isSecond: Bool) -> [NSPropertyDescription] {
        let title = attribute("title", .stringAttributeType, isOptional: false)
        #if !GOLDEN_EARLY
            title.isIndexedBySpotlight = true
        #endif
        let cover = attribute("cover", .binaryDataAttributeType)
        cover.allowsExternalBinaryDataStorage = true
        let pages = attribute(isSecond ? "length" : "pages", .integer32AttributeType)
        pages.renamingIdentifier = "pages"
        let size = NSCompositeAttributeDescription()
        size.name = "size"
        size.isOptional = true
        size.elements = [attribute("width", .doubleAttributeType), attribute("height", .doubleAttributeType)]
        let words = attribute("words", .transformableAttributeType)
        words.valueTransformerName = "NSSecureUnarchiveFromData"
        var result: [NSPropertyDescription] = [
            title, cover, pages, size, words,
            attribute("shelf", .integer16AttributeType), attribute("sold", .integer64AttributeType),
            attribute("price", .decimalAttributeType), attribute("rating", .doubleAttributeType),
            attribute("weight", .floatAttributeType), attribute("isPrinted", .booleanAttributeType),
            attribute("released", .dateAttributeType), attribute("mark", .binaryDataAttributeType),
            attribute("uuid", .UUIDAttributeType), attribute("page", .URIAttributeType),
            derived("key", .stringAttributeType, "canonical:(title)"),
        ]
        if isSecond {
            result.removeAll { $0.name == "shelf" }
            let edition = attribute("edition", .integer16AttributeType, isOptional: false)
            edition.defaultValue = 1
            result.append(edition)
        }
        return result
    }

    // MARK: Parts

    private enum Ends { case one, many, ordered }

    private static func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = "NSManagedObject"
        return entity
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeType, isOptional: Bool = true
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = isOptional
        return attribute
    }

    private static func derived(
        _ name: String, _ type: NSAttributeType, _ expression: String
    ) -> NSAttributeDescription {
        let attribute = NSDerivedAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        attribute.derivationExpression = NSExpression(format: expression)
        return attribute
    }

    private static func relate(
        _ source: NSEntityDescription, _ name: String, _ ends: Ends, to destination: NSEntityDescription,
        _ inverseName: String, _ inverseEnds: Ends, deleting rule: NSDeleteRule = .nullifyDeleteRule
    ) {
        let (there, back) = (NSRelationshipDescription(), NSRelationshipDescription())
        for (relationship, name, ends, entity, inverse) in [
            (there, name, ends, destination, back), (back, inverseName, inverseEnds, source, there),
        ] {
            relationship.name = name
            relationship.isOptional = true
            relationship.maxCount = ends == .one ? 1 : 0
            relationship.isOrdered = ends == .ordered
            relationship.destinationEntity = entity
            relationship.inverseRelationship = inverse
            relationship.deleteRule = .nullifyDeleteRule
        }
        there.deleteRule = rule
        source.properties.append(there)
        destination.properties.append(back)
    }
}
