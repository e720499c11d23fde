// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the source of a mapping model.

package import Foundation

extension MappingSource {
    /// - Parameter data: an `xcmapping.xml`.
    /// - Throws: `ModelFileError`: `malformedXML` with the line, `unsupportedForm` for another XML store.
    package init(xml data: Data) throws {
        var isRead = false
        var reader = try XMLStoreReader {
            defer { isRead = true }
            return isRead ? nil : data
        }
        var objects: [Int64: XMLStoreObject] = [:]
        var object = XMLStoreObject()
        while try reader.next(&object) { objects[object.number] = object }
        try self.init(objects)
    }

    private init(_ objects: [Int64: XMLStoreObject]) throws {
        let models = objects.values.filter { $0.type == "XDDEVMAPPINGMODEL" }
        guard models.count == 1, let model = models.first else {
            throw ModelFileError(
                .unsupportedForm, "The file is an XML store with \(models.count) mapping models; one is expected.")
        }
        let fields = Fields(model)
        sourceModelPath = fields["sourcemodelpath"]
        destinationModelPath = fields["destinationmodelpath"]
        sourceModelData = fields.data("sourcemodeldata")
        destinationModelData = fields.data("destinationmodeldata")
        line = model.line
        let mappings = try fields.members("entitymappings", objects).map { try Self.entity($0, objects) }
        entities = mappings.sorted { ($0.number, $0.sortName) < ($1.number, $1.sortName) }
    }

    private static func entity(_ object: XMLStoreObject, _ objects: [Int64: XMLStoreObject]) throws -> Entity {
        let fields = Fields(object)
        return Entity(
            name: fields["name"], sourceName: fields["sourcename"], destinationName: fields["destinationname"],
            number: fields["mappingnumber"].flatMap { Int($0) } ?? 0, kindName: fields["mappingtypename"],
            policyClassName: fields["migrationpolicyclassname"], sourceFilter: fields["sourcefilterpredicatestring"],
            attributes: try properties("attributemappings", fields, objects),
            relationships: try properties("relationshipmappings", fields, objects), line: object.line)
    }

    private static func properties(
        _ key: String, _ fields: Fields, _ objects: [Int64: XMLStoreObject]
    ) throws -> [Property] {
        try fields.members(key, objects).map(property).sorted { $0.name < $1.name }
    }

    private static func property(_ object: XMLStoreObject) throws -> Property {
        let fields = Fields(object)
        guard let name = fields["name"] else { throw failure(object, "A property mapping has no name") }
        var expression: String?
        if let data = fields.data("valueexpressiondata") {
            do {
                let archive = try KeyedArchive(data)
                let node = try PredicateDecoder(archive: archive).expression(try archive.rootNode())
                expression = try node.map(ModelPredicate.text(of:))
            } catch let error as ModelFileError {
                throw failure(object, "The value of '\(name)' cannot be read: \(error.explanation)")
            }
        }
        return Property(
            name: name, valueExpression: expression, sourceKeyPath: fields["sourcekeypath"],
            sourceMappingName: fields["sourcemappingname"], isGenerated: fields["autogenerateexpression"] != "0",
            line: object.line)
    }

    private static func failure(_ object: XMLStoreObject, _ sentence: String) -> ModelFileError {
        ModelFileError(.malformedXML(line: object.line), sentence)
    }

    /// The properties of one object, by name.
    private struct Fields {
        private let object: XMLStoreObject
        private var texts: [String: String] = [:]
        private var links: [String: [Int64]] = [:]

        init(_ object: XMLStoreObject) {
            self.object = object
            for property in object.properties {
                switch property {
                case .attribute(let attribute): texts[attribute.name] = Self.text(attribute)
                case .relationship(let relationship): links[relationship.name] = relationship.members
                }
            }
        }

        /// nil if the value is missing or empty.
        subscript(_ name: String) -> String? { texts[name].flatMap { $0.isEmpty ? nil : $0 } }

        func data(_ name: String) -> Data? {
            self[name].flatMap { Data(base64Encoded: $0, options: .ignoreUnknownCharacters) }
        }

        func members(_ name: String, _ objects: [Int64: XMLStoreObject]) throws -> [XMLStoreObject] {
            try (links[name] ?? []).map { number in
                guard let member = objects[number] else {
                    throw MappingSource.failure(object, "'\(name)' leads to z\(number), which is not in the file")
                }
                return member
            }
        }

        private static func text(_ attribute: XMLStoreObject.Attribute) -> String {
            guard attribute.isEncoded, let data = Data(base64Encoded: attribute.text) else { return attribute.text }
            return String(decoding: data, as: UTF8.self)
        }
    }
}

extension MappingSource.Entity {
    fileprivate var sortName: String { "\(sourceName ?? "")\u{1}\(destinationName ?? "")" }

    /// "BookToBook", or the only name.
    package var mappingName: String {
        if let name { return name }
        return [sourceName, destinationName].compactMap(\.self).joined(separator: "To")
    }
}
