// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A model as boxes with lines between them.

/// The contents of a diagram.
package struct ModelGraph: Sendable {
    package struct Node: Sendable {
        package var name: String
        package var isAbstract: Bool
        /// nil for a model without a store.
        package var count: Int?
        package var attributes: [(name: String, type: String)]
        /// In the order of their lines in the box.
        package var relationships: [ModelSummary.Property]
    }

    /// A line between two boxes, for a relationship and its inverse.
    package struct Edge: Sendable {
        package enum Kind: Sendable { case inheritance, relationship }

        package var kind: Kind
        /// Indices of nodes. An inheritance line goes from the subentity to its superentity.
        package var source: Int
        package var destination: Int
        /// The relationship at the source and its inverse at the destination; nil for an edge without one.
        package var name: String?
        package var inverseName: String?
        /// The cardinality of each end: "1", "0..1", "*".
        package var sourceCardinality: String?
        package var destinationCardinality: String?
    }

    package private(set) var nodes: [Node] = []
    package private(set) var edges: [Edge] = []

    package init(_ summary: ModelSummary) {
        var positions: [String: Int] = [:]
        for entity in summary.entities where positions[entity.name] == nil {
            positions[entity.name] = nodes.count
            nodes.append(
                Node(
                    name: entity.name, isAbstract: entity.isAbstract, count: entity.count,
                    attributes: entity.properties.filter { $0.kind == .attribute }.map { ($0.name, $0.type) },
                    relationships: entity.properties.filter { $0.kind == .relationship }))
        }
        let relationships = Dictionary(
            summary.entities.flatMap { entity in
                entity.properties.filter { $0.kind == .relationship }.map { ("\(entity.name).\($0.name)", $0) }
            }, uniquingKeysWith: { first, _ in first })
        var drawn: Set<String> = []
        for entity in summary.entities {
            guard let source = positions[entity.name] else { continue }
            if let parent = entity.superentity.flatMap({ positions[$0] }) {
                edges.append(Edge(kind: .inheritance, source: source, destination: parent))
            }
            for end in entity.properties where end.kind == .relationship {
                guard let target = end.destination, let destination = positions[target],
                    drawn.insert("\(entity.name).\(end.name)").inserted
                else { continue }
                let inverse = end.inverse.flatMap { relationships["\(target).\($0)"] }
                // An inverse shared by several relationships, as with inherited ones, is drawn for each of them.
                let isMutual = inverse?.inverse == end.name && inverse?.destination == entity.name
                if isMutual, let inverse { drawn.insert("\(target).\(inverse.name)") }
                edges.append(
                    Edge(
                        kind: .relationship, source: source, destination: destination, name: end.name,
                        inverseName: isMutual ? inverse?.name : nil,
                        sourceCardinality: isMutual ? inverse.map(Self.cardinality) : nil,
                        destinationCardinality: Self.cardinality(end)))
            }
        }
    }

    private static func cardinality(_ property: ModelSummary.Property) -> String {
        property.isToMany ? (property.isOrdered ? "* ordered" : "*") : property.isOptional ? "0..1" : "1"
    }
}
