// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Draws a model as SVG, with boxes in a grid and lines in the gaps.

import Foundation

/// Writes SVG.
package struct SVGDiagram {
    private static let trackWidth = 9.0
    private static let leastGap = 56.0
    private static let leastRowGap = 34.0

    private let graph: ModelGraph
    private let boxes: [DiagramBox]
    private let order: DiagramOrder
    private let routing: DiagramRouting
    /// The left edges of columns and of the gaps before them; the last gap has no column.
    private var columns: [Double] = []
    private var columnGaps: [Double] = []
    private var rows: [Double] = []
    private var rowGaps: [Double] = []
    private var size = (width: 0.0, height: 0.0)

    /// - Complexity: quadratic in the number of entities.
    package static func text(_ graph: ModelGraph) -> String { SVGDiagram(graph).svg }

    private init(_ graph: ModelGraph) {
        self.graph = graph
        boxes = graph.nodes.map(DiagramBox.init)
        order = Self.order(graph, boxes)
        routing = DiagramRouting(graph, order)
        place()
    }

    /// The grid with an aspect ratio closest to a page in landscape format.
    private static func order(_ graph: ModelGraph, _ boxes: [DiagramBox]) -> DiagramOrder {
        let middle = Double(max(1, boxes.count)).squareRoot()
        let candidates = Int(middle / 2)...max(1, Int(middle * 2.5))
        let orders = candidates.map { DiagramOrder(graph, columns: max(1, $0)) }
        func distance(_ order: DiagramOrder) -> Double {
            var widths = Array(repeating: 0.0, count: order.columnCount)
            var heights = Array(repeating: 0.0, count: order.rowCount)
            for (node, place) in order.places.enumerated() {
                widths[place.column] = max(widths[place.column], boxes[node].width + 80)
                heights[place.row] = max(heights[place.row], boxes[node].height + 50)
            }
            return abs(log(widths.reduce(1, +) / heights.reduce(1, +) / 1.4))
        }
        return orders.min { distance($0) < distance($1) } ?? DiagramOrder(graph, columns: 1)
    }

    private mutating func place() {
        var widths = Array(repeating: 0.0, count: order.columnCount)
        var heights = Array(repeating: 0.0, count: order.rowCount)
        for (node, place) in order.places.enumerated() {
            widths[place.column] = max(widths[place.column], boxes[node].width)
            heights[place.row] = max(heights[place.row], boxes[node].height)
        }
        size.width = Self.run(widths, routing.columnTracks, Self.leastGap, &columns, &columnGaps)
        size.height = Self.run(heights, routing.rowTracks, Self.leastRowGap, &rows, &rowGaps)
    }

    /// Lays out gaps and boxes along one direction and returns the total length.
    private static func run(
        _ lengths: [Double], _ tracks: [Int], _ leastGap: Double, _ starts: inout [Double], _ gaps: inout [Double]
    ) -> Double {
        var position = 0.0
        for (number, count) in tracks.enumerated() {
            gaps.append(position)
            position += max(leastGap, Double(count + 1) * trackWidth + 30)
            if number < lengths.count {
                starts.append(position)
                position += lengths[number]
            }
        }
        return position
    }

    // MARK: Text

    private var svg: String {
        var parts = [
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" width="\(text(size.width))" height="\(text(size.height))" \
            viewBox="0 0 \(text(size.width)) \(text(size.height))">
            \(Self.style)
            <rect class="page" width="100%" height="100%"/>
            """
        ]
        for (position, edge) in graph.edges.enumerated() {
            parts.append(line(edge, routing.routes[position], position))
        }
        for node in graph.nodes.indices { parts.append(box(node)) }
        for (position, edge) in graph.edges.enumerated() { parts += labels(edge, routing.routes[position]) }
        parts.append("</svg>")
        return parts.joined(separator: "\n") + "\n"
    }

    private static let style = """
        <style>
          text { font: 11px Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1d2433; }
          .page { fill: #ffffff; }
          .box { fill: #fbfcfe; stroke: #48566e; }
          .head { fill: #dfe7f3; stroke: #48566e; }
          .title { font-weight: bold; font-size: 12px; }
          .abstract { font-style: italic; }
          .type { fill: #6b778c; }
          .count { font-size: 10px; fill: #333333; paint-order: stroke; stroke: #ffffff; stroke-width: 3px; }
          .line { fill: none; stroke-width: 1.3; }
          .inheritance { stroke: #48566e; stroke-width: 1.6; }
        </style>
        <defs>
          <marker id="super" viewBox="0 0 12 12" refX="11" refY="6" markerWidth="11" markerHeight="11" orient="auto">
            <path d="M1,1 L11,6 L1,11 Z" fill="#ffffff" stroke="#48566e"/>
          </marker>
          <marker id="arrow" viewBox="0 0 12 12" refX="11" refY="6" markerWidth="9" markerHeight="9" orient="auto">
            <path d="M1,1 L11,6 L1,11" fill="none" stroke="context-stroke"/>
          </marker>
        </defs>
        """

    /// Adjacent lines have clearly distinct colours.
    private static let colors = [
        "#2563a8", "#b3541e", "#2f855a", "#8a3ea0", "#a61e4d", "#0b7285", "#7a6a00", "#5b4fc7",
    ]

    private func box(_ node: Int) -> String {
        let box = boxes[node]
        let (x, y) = (left(node), top(node))
        var parts = [
            "<g><title>\(Self.escape(graph.nodes[node].name))</title>",
            rect("box", x, y, box.width, box.height), rect("head", x, y, box.width, DiagramBox.titleHeight),
            label(box.title, x + box.width / 2, y + 17, box.isAbstract ? "title abstract" : "title", anchor: "middle"),
        ]
        for (position, line) in box.lines.enumerated() {
            let base = y + box.middle(ofLine: position) + 4
            switch line {
            case .attribute(let name, let type):
                parts.append(label(name, x + 8, base, ""))
                parts.append(label(type, x + box.width - 8, base, "type", anchor: "end"))
            case .relationship(let name, let type):
                parts.append(label(name, x + 8, base, "abstract"))
                parts.append(label(type, x + box.width - 8, base, "type abstract", anchor: "end"))
            case .note(let text): parts.append(label(text, x + 8, base, "type"))
            }
        }
        return (parts + ["</g>"]).joined(separator: "\n")
    }

    private func line(_ edge: ModelGraph.Edge, _ route: DiagramRouting.Route, _ position: Int) -> String {
        let path = points(edge, route).enumerated().map { step, point in
            (step == 0 ? "M" : "L") + "\(text(point.x)),\(text(point.y))"
        }.joined(separator: " ")
        switch edge.kind {
        case .inheritance: return "<path class=\"line inheritance\" d=\"\(path)\" marker-end=\"url(#super)\"/>"
        case .relationship:
            let color = Self.colors[position % Self.colors.count]
            let arrow = edge.inverseName == nil ? " marker-end=\"url(#arrow)\"" : ""
            return "<path class=\"line\" stroke=\"\(color)\" d=\"\(path)\"\(arrow)/>"
        }
    }

    private func labels(_ edge: ModelGraph.Edge, _ route: DiagramRouting.Route) -> [String] {
        guard edge.kind == .relationship else { return [] }
        let points = points(edge, route)
        func label(_ text: String?, _ point: (x: Double, y: Double)?, isRight: Bool) -> String? {
            guard let text, let point else { return nil }
            return self.label(
                text, point.x + (isRight ? 4 : -4), point.y - 3, "count", anchor: isRight ? "start" : "end")
        }
        return [
            label(edge.sourceCardinality, points.first, isRight: route.startsAtRight),
            label(edge.destinationCardinality, points.last, isRight: route.endsAtRight),
        ].compactMap { $0 }
    }

    // MARK: Places

    private func left(_ node: Int) -> Double { columns[order.places[node].column] }
    private func top(_ node: Int) -> Double { rows[order.places[node].row] }

    private func points(_ edge: ModelGraph.Edge, _ route: DiagramRouting.Route) -> [(x: Double, y: Double)] {
        let isInheritance = edge.kind == .inheritance
        let start = end(edge.source, isInheritance ? nil : edge.name, isRight: route.startsAtRight)
        var last = end(edge.destination, isInheritance ? nil : edge.inverseName, isRight: route.endsAtRight)
        // A relationship that is its own inverse would return to its starting point.
        if last == start { last.y += 6 }
        let first = track(columnGaps, route.firstGap, route.firstTrack)
        guard let middle = route.middle else { return [start, (first, start.y), (first, last.y), last] }
        let height = track(rowGaps, middle.rowGap, middle.rowTrack)
        let second = track(columnGaps, middle.lastGap, middle.lastTrack)
        return [start, (first, start.y), (first, height), (second, height), (second, last.y), last]
    }

    private func end(_ node: Int, _ relationship: String?, isRight: Bool) -> (x: Double, y: Double) {
        (left(node) + (isRight ? boxes[node].width : 0), top(node) + boxes[node].height(of: relationship))
    }

    /// The position of a track, to the right of the label next to a box.
    private func track(_ gaps: [Double], _ gap: Int, _ track: Int) -> Double {
        gaps[gap] + 22 + Double(track) * Self.trackWidth
    }

    // MARK: Elements

    private func rect(_ style: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double) -> String {
        "<rect class=\"\(style)\" x=\"\(text(x))\" y=\"\(text(y))\" width=\"\(text(width))\" height=\"\(text(height))\"/>"
    }

    private func label(_ content: String, _ x: Double, _ y: Double, _ style: String, anchor: String = "start") -> String
    {
        "<text x=\"\(text(x))\" y=\"\(text(y))\" class=\"\(style)\" text-anchor=\"\(anchor)\">\(Self.escape(content))</text>"
    }

    private func text(_ number: Double) -> String { JSONValue.numberText((number * 10).rounded() / 10) }

    /// The text without characters that XML reserves or forbids.
    static func escape(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
