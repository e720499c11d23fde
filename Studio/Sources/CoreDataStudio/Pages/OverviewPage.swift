// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The first page: entities with counts, and facts about the file.

import CoreData
import CoreDataToolKit
import Foundation

extension Desk {
    /// The numbers of objects by entity, including those of subentities, in the order of names.
    func entityCounts() throws -> [(name: String, count: Int)] {
        try views.counts {
            try store.model.entities.compactMap { entity in
                guard let name = entity.name else { return nil }
                return (name, try context.count(for: NSFetchRequest<NSManagedObject>(entityName: name)))
            }.sorted { $0.0 < $1.0 }
        }
    }
}

extension Site {
    func overviewPage(_ session: StudioSession) async throws -> HTML {
        let (counts, facts, outlines) = try await session.read { desk in
            (try desk.entityCounts(), desk.store.facts, desk.store.outlines)
        }
        let byName = Dictionary(outlines.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let rows = counts.html { entity in
            let outline = byName[entity.name]
            let number = { (kind: EntityOutline.Property.Kind) in
                outline?.properties.count { $0.kind == kind } ?? 0
            }
            let parent = outline?.superentity.map { " <span class=\"faint\">is a \($0)</span>" as HTML }
            let mark: HTML = outline?.isAbstract == true ? " <span class=\"badge\">abstract</span>" : ""
            return """
                <tr><th scope="row"><a href="\(address("data", entity.name))">\(entity.name)</a>\(mark)\(parent)</th>
                <td class="number">\(CountText.text(entity.count))</td>
                <td class="number">\(number(.attribute))</td><td class="number">\(number(.relationship))</td></tr>
                """
        }
        return Shell(self).page(
            title: "Entities", section: .data, entities: counts,
            """
            <h1>Entities</h1>
            <div class="table-wrap" tabindex="0" role="region" aria-label="Entities with counts"><table class="plain">
            <thead><tr><th scope="col">Entity</th><th scope="col" class="number">Objects</th>
            <th scope="col" class="number">Attributes</th><th scope="col" class="number">Relationships</th></tr></thead>
            <tbody>\(rows)</tbody></table></div>
            <h2>File</h2>
            <dl class="facts">\(facts.html { "<dt>\($0.title)</dt><dd>\($0.value)</dd>" })</dl>
            """)
    }
}
