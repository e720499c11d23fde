// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Draws a model: a box for each entity, a line for each pair of relationships.

import CoreDataToolKit

/// A drawing as markup. Colours and fonts come from the style sheet.
struct ModelPicture {
    private static let lineHeight = 18.0
    private static let headHeight = 30.0
    private static let letter = 7.0
    private static let linesShown = 14
    private static let margin = 24.0

    private struct Box {
        var outline: EntityOutline
        var lines: [EntityOutline.Property]
        var more: Int
        var size: LayeredLayout.Size

        init(_ outline: EntityOutline) {
            self.outline = outline
            let sorted =
                outline.properties.filter { $0.kind == .relationship }
                + outline.properties.filter { $0.kind != .relationship }
            lines = Array(sorted.prefix(sorted.count == linesShown + 1 ? linesShown + 1 : linesShown))
            more = sorted.count - lines.count
            let widest = lines.map { $0.name.count + $0.type.count + 3 }.max() ?? 0
            size = LayeredLayout.Size(
                width: max(120, Double(max(widest, outline.name.count + 4)) * letter + 20),
                height: headHeight + Double(lines.count + (more > 0 ? 1 : 0)) * lineHeight + 8)
        }

        /// The height of a property's line, from the middle of the box.
        func offset(of name: String?) -> Double {
            guard let name, let place = lines.firstIndex(where: { $0.name == name }) else {
                return headHeight / 2 - size.height / 2
            }
            return headHeight + (Double(place) + 0.5) * lineHeight + 2 - size.height / 2
        }
    }

    private struct Line {
        var edge: LayeredLayout.Edge
        var isInheritance = false
        /// The numbers of objects at the ends; nil where no relationship leads to.
        var source: End?
        var target: End?
        var title = ""

        /// Whether an object at one of the ends must have one at the other.
        var isRequired: Bool { [source, target].contains { $0?.isRequired == true } }
    }

    /// The end of a line: the objects that a relationship has there.
    private struct End {
        let text: String
        let isRequired: Bool

        init(_ relationship: EntityOutline.Property) {
            isRequired = !relationship.isOptional
            text = relationship.isToMany ? (isRequired ? "1..*" : "0..*") : isRequired ? "1" : "0..1"
        }
    }

    private let boxes: [Box]
    private let lines: [Line]
    private let layout: LayeredLayout

    init(_ entities: [EntityOutline]) {
        let boxes = entities.map(Box.init)
        let places = Dictionary(
            entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        var lines: [Line] = []
        var drawn: Set<String> = []
        for (number, entity) in entities.enumerated() {
            if let parent = entity.superentity.flatMap({ places[$0] }) {
                lines.append(
                    Line(
                        edge: .init(
                            source: parent, target: number, sourceOffset: boxes[parent].offset(of: nil),
                            targetOffset: boxes[number].offset(of: nil)), isInheritance: true,
                        title: "\(entity.name) is a \(entities[parent].name)"))
            }
            for relationship in entity.properties where relationship.kind == .relationship {
                guard let destination = relationship.destination.flatMap({ places[$0] }),
                    drawn.insert("\(entity.name).\(relationship.name)").inserted
                else { continue }
                let inverse = relationship.inverse.flatMap { name in
                    entities[destination].properties.first { $0.name == name && $0.kind == .relationship }
                }
                if let inverse, inverse.destination == entity.name {
                    drawn.insert("\(entities[destination].name).\(inverse.name)")
                }
                lines.append(Self.line(number, relationship, destination, inverse, boxes))
            }
        }
        self.boxes = boxes
        self.lines = lines
        layout = LayeredLayout(boxes.map(\.size), lines.map(\.edge))
    }

    /// A line goes from the end that is one to the end that is many.
    private static func line(
        _ source: Int, _ relationship: EntityOutline.Property, _ target: Int, _ inverse: EntityOutline.Property?,
        _ boxes: [Box]
    ) -> Line {
        let title =
            "\(boxes[source].outline.name).\(relationship.name) to \(boxes[target].outline.name)"
            + (inverse.map { ".\($0.name)" } ?? "")
        let line = Line(
            edge: .init(
                source: source, target: target, sourceOffset: boxes[source].offset(of: relationship.name),
                targetOffset: boxes[target].offset(of: inverse?.name)),
            source: inverse.map(End.init), target: End(relationship), title: title)
        guard !relationship.isToMany, inverse?.isToMany ?? true else { return line }
        return Line(
            edge: .init(
                source: target, target: source, sourceOffset: line.edge.targetOffset,
                targetOffset: line.edge.sourceOffset),
            source: line.target, target: line.source, title: title)
    }

    // MARK: Markup

    /// - Parameter address: the link of an entity; nil for none.
    func html(label: String, address: (String) -> String?) -> HTML {
        let width = layout.size.width + 2 * Self.margin + 40
        let height = layout.size.height + 2 * Self.margin
        return """
            <svg class="model" role="group" aria-label="\(label)" viewBox="0 0 \(width) \(height)" data-width="\(width)" data-height="\(height)" preserveAspectRatio="xMidYMid meet">
            \(lines.enumerated().html { path($0.offset, $0.element) })
            \(boxes.enumerated().html { box($0.offset, $0.element, address($0.element.outline.name)) })
            \(lines.enumerated().html { ends($0.offset, $0.element) })
            \(PictureLabel.spread(lines.enumerated().flatMap { labels($0.offset, $0.element) }).html(text))
            </svg>
            """
    }

    /// The points where a line begins and ends, and whether it leaves its source to the right.
    private func points(_ line: Line) -> (start: LayeredLayout.Point, end: LayeredLayout.Point, isForward: Bool) {
        let (source, target) = (line.edge.source, line.edge.target)
        if source == target {
            let x = layout.places[source].x + boxes[source].size.width + Self.margin
            let middle = layout.places[source].y + boxes[source].size.height / 2 + Self.margin
            let end = LayeredLayout.Point(x: x, y: middle + line.edge.targetOffset + 6)
            return (.init(x: x, y: middle + line.edge.sourceOffset), end, true)
        }
        let (from, to) = (layout.places[source], layout.places[target])
        let isForward = from.x < to.x
        let start = LayeredLayout.Point(
            x: from.x + (isForward ? boxes[source].size.width : 0) + Self.margin,
            y: from.y + boxes[source].size.height / 2 + line.edge.sourceOffset + Self.margin)
        let end = LayeredLayout.Point(
            x: to.x + (isForward ? 0 : boxes[target].size.width) + Self.margin,
            y: to.y + boxes[target].size.height / 2 + line.edge.targetOffset + Self.margin)
        return (start, end, isForward)
    }

    private func path(_ number: Int, _ line: Line) -> HTML {
        let style =
            line.isInheritance ? "line inheritance" : line.isRequired ? "line" : "line optional"
        let (start, end, _) = points(line)
        if line.edge.source == line.edge.target {
            let x = start.x
            return
                "<path class=\"\(style)\" d=\"M\(x) \(start.y) C\(x + 44) \(start.y - 14) \(x + 44) \(end.y + 14) \(x) \(end.y)\"><title>\(line.title)</title></path>"
        }
        let bends = layout.bends[number].map {
            LayeredLayout.Point(x: $0.x + Self.margin, y: $0.y + Self.margin)
        }
        var curve: HTML = "M\(start.x) \(start.y)"
        var last = start
        for next in bends + [end] {
            let middle = (last.x + next.x) / 2
            curve = curve + " C\(middle) \(last.y) \(middle) \(next.y) \(next.x) \(next.y)"
            last = next
        }
        return "<path class=\"\(style)\" d=\"\(curve)\"><title>\(line.title)</title></path>"
    }

    /// A filled circle where there is at least one object, an open one where there may be none, and a triangle at the
    /// superentity of an inheritance.
    private func ends(_ number: Int, _ line: Line) -> HTML {
        let (start, end, isForward) = points(line)
        if line.isInheritance {
            let tip = start.x + (isForward ? 11 : -11)
            return
                "<path class=\"end\" d=\"M\(start.x) \(start.y) L\(tip) \(start.y - 6) L\(tip) \(start.y + 6) z\"/>"
        }
        func circle(_ end: End?, _ point: LayeredLayout.Point, isRight: Bool) -> HTML {
            guard let end else { return .nothing }
            let style = end.isRequired ? "end required" : "end"
            return
                "<circle class=\"\(style)\" cx=\"\(point.x + (isRight ? 5 : -5))\" cy=\"\(point.y)\" r=\"3.5\"/>"
        }
        let isLoop = line.edge.source == line.edge.target
        return
            "\(circle(line.source, start, isRight: isForward))\(circle(line.target, end, isRight: isLoop || !isForward))"
    }

    private func labels(_ number: Int, _ line: Line) -> [PictureLabel] {
        guard !line.isInheritance else { return [] }
        let (start, end, isForward) = points(line)
        let isLoop = line.edge.source == line.edge.target
        return [
            (line.source, start, isForward, -5.0), (line.target, end, isLoop || !isForward, isLoop ? 13.0 : -5.0),
        ].compactMap { found, point, isRight, above in
            found.map {
                PictureLabel(text: $0.text, x: point.x + (isRight ? 10 : -10), y: point.y + above, isRight: isRight)
            }
        }
    }

    private func text(_ label: PictureLabel) -> HTML {
        "<text class=\"mark\" x=\"\(label.x)\" y=\"\(label.y)\" text-anchor=\"\(label.isRight ? "start" : "end")\">\(label.text)</text>"
    }

    /// The signs of the picture with their meanings. Studio-P1.
    static let legend: HTML = """
        <ul class="legend" aria-label="Signs of the picture">
        <li><svg class="model" viewBox="0 0 44 14" width="44" height="14" aria-hidden="true"><path class="line" d="M0 7 H44"/><circle class="end required" cx="38" cy="7" r="3.5"/></svg> required: at least one object</li>
        <li><svg class="model" viewBox="0 0 44 14" width="44" height="14" aria-hidden="true"><path class="line optional" d="M0 7 H44"/><circle class="end" cx="38" cy="7" r="3.5"/></svg> optional: there may be none</li>
        <li><svg class="model" viewBox="0 0 44 14" width="44" height="14" aria-hidden="true"><path class="line inheritance" d="M0 7 H44"/><path class="end" d="M0 7 L11 1 L11 13 z"/></svg> inherits from the entity at the triangle</li>
        <li><code>1..*</code> at least one, <code>0..*</code> any number</li>
        <li><code>String?</code> an attribute that may have no value</li></ul>
        """

    private func box(_ number: Int, _ box: Box, _ link: String?) -> HTML {
        let (x, y) = (layout.places[number].x + Self.margin, layout.places[number].y + Self.margin)
        let (width, height) = (box.size.width, box.size.height)
        let style = box.outline.isAbstract ? "entity abstract" : "entity"
        let lines = box.lines.enumerated().html { place, property in
            let base = y + Self.headHeight + (Double(place) + 0.5) * Self.lineHeight + 6
            return """
                <text class="\(property.kind == .relationship ? "name relationship" : "name")" x="\(x + 10)" y="\(base)">\(property.name)</text><text class="kind" x="\(x + width - 10)" y="\(base)" text-anchor="end">\(property.type)\(property.isOptional && property.kind == .attribute ? "?" : "")</text>
                """
        }
        let more: HTML =
            box.more > 0
            ? "<text class=\"kind\" x=\"\(x + 10)\" y=\"\(y + Self.headHeight + (Double(box.lines.count) + 0.5) * Self.lineHeight + 6)\">and \(box.more) more</text>"
            : .nothing
        let content: HTML = """
            <rect class="body" x="\(x)" y="\(y)" width="\(width)" height="\(height)" rx="6"/><path class="head" d="M\(x) \(y + Self.headHeight) v\(6 - Self.headHeight) q0 -6 6 -6 h\(width - 12) q6 0 6 6 v\(Self.headHeight - 6) z"/><text class="title" x="\(x + width / 2)" y="\(y + 20)" text-anchor="middle">\(box.outline.name)</text>\(lines)\(more)
            """
        guard let link else { return "<g class=\"\(style)\">\(content)</g>" }
        return "<a class=\"\(style)\" href=\"\(link)\" aria-label=\"\(box.outline.name)\">\(content)</a>"
    }
}
