// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The grid of an entity: filter box, columns, and the first window of rows.

import CoreData
import CoreDataToolKit
import Foundation

extension Site {
    private static let firstWindow = 40

    func gridPage(_ session: StudioSession, _ name: String, _ query: [String: String]) async throws -> HTML {
        let definition = try ViewDefinition(entityName: name, query: query)
        let (counts, columns, facts, result) = try await session.read { desk in
            let entity = try desk.entity(name)
            // Counted first: a view without a filter has as many rows as its entity has objects.
            let counts = try desk.entityCounts()
            let result: Result<RowWindow, FilterMistake>
            do {
                result = .success(try desk.window(definition, from: 0, count: Self.firstWindow))
            } catch let mistake as FilterMistake {
                result = .failure(mistake)
            }
            let facts = (
                isAbstract: entity.isAbstract, isSearched: BrowsedStore.isSearched(entity),
                places: FilterCondition.places(entity).map { (path: $0.path, kind: $0.kind) }
            )
            return (counts, Column.all(of: entity), facts, result)
        }
        let hidden = Set((query["hide"] ?? "").split(separator: ",").map(String.init))
        let shell = Shell(self)
        var total = 0
        var rows = HTML.nothing
        var mistake: FilterMistake?
        switch result {
        case .success(let window):
            total = window.total
            rows = rowsFragment(window, name, columns)
        case .failure(let found): mistake = found
        }
        let canInsert = session.isWritable && !facts.isAbstract
        return shell.page(
            title: name, section: .data, entities: counts, entity: name, script: "grid.js",
            """
            <div class="grid-head">
            <h1>\(name) <span class="count" id="total">\(CountText.text(total, "object"))</span></h1>
            \(canInsert ? "<button type=\"button\" data-action=\"insert\" data-entity=\"\(name)\">New \(name)</button>" : .nothing)
            </div>
            \(filterBox(name, definition, hidden, mistake, isSearched: facts.isSearched))
            <div id="explanation" class="explanation" hidden></div>
            \(tools(name, columns, facts.places, hidden, query))
            \(table(name, definition, columns, total, rows))
            """)
    }

    private func filterBox(
        _ name: String, _ definition: ViewDefinition, _ hidden: Set<String>, _ mistake: FilterMistake?,
        isSearched: Bool
    ) -> HTML {
        let search: HTML =
            !isSearched
            ? .nothing
            : """
            <label for="search">Search</label>
            <input id="search" name="search" type="search" value="\(definition.search)" autocomplete="off" autocapitalize="off" spellcheck="false"
             placeholder="words" aria-keyshortcuts="s">
            """
        let error: HTML = mistake.map { mistakeText($0, definition.filter) } ?? .nothing
        let sort = definition.sortKey.map { (definition.isAscending ? "" : "-") + $0 } ?? ""
        return """
            <form class="filter" role="search" aria-label="Filter" method="get" action="\(address("data", name))" data-entity="\(name)">
            \(search)
            <label for="filter">Filter</label>
            <div class="filter-field">
            <input id="filter" name="q" type="text" value="\(definition.filter)" autocomplete="off" autocapitalize="off" spellcheck="false"
             placeholder="all objects" role="combobox" aria-expanded="false"
             aria-controls="suggestions" aria-autocomplete="list" aria-describedby="filter-error">
            <ul id="suggestions" role="listbox" aria-label="Suggestions" hidden></ul>
            </div>
            <input type="hidden" name="sort" value="\(sort)"><input type="hidden" name="hide" value="\(hidden.sorted().joined(separator: ","))">
            <button type="submit" class="primary">Apply</button>
            <button type="button" data-action="explain" aria-expanded="false" aria-controls="explanation">Explain</button>
            </form>
            <div id="filter-error" class="filter-error" role="alert">\(error)</div>
            """
    }

    /// Menus for a condition. A script shows the comparisons of the chosen column, and adds the condition to the text.
    private func conditionMenu(_ places: [(path: String, kind: FilterCondition.Kind)]) -> HTML {
        let columns = places.html { place in
            "<option value=\"\(place.path)\" data-kind=\"\(place.kind.rawValue)\">\(place.path)</option>"
        }
        let comparisons = FilterCondition.Kind.allCases.html { kind in
            kind.comparisons.html { comparison in
                """
                <option value="\(comparison.rawValue)" data-kind="\(kind.rawValue)" data-value="\(comparison.needsValue ? "true" : "")">\(comparison.title(kind))</option>
                """
            }
        }
        return """
            <details class="menu condition"><summary>Add a condition</summary><div class="panel" role="group" aria-label="A condition">
            <label for="condition-column">Column</label><select id="condition-column">\(columns)</select>
            <label for="condition-comparison">Comparison</label><select id="condition-comparison">\(comparisons)</select>
            <label for="condition-value">Value</label><input type="text" id="condition-value" autocomplete="off" aria-describedby="condition-error">
            <div class="field-error" id="condition-error" role="alert"></div>
            <button type="button" class="primary" data-condition="add">Add</button></div></details>
            """
    }

    /// The position of a mistake is marked in the text.
    private func mistakeText(_ mistake: FilterMistake, _ filter: String) -> HTML {
        let known: HTML =
            mistake.known.isEmpty
            ? .nothing : "<p class=\"faint\">Known: \(mistake.known.prefix(30).joined(separator: ", "))</p>"
        guard let offset = mistake.offset else { return "<p>\(mistake.message)</p>\(known)" }
        let scalars = Array(filter.unicodeScalars)
        func text(_ part: some Sequence<Unicode.Scalar>) -> String { String(String.UnicodeScalarView(part)) }
        let place = min(max(offset, 0), scalars.count)
        return """
            <p>\(mistake.message)</p><p class="place"><code>\(text(scalars.prefix(place)))<mark>\(
                place < scalars.count ? text(scalars[place...]) : " ")</mark></code></p>\(known)
            """
    }

    private func tools(
        _ name: String, _ columns: [Column], _ places: [(path: String, kind: FilterCondition.Kind)],
        _ hidden: Set<String>, _ query: [String: String]
    ) -> HTML {
        let view = [("search", query["search"]), ("q", query["q"]), ("sort", query["sort"]), ("hide", query["hide"])]
        return """
            <div class="grid-tools">
            \(conditionMenu(places))
            <details class="menu"><summary>Columns</summary><fieldset><legend class="hidden-text">Columns that are shown</legend>\(
                columns.html { column in
                    let mark: HTML = hidden.contains(column.name) ? "" : " checked"
                    return "<label><input type=\"checkbox\" data-column=\"\(column.name)\"\(mark)> \(column.name)</label>"
                })</fieldset></details>
            <details class="menu"><summary>Export</summary><ul>
            <li><a href="\(address.make(["export", name + ".csv"], query: view))" download data-export="\(name).csv">CSV</a></li>
            <li><a href="\(address.make(["export", name + ".json"], query: view))" download data-export="\(name).json">JSON</a></li>
            <li><button type="button" data-action="copy-link">Copy link</button></li></ul></details>
            </div>
            """
    }

    private func table(
        _ name: String, _ definition: ViewDefinition, _ columns: [Column], _ total: Int, _ rows: HTML
    ) -> HTML {
        let heads = columns.html { column in
            let isSorted = definition.sortKey == column.name
            let state = isSorted ? (definition.isAscending ? "ascending" : "descending") : "none"
            let style = column.isNumeric ? "number" : ""
            let label: HTML =
                column.sortPath == nil
                ? "<span class=\"head-name\">\(column.name)</span>"
                : "<button type=\"button\" class=\"head-name\" data-sort=\"\(column.name)\" tabindex=\"-1\">\(column.name)</button>"
            return """
                <th scope="col" data-name="\(column.name)" class="\(style)" aria-sort="\(state)">\(label)<span class="type">\(column.typeName)</span><span class="resize" data-resize="\(column.name)" aria-hidden="true"></span></th>
                """
        }
        return """
            <div class="grid-scroll" id="grid-scroll" data-entity="\(name)" data-total="\(total)">
            <table role="grid" id="grid" aria-label="\(name)" aria-rowcount="\(total + 1)" aria-colcount="\(columns.count + 1)">
            <colgroup><col class="key-col">\(columns.html { "<col data-name=\"\($0.name)\" class=\"\($0.isNumeric ? "narrow-col" : "")\">" })</colgroup>
            <thead><tr aria-rowindex="1"><th scope="col" class="key">Object</th>\(heads)</tr></thead>
            <tbody aria-hidden="true" class="space" id="space-before"><tr><td></td></tr></tbody>
            <tbody id="rows">\(rows)</tbody>
            <tbody aria-hidden="true" class="space" id="space-after"><tr><td></td></tr></tbody>
            </table>
            </div>
            """
    }

    // MARK: Rows

    func rows(_ session: StudioSession, _ name: String, _ query: [String: String]) async throws -> SiteResponse {
        let definition = try ViewDefinition(entityName: name, query: query)
        let from = Int(query["from"] ?? "") ?? 0
        let count = Int(query["count"] ?? "") ?? 100
        let (window, columns) = try await session.read { desk in
            (try desk.window(definition, from: from, count: count), Column.all(of: try desk.entity(name)))
        }
        var response = SiteResponse.page(rowsFragment(window, name, columns))
        response.headers["x-total"] = "\(window.total)"
        return response
    }

    private func rowsFragment(_ window: RowWindow, _ name: String, _ columns: [Column]) -> HTML {
        window.rows.enumerated().html { place, row in
            let number = window.from + place
            let short = row.id.hasPrefix(name + "/") ? String(row.id.dropFirst(name.count + 1)) : row.id
            let cells = zip(columns, row.cells).html { cell($0.1, $0.0) }
            let state: HTML = row.edit == .none ? "" : " data-edit=\"\(row.edit.rawValue)\""
            return """
                <tr aria-rowindex="\(number + 2)" data-row="\(number)" data-id="\(row.id)"\(state)><th scope="row" class="key"><a href="\(address.object(row.id))" tabindex="-1">\(short.hasPrefix("new-") ? "new" : short)</a></th>\(cells)</tr>

                """
        }
    }

    private func cell(_ cell: GridCell, _ column: Column) -> HTML {
        let state: HTML = cell.isEdited ? " data-edited=\"true\"" : ""
        let editable: HTML =
            switch session?.isWritable ?? false ? Self.editing(cell, column) : .never {
            case .never: ""
            case .line: " data-editable=\"\(column.name)\""
            case .dialog: " data-dialog=\"\(column.name)\""
            }
        let (style, content): (String, HTML) =
            if let excerpt = cell.excerpt { ("", CellHTML.marked(excerpt)) } else { self.content(cell, column) }
        let styles = [style, column.isNumeric && style != "number" ? "number" : ""].filter { !$0.isEmpty }
        let mark: HTML = styles.isEmpty ? "" : " class=\"\(styles.joined(separator: " "))\""
        return "<td\(mark)\(state)\(editable)>\(content)</td>"
    }

    private func content(_ cell: GridCell, _ column: Column) -> (String, HTML) {
        switch (cell.content, column.kind) {
        case (.value(let value), _): CellHTML.grid(value)
        case (.link(let name), _): ("chips", chip(name))
        case (.members(0, _, _), _): ("null", "<span aria-label=\"no members\">–</span>")
        case (.members(let total, let first, let filter), .toMany(let destination)):
            ("chips", "\(count(total, filter, destination))\(first.html(chip))\(more(total, than: first.count))")
        case (.members(let total, _, _), _): ("number", "\(CountText.text(total))")
        }
    }

    private func more(_ total: Int, than named: Int) -> HTML {
        named > 0 && total > named ? "<span class=\"faint\">…</span>" : .nothing
    }

    private func chip(_ name: ObjectName) -> HTML {
        "<a class=\"chip\" href=\"\(address.object(name.id))\" tabindex=\"-1\" title=\"\(name.id)\"><bdi>\(name.title)</bdi></a>"
    }

    /// The number of members, which opens their grid.
    private func count(_ total: Int, _ filter: String?, _ destination: String) -> HTML {
        guard let filter else { return "<span class=\"chip count\">\(CountText.text(total))</span>" }
        let link = address.make(["data", destination], query: [("q", filter)])
        return
            "<a class=\"chip count\" href=\"\(link)\" tabindex=\"-1\" aria-label=\"\(CountText.text(total)) \(destination)\">\(CountText.text(total))</a>"
    }
}

extension Site {
    /// A text that its cell truncates is not edited there: it would lose the rest.
    private static func editing(_ cell: GridCell, _ column: Column) -> Column.Editing {
        guard column.editing == .line, case .value(let value) = cell.content else { return column.editing }
        if let excerpt = cell.excerpt, !CellHTML.isWhole(excerpt, of: value) { return .dialog }
        switch value {
        case .string, .url: return CellHTML.showsWhole(value.tableText) ? .line : .dialog
        default: return .line
        }
    }
}

/// Values as markup.
enum CellHTML {
    private static let textLimit = 160

    /// Whether a cell shows all of a text, as it is.
    static func showsWhole(_ text: String) -> Bool {
        text.count <= textLimit && !text.contains(where: \.isNewline) && ValueSource.isTypable(text)
    }

    /// One line, with the class of its cell.
    static func grid(_ cell: Cell) -> (style: String, content: HTML) {
        switch cell {
        case .null: return ("null", "<span aria-label=\"no value\">–</span>")
        case .integer, .real, .decimal: return ("number", "\(cell.tableText)")
        case .boolean(let value): return ("", value ? "true" : "false")
        case .date(let date): return ("date", "\(LocalTime.text(of: date))")
        case .data(let data): return ("data", "\(DataKind(data).title), \(CountText.size(data.count))")
        case .archive(let name, let data), .transformed(let name?, nil, let data):
            return ("data", "\(name), \(CountText.size(data.count))")
        case .transformed(nil, nil, let data): return ("data", "\(CountText.size(data.count))")
        case .missing: return ("data broken", "missing file")
        case .uuid(let uuid): return ("code", "\(uuid.uuidString)")
        case .composite(let elements): return ("", "\(short(parts(elements)))")
        default: return ("", "\(short(cell.tableText))")
        }
    }

    /// The elements of a composite value in one line: "12.5 × 7, cm".
    static func parts(_ elements: [(String, Cell)]) -> String {
        var text = ""
        var wasNumber = false
        for (_, cell) in elements {
            let isNumber = cell.isNumber
            if !text.isEmpty { text += isNumber && wasNumber ? " × " : ", " }
            switch cell {
            case .null: text += "–"
            case .composite(let inner): text += "(\(parts(inner)))"
            case .date(let date): text += LocalTime.text(of: date)
            default: text += String(cell.tableText.prefix(textLimit))
            }
            wasNumber = isNumber
        }
        return text
    }

    /// Whether an excerpt is the whole text.
    static func isWhole(_ excerpt: Cell, of value: Cell) -> Bool {
        guard case .excerpt(_, let text, _) = excerpt, case .string(let whole) = value else { return false }
        return text == whole
    }

    /// An excerpt in one line, with its matches marked.
    static func marked(_ cell: Cell) -> HTML {
        guard case .excerpt(_, let text, let matches) = cell else { return .nothing }
        let scalars = text.unicodeScalars.map { $0.properties.isWhitespace ? " " : $0 }
        func part(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(scalars[range])) }
        var place = 0
        var parts: [HTML] = []
        for match in matches {
            parts.append("\(part(place..<match.lowerBound))<mark>\(part(match))</mark>")
            place = match.upperBound
        }
        return "\(parts)\(part(place..<scalars.count))"
    }

    private static func short(_ text: String) -> String {
        let line = text.prefix(textLimit + 1).map { $0.isNewline ? " " : $0 }
        return line.count > textLimit ? String(line.prefix(textLimit)) + "…" : String(line)
    }
}

/// The kind of some data, by its first bytes.
enum DataKind: Sendable {
    case png, jpeg, gif, webp, text, other

    init(_ data: Data) {
        func begins(_ bytes: [UInt8]) -> Bool { data.starts(with: bytes) }
        if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if begins([0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if begins(Array("GIF87a".utf8)) || begins(Array("GIF89a".utf8)) {
            self = .gif
        } else if begins(Array("RIFF".utf8)), data.count > 12, data.dropFirst(8).starts(with: Array("WEBP".utf8)) {
            self = .webp
        } else if !data.isEmpty, data.count < 1_000_000, let text = String(data: data, encoding: .utf8),
            !text.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\n" && $0 != "\r" && $0 != "\t" })
        {
            self = .text
        } else {
            self = .other
        }
    }

    /// The media type of an image; nil for all other data, which is never displayed.
    var imageType: String? {
        switch self {
        case .png: "image/png"
        case .jpeg: "image/jpeg"
        case .gif: "image/gif"
        case .webp: "image/webp"
        case .text, .other: nil
        }
    }

    var title: String {
        switch self {
        case .png: "PNG image"
        case .jpeg: "JPEG image"
        case .gif: "GIF image"
        case .webp: "WebP image"
        case .text: "text"
        case .other: "data"
        }
    }
}
