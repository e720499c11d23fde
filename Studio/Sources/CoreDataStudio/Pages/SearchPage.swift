// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A search through the texts of all entities. Studio-Q3.

import CoreData
import CoreDataToolKit
import Foundation

extension Site {
    /// The objects of one entity that a search has found.
    struct FoundObjects: Sendable {
        struct Hit: Sendable {
            let name: ObjectName
            let attribute: String
            /// `Cell.excerpt`
            let excerpt: Cell
        }

        let entityName: String
        let hits: [Hit]
        let hasMore: Bool
        /// The query of the grid that shows all of them; nil for a condition that is too long for a filter.
        let query: [(String, String?)]?
    }

    private static let longestSearch = 200

    /// - Parameter query: `q` are the words.
    func searchPage(_ session: StudioSession, _ query: [String: String]) async throws -> HTML {
        let words = (query["q"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        guard words.count <= Self.longestSearch else {
            throw SiteFailure(status: 400, message: "A search has at most \(Self.longestSearch) characters.")
        }
        let counts = try await session.read { try $0.entityCounts() }
        var found: [FoundObjects] = []
        if !words.isEmpty {
            for entity in counts where entity.count > 0 {
                // A request that has ended needs no further entities, and other pages get their turn between two.
                try Task.checkCancellation()
                if let objects = try await session.read({ try $0.found(words, entity.name) }) { found.append(objects) }
            }
        }
        let list: HTML =
            words.isEmpty
            ? "<p class=\"faint\">Objects of all entities whose texts have all of these words.</p>"
            : found.isEmpty ? "<p role=\"status\">Nothing has these words.</p>" : found.html(objects)
        return Shell(self).page(
            title: "Search", section: .search, entities: counts,
            """
            <h1>Search</h1>
            <form method="get" action="\(address("search"))" class="row" role="search" data-still="true"><label class="hidden-text" for="search">Words</label>
            <input id="search" name="q" type="search" value="\(words)" autocomplete="off" placeholder="words" aria-keyshortcuts="s"><button type="submit" class="primary">Search</button></form>
            \(list)
            """)
    }

    private func objects(_ found: FoundObjects) -> HTML {
        let hits = found.hits.html { hit in
            """
            <li><a href="\(address.object(hit.name.id))"><bdi>\(hit.name.title)</bdi></a> <span class="faint">\(hit.name.id) · \(hit.attribute)</span><div class="excerpt"><bdi>\(CellHTML.marked(hit.excerpt))</bdi></div></li>
            """
        }
        let all: HTML
        if let query = found.query {
            let link = address.make(["data", found.entityName], query: query)
            all = "<p><a href=\"\(link)\">\(found.hasMore ? "Show all" as HTML : "Show them")</a> in a grid</p>"
        } else {
            all = found.hasMore ? "<p class=\"faint\">There are more.</p>" : .nothing
        }
        return "<section class=\"hits\"><h2>\(found.entityName)</h2><ul>\(hits)</ul>\(all)</section>"
    }
}

extension Desk {
    private static let hitsShown = 10

    /// The first objects of an entity, without its subentities, that have all words of a text.
    ///
    /// - Returns: nil if none has them.
    func found(_ text: String, _ name: String) throws -> Site.FoundObjects? {
        let entity = try entity(name)
        guard !entity.isAbstract else { return nil }
        let request = NSFetchRequest<NSManagedObject>(entityName: name)
        request.includesSubentities = false
        request.fetchLimit = Self.hitsShown + 1
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        let keys = entity.attributesByName.values.filter { $0.attributeType == .stringAttributeType }.map(\.name)
            .sorted()
        guard !keys.isEmpty, !words.isEmpty else { return nil }
        let query = SearchQuery(userText: text)
        let objects: [NSManagedObject]
        let filter: (String, String?)
        if try isIndexed(query, entity) {
            objects = try context.search(query, in: request).map(\.object)
            filter = ("search", text)
        } else {
            let names = keys.map { filterKey($0, of: entity) }
            let text = words.map { word in
                "("
                    + names.map { "\($0) CONTAINS[cd] \(FilterCondition.quoted(word))" }.joined(separator: " OR ")
                    + ")"
            }.joined(separator: " AND ")
            request.predicate = try store.predicate(text, of: entity)
            objects = try context.fetch(request)
            filter = ("q", text)
        }
        guard !objects.isEmpty else { return nil }
        let hits = objects.prefix(Self.hitsShown).map { object in
            let place = keys.lazy.compactMap { key -> (String, Cell)? in
                let excerpt =
                    BrowsedStore.excerpt(of: key, in: object, matching: query)
                    ?? Self.excerpt(of: key, in: object, [text] + words)
                return excerpt.map { (key, $0) }
            }.first
            return Site.FoundObjects.Hit(
                name: ObjectName(object), attribute: place?.0 ?? "",
                excerpt: place?.1 ?? .excerpt(attribute: "", text: "", matches: []))
        }
        return Site.FoundObjects(
            entityName: name, hits: hits, hasMore: objects.count > Self.hitsShown,
            query: (filter.1?.count ?? 0) > ViewDefinition.filterLimit ? nil : [filter])
    }

    /// A key in the predicate language, which marks keys that are also its words.
    private func filterKey(_ name: String, of entity: NSEntityDescription) -> String {
        (try? store.predicate("\(name) == nil", of: entity)) == nil ? "#\(name)" : name
    }

    /// Whether the store answers a search by an index. Without one it would read all texts of the entity.
    private func isIndexed(_ query: SearchQuery, _ entity: NSEntityDescription) throws -> Bool {
        guard BrowsedStore.isSearched(entity), !query.isEmpty else { return false }
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
        request.predicate = NSPredicate(format: "SELF MATCHING %@", query)
        return try request.explain(in: context).stores.allSatisfy { $0.sql != nil && $0.inMemory.isEmpty }
    }

    /// The part of a text around a match; nil without one.
    ///
    /// - Parameter words: the first one that the text has is marked.
    private static func excerpt(of key: String, in object: NSManagedObject, _ words: [String]) -> Cell? {
        guard let text = object.value(forKey: key) as? String else { return nil }
        let matches = words.lazy.compactMap { word in
            text.range(of: word, options: [.caseInsensitive, .diacriticInsensitive])
        }
        guard let match = matches.first else { return nil }
        let start = text.index(match.lowerBound, offsetBy: -40, limitedBy: text.startIndex) ?? text.startIndex
        let end = text.index(match.upperBound, offsetBy: 80, limitedBy: text.endIndex) ?? text.endIndex
        let scalars = text.unicodeScalars
        let from = scalars.distance(from: start, to: match.lowerBound)
        let length = scalars.distance(from: match.lowerBound, to: match.upperBound)
        return .excerpt(attribute: key, text: String(text[start..<end]), matches: [from..<(from + length)])
    }
}
