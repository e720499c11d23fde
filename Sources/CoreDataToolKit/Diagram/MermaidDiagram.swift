// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes a model as a class diagram in Mermaid's language.

/// Writes Mermaid.
package enum MermaidDiagram {
    package static func text(_ graph: ModelGraph) -> String {
        var lines = ["classDiagram"]
        for node in graph.nodes {
            let name = identifier(node.name)
            lines.append("  class \(name)\(name == node.name ? "" : "[\"\(label(node.name))\"]") {")
            if node.isAbstract { lines.append("    <<abstract>>") }
            for attribute in node.attributes {
                lines.append("    \(label(attribute.type).replacing(" ", with: "")) \(label(attribute.name))")
            }
            lines.append("  }")
        }
        for edge in graph.edges {
            let (source, destination) = (
                identifier(graph.nodes[edge.source].name), identifier(graph.nodes[edge.destination].name)
            )
            switch edge.kind {
            case .inheritance: lines.append("  \(destination) <|-- \(source)")
            case .relationship: lines.append("  " + relationship(edge, source, destination))
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func relationship(_ edge: ModelGraph.Edge, _ source: String, _ destination: String) -> String {
        let near = edge.sourceCardinality.map { "\"\($0)\" " } ?? ""
        let far = edge.destinationCardinality.map { " \"\($0)\"" } ?? ""
        let names = [edge.name, edge.inverseName].compactMap { $0 }.map(label).joined(separator: " / ")
        return "\(source) \(near)\(edge.inverseName == nil ? "-->" : "--")\(far) \(destination) : \(names)"
    }

    /// Names of entities may contain dots, those in Mermaid may not.
    private static func identifier(_ name: String) -> String {
        String(name.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
    }

    /// The text without characters that are special in Mermaid.
    private static func label(_ text: String) -> String {
        String(text.map { "{}[]\"<>#;:`~".contains($0) ? " " : $0 })
    }
}
