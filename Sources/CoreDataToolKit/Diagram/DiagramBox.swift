// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The text in the box of an entity, and the size of the box.

/// One box: its lines and their positions.
struct DiagramBox {
    enum Line {
        case attribute(String, type: String)
        case relationship(String, type: String)
        case note(String)
    }

    static let lineHeight = 16.0
    static let titleHeight = 26.0
    /// The width of a letter in the monospaced font.
    static let letterWidth = 6.7
    /// Further attributes are only counted, so that a single entity does not determine the size of the page.
    static let maximumAttributes = 30

    let title: String
    let isAbstract: Bool
    let lines: [Line]
    let width: Double
    private let relationshipLines: [String: Int]

    init(_ node: ModelGraph.Node) {
        title = node.name + (node.count.map { " (\($0))" } ?? "")
        isAbstract = node.isAbstract
        var lines: [Line] = node.attributes.prefix(Self.maximumAttributes).map { .attribute($0.name, type: $0.type) }
        if node.attributes.count > Self.maximumAttributes {
            lines.append(.note("… and \(node.attributes.count - Self.maximumAttributes) more attributes"))
        }
        var positions: [String: Int] = [:]
        for relationship in node.relationships {
            positions[relationship.name] = lines.count
            lines.append(.relationship(relationship.name, type: relationship.type))
        }
        self.lines = lines
        relationshipLines = positions
        let letters = lines.map { line in
            switch line {
            case .attribute(let name, let type), .relationship(let name, let type):
                TableText.width(name) + TableText.width(type) + 3
            case .note(let text): TableText.width(text)
            }
        }
        let widest = max(letters.max() ?? 0, (TableText.width(title) * 6 + 4) / 5)
        width = max(90, Double(widest) * Self.letterWidth + 20)
    }

    var height: Double { Self.titleHeight + Double(lines.count) * Self.lineHeight + (lines.isEmpty ? 0 : 8) }

    /// The y position of a relationship's line in the box; that of the title for nil.
    func height(of relationship: String?) -> Double {
        guard let position = relationship.flatMap({ relationshipLines[$0] }) else { return Self.titleHeight / 2 }
        return middle(ofLine: position)
    }

    func middle(ofLine position: Int) -> Double { Self.titleHeight + 4 + (Double(position) + 0.5) * Self.lineHeight }
}
