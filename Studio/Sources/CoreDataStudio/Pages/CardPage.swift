// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The card of an object: attributes by type, relationships to follow, the trail, the history.

import CoreData
import CoreDataToolKit
import Foundation

extension Site {
    private static let trailLimit = 8

    func cardPage(_ session: StudioSession, _ id: String, _ query: [String: String]) async throws -> HTML {
        let names = Array((query["trail"] ?? "").split(separator: ",").map(String.init).suffix(Self.trailLimit))
        let (counts, card, trail) = try await session.read { desk in
            let trail = names.compactMap { name in
                (try? desk.object(name)).map { (id: name, title: ObjectTitle.text(of: $0)) }
            }
            return (try desk.entityCounts(), try desk.card(id), trail)
        }
        let next = Array((trail.map(\.id).filter { $0 != id } + [id]).suffix(Self.trailLimit))
        let isEditable = session.isWritable && !card.isDeleted
        return Shell(self).page(
            title: card.title, section: .data, entities: counts, entity: card.entityName,
            """
            <article class="card" data-object="\(card.id)">
            \(trailList(card, trail))
            <div class="grid-head"><h1>\(card.title) \(state(card))</h1>
            \(isEditable ? "<button type=\"button\" class=\"danger\" data-action=\"delete\" data-object=\"\(card.id)\">Delete…</button>" : .nothing)
            </div>
            <p class="faint uri">\(card.entityName) · <code>\(card.uri)</code></p>
            \(card.errors.html { "<p class=\"error\">\($0)</p>" })
            <section aria-labelledby="attributes"><h2 id="attributes">Attributes</h2>
            <dl class="fields">\(card.attributes.html { field($0, of: card, isEditable: isEditable) })</dl></section>
            \(card.relationships.isEmpty ? .nothing : "<section aria-labelledby=\"relationships\"><h2 id=\"relationships\">Relationships</h2><div class=\"links\">\(card.relationships.html { relationship($0, of: card, trail: next, isEditable: isEditable) })</div></section>")
            \(history(card))
            </article>
            """)
    }

    private func trailList(_ card: ObjectCard, _ trail: [(id: String, title: String)]) -> HTML {
        let before = trail.filter { $0.id != card.id }
        let links = before.enumerated().html { place, step in
            let earlier = before.prefix(place).map(\.id)
            return "<li><a href=\"\(address.object(step.id, trail: Array(earlier)))\">\(step.title)</a></li>"
        }
        return """
            <nav class="trail" aria-label="Trail"><ol><li><a href="\(address("data", card.entityName))">\(card.entityName)</a></li>\(links)<li aria-current="page">\(card.title)</li></ol></nav>
            """
    }

    private func state(_ card: ObjectCard) -> HTML {
        if card.isDeleted { return "<span class=\"badge broken\">deleted, not saved</span>" }
        switch card.edit {
        case .none: return .nothing
        case .inserted: return "<span class=\"badge writable\">new</span>"
        case .updated: return "<span class=\"badge writable\">edited</span>"
        }
    }

    // MARK: Attributes

    func view(_ attribute: ObjectCard.Attribute, of card: ObjectCard) -> HTML {
        let path = card.id.split(separator: "/").map(String.init)
        let blob = address.make(["blob"] + path + [attribute.path])
        switch attribute.cell {
        case .null: return "<span class=\"null\">no value</span>"
        case .string(let text): return text.contains(where: \.isNewline) ? "<pre>\(text)</pre>" : "\(text)"
        case .url(let url):
            guard let scheme = url.scheme?.lowercased(), ["http", "https", "mailto"].contains(scheme) else {
                return "<code>\(url.absoluteString)</code>"
            }
            return
                "<a href=\"\(url.absoluteString)\" rel=\"noreferrer noopener\" target=\"_blank\">\(url.absoluteString)</a>"
        case .uuid(let uuid): return "<code>\(uuid.uuidString)</code>"
        case .date(let date):
            return
                "<time datetime=\"\(Cell.text(of: date))\">\(LocalTime.text(of: date))</time> <span class=\"faint\">\(Cell.text(of: date))</span>"
        case .data(let data): return self.data(data, blob)
        case .structure(let value, let data):
            return "\(TreeHTML.tree(value))\(download(data, blob, "data"))"
        case .archive(let name, let data):
            return "<p>An archive of \(name), whose class is not known here.</p>\(download(data, blob, "archive"))"
        case .transformed(let name, let content, let data):
            let kind: HTML = "<p class=\"faint\">\(name.map { "An archive of \($0)" } ?? "Transformed data")</p>"
            if let content { return "\(kind)\(TreeHTML.tree(content))\(download(data, blob, "data"))" }
            return "\(kind)\(self.data(data, blob))"
        case .missing(let file): return "<p class=\"error\">The file \(file) is missing.</p>"
        case .composite: return TreeHTML.tree(attribute.cell)
        default: return "\(attribute.cell.tableText)"
        }
    }

    private func data(_ data: Data, _ blob: String) -> HTML {
        let kind = DataKind(data)
        if kind.imageType != nil {
            return "<img class=\"picture\" src=\"\(blob)\" alt=\"\(kind.title)\">\(download(data, blob, kind.title))"
        }
        if kind == .text, let text = String(data: data.prefix(20_000), encoding: .utf8) {
            return "<pre>\(text)</pre>\(download(data, blob, "text"))"
        }
        let hex = data.prefix(64).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
        return "<pre class=\"hex\">\(hex)\(data.count > 64 ? " …" : "")</pre>\(download(data, blob, "data"))"
    }

    private func download(_ data: Data, _ blob: String, _ kind: String) -> HTML {
        "<p class=\"faint\"><a href=\"\(blob)\" download>\(kind), \(CountText.size(data.count))</a></p>"
    }

    // MARK: Relationships and history

    private func relationship(
        _ link: ObjectCard.Relationship, of card: ObjectCard, trail: [String], isEditable: Bool
    ) -> HTML {
        let id = "link-\(link.name)"
        let members = link.members.html { member in
            let remove: HTML =
                isEditable && link.isToMany
                ? "<button type=\"button\" class=\"quiet\" data-remove=\"\(member.id)\" data-property=\"\(link.name)\" aria-label=\"Remove \(member.title) from \(link.name)\">×</button>"
                : .nothing
            return """
                <li><a href="\(address.object(member.id, trail: trail))">\(member.title)</a> <span class="faint">\(member.id)</span>\(remove)</li>
                """
        }
        let more: HTML
        if link.total > link.members.count || link.isToMany && link.total > 0, let filter = link.filter {
            more =
                "<p><a href=\"\(address.make(["data", link.destination], query: [("q", filter)]))\">Show \(link.total == 1 ? "it" : "all \(CountText.text(link.total))") in a grid</a></p>"
        } else if link.total > link.members.count {
            more = "<p class=\"faint\">and \(CountText.text(link.total - link.members.count)) more</p>"
        } else {
            more = .nothing
        }
        let list: HTML =
            link.members.isEmpty
            ? "<p class=\"null\">\(link.isToMany ? "no members" : "no value")</p>"
            : link.isOrdered ? "<ol>\(members)</ol>" : "<ul>\(members)</ul>"
        let picker: HTML =
            isEditable
            ? """
            <div class="editor"><label class="hidden-text" for="\(id)">\(link.isToMany ? "Add to \(link.name)" : "Set \(link.name)")</label>
            <input type="text" id="\(id)" class="picker" data-link="\(link.name)" data-many="\(link.isToMany ? "true" : "")" data-destination="\(link.destination)" placeholder="\(link.isToMany ? "add" : "set"): title or \(link.destination)/3" autocomplete="off" list="\(id)-list" aria-describedby="\(id)-error"><datalist id="\(id)-list"></datalist>\(
                !link.isToMany && link.total > 0 && link.isOptional
                    ? "<button type=\"button\" class=\"quiet clear\" data-clear=\"\(link.name)\" aria-label=\"Remove the value of \(link.name)\">×</button>" as HTML : .nothing)</div>
            <div class="field-error" id="\(id)-error" role="alert">\(link.errors.html { "<p>\($0)</p>" })</div>
            """ : .nothing
        return """
            <div class="link"><h3>\(link.name) <span class="count">\(link.isToMany ? CountText.text(link.total) : "")</span> <span class="type">\(link.destination)\(link.isToMany ? (link.isOrdered ? "* ordered" : "*") : "")</span></h3>\(list)\(more)\(picker)</div>
            """
    }

    private func history(_ card: ObjectCard) -> HTML {
        guard let changes = card.history else { return .nothing }
        let rows = changes.html { change in
            """
            <li><time>\(LocalTime.text(of: change.date))</time> \(change.kind)\(change.author.isEmpty ? "" : " by \(change.author)")\(
                change.properties.isEmpty ? "" : ": \(change.properties.joined(separator: ", "))") <a class="faint" href="\(address("history", query: [("transaction", "\(change.number)")]))">transaction \(change.number)</a></li>
            """
        }
        let list: HTML =
            changes.isEmpty ? "<p class=\"null\">no changes are kept</p>" : "<ol class=\"timeline\">\(rows)</ol>"
        return "<section aria-labelledby=\"history\"><h2 id=\"history\">History</h2>\(list)</section>"
    }

    // MARK: Data

    /// The bytes of an attribute. The browser shows only images; all others are downloads.
    func blob(_ session: StudioSession, _ id: String, key: String) async throws -> SiteResponse {
        let data = try await session.read { desk -> Data? in
            let object = try desk.object(id)
            guard let place = try? ValuePlace(key, in: object.entity) else { throw SiteFailure.notFound }
            return place.value(in: object) as? Data
        }
        guard let data else { throw SiteFailure.notFound }
        let type = DataKind(data).imageType
        var response = SiteResponse(type: type ?? "application/octet-stream", body: .data(data))
        response.headers["content-disposition"] = type == nil ? "attachment; filename=\"data.bin\"" : "inline"
        response.headers["content-security-policy"] = "default-src 'none'; sandbox"
        return response
    }

    struct Candidate: Encodable, Sendable {
        let id: String
        let title: String
    }

    /// The first objects with titles that begin with a text.
    func candidates(_ session: StudioSession, _ name: String, _ text: String) async throws -> [Candidate] {
        try await session.read { desk in
            let entity = try desk.entity(name)
            let request = NSFetchRequest<NSManagedObject>(entityName: name)
            if let key = ObjectTitle.key(of: entity), !text.isEmpty {
                request.predicate = NSPredicate(format: "%K BEGINSWITH[cd] %@", key, text)
            }
            request.fetchLimit = 20
            return try desk.context.fetch(request).map { Candidate(id: $0.studioID, title: ObjectTitle.text(of: $0)) }
        }
    }
}

/// Structures as lists in lists.
enum TreeHTML {
    private static let limit = 500

    /// The elements of a composite attribute, and their contents.
    static func tree(_ cell: Cell) -> HTML {
        guard case .composite(let elements) = cell else {
            if case .structure(let value, _) = cell { return tree(value) }
            return "<span class=\"text\">\(CellHTML.grid(cell).content)</span>"
        }
        return """
            <div class="tree"><ul>\(elements.html { "<li><span class=\"key\">\($0.0)</span> \(tree($0.1))</li>" })</ul></div>
            """
    }

    static func tree(_ value: JSONValue) -> HTML {
        var left = limit
        return "<div class=\"tree\">\(node(value, &left))</div>"
    }

    private static func node(_ value: JSONValue, _ left: inout Int) -> HTML {
        guard left > 0 else { return "<span class=\"faint\">…</span>" }
        left -= 1
        switch value {
        case .null: return "<span class=\"null\">null</span>"
        case .boolean(let value): return value ? "true" : "false"
        case .number(let digits): return "<span class=\"digits\">\(digits)</span>"
        case .string(let text): return "<span class=\"text\">\(text)</span>"
        case .array(let values):
            guard !values.isEmpty else { return "<span class=\"null\">empty list</span>" }
            var items = HTML.nothing
            for value in values where left > 0 { items = items + "<li>\(node(value, &left))</li>" }
            return "<ol start=\"0\">\(items)</ol>"
        case .object(let members):
            guard !members.isEmpty else { return "<span class=\"null\">empty</span>" }
            var items = HTML.nothing
            for member in members where left > 0 {
                items = items + "<li><span class=\"key\">\(member.key)</span> \(node(member.value, &left))</li>"
            }
            return "<ul>\(items)</ul>"
        }
    }
}
