// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Diagrams of every model of the collection.

import CoreData
import Foundation
import FoundationXML
import Testing

@testable import CoreDataToolKit

@Suite("Diagrams") struct DiagramTests {
    private func isWellFormed(_ text: String) -> Bool { XMLParser(data: Data(text.utf8)).parse() }

    @Test("the SVG of every readable model is well-formed and names every entity", .needsFixtures)
    func svg() throws {
        var drawn = 0
        for name in FixtureStores.modelSources {
            guard let summary = try? ModelSummary(model: FixtureStores.model(name)), !summary.entities.isEmpty else {
                continue
            }
            // The largest ones differ only in number from one another.
            guard drawn < 60 || summary.entities.count < 20 else { continue }
            let text = SVGDiagram.text(ModelGraph(summary))
            let isNamed = summary.entities.allSatisfy { text.contains("<title>\(SVGDiagram.escape($0.name))</title>") }
            #expect(isWellFormed(text) && isNamed, "\(name)")
            drawn += 1
        }
        #expect(drawn > 50)
    }

    @Test("a relationship and its inverse are one line", .needsFixtures)
    func inverse() throws {
        let folder = try TemporaryFolder()
        let opened = try OpenedStore(try folder.store("objcio_core-data__Moody.moody"))
        let graph = ModelGraph(try ModelSummary(store: opened))
        let lines = graph.edges.filter { $0.kind == .relationship }
        let ends = lines.map { Set([$0.name, $0.inverseName].compactMap { $0 }) }
        #expect(ends.contains(["moods", "country"]))
        #expect(Set(ends).count == ends.count)
        #expect(MermaidDiagram.text(graph).contains("GeographicRegion <|-- Country"))
    }

    @Test("no line crosses a box", .needsFixtures)
    func lines() throws {
        let name = "woocommerce_woocommerce-ios__WooCommerce--Model_99.contents.xml"
        let summary = try ModelSummary(model: FixtureStores.model(name))
        let text = SVGDiagram.text(ModelGraph(summary))
        #expect(summary.entities.count >= 60)
        let boxes = Self.numbers(
            in: text, #/<rect class="box" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/#)
        var crossings = 0
        for path in text.matches(of: #/<path class="line[^"]*"[^>]* d="([^"]+)"/#) {
            let points = path.1.split(separator: " ").map {
                $0.dropFirst().split(separator: ",").compactMap { Double($0) }
            }
            for (one, other) in zip(points, points.dropFirst()) {
                crossings += boxes.count { Self.crosses(one, other, $0) }
            }
        }
        #expect(boxes.count == summary.entities.count)
        #expect(crossings == 0)
    }

    @Test("no two lines run over one another in the gap between columns", .needsFixtures)
    func overlaps() throws {
        let folder = try TemporaryFolder()
        let opened = try OpenedStore(try folder.store("RhetTbull_photoscript__Photos.sqlite"))
        let text = SVGDiagram.text(ModelGraph(try ModelSummary(store: opened)))
        var taken: [Double: [(line: Int, range: ClosedRange<Double>)]] = [:]
        var count = 0
        for (line, path) in text.matches(of: #/<path class="line[^"]*"[^>]* d="([^"]+)"/#).enumerated() {
            let points = path.1.split(separator: " ").map {
                $0.dropFirst().split(separator: ",").compactMap { Double($0) }
            }
            for (one, other) in zip(points, points.dropFirst()) where one[0] == other[0] && one[1] != other[1] {
                let range = min(one[1], other[1])...max(one[1], other[1])
                count += taken[one[0], default: []].count { $0.line != line && $0.range.overlaps(range) }
                taken[one[0], default: []].append((line, range))
            }
        }
        #expect(count == 0 && taken.count > 50)
    }

    private static func numbers(
        in text: String, _ pattern: Regex<(Substring, Substring, Substring, Substring, Substring)>
    )
        -> [[Double]]
    {
        text.matches(of: pattern).map { [$0.1, $0.2, $0.3, $0.4].compactMap { Double($0) } }
    }

    /// Whether a horizontal or vertical stretch passes through the inside of a box.
    private static func crosses(_ one: [Double], _ other: [Double], _ box: [Double]) -> Bool {
        let (left, right) = (min(one[0], other[0]), max(one[0], other[0]))
        let (top, bottom) = (min(one[1], other[1]), max(one[1], other[1]))
        return right > box[0] + 1 && left < box[0] + box[2] - 1 && bottom > box[1] + 1 && top < box[1] + box[3] - 1
    }

    @Test("names with dots and angle brackets do no harm")
    func names() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("contents")
        try Data(
            """
            <?xml version="1.0"?><model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="com.example.Note"><attribute name="text" attributeType="String"/></entity></model>
            """.utf8
        ).write(to: url)
        let graph = ModelGraph(try ModelSummary(model: url))
        #expect(isWellFormed(SVGDiagram.text(graph)))
        #expect(MermaidDiagram.text(graph).contains("class com_example_Note[\"com.example.Note\"]"))
    }

    @Test("a model without entities gives an empty page")
    func empty() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("contents")
        try Data("<?xml version=\"1.0\"?><model type=\"com.apple.IDECoreDataModeler.DataModel\"/>".utf8).write(to: url)
        #expect(isWellFormed(SVGDiagram.text(ModelGraph(try ModelSummary(model: url)))))
    }
}
