// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The frame of every page: head, sections, entities, the bar of edits.

import CoreDataToolKit
import Foundation

/// Makes whole pages.
struct Shell {
    enum Section: String, CaseIterable {
        case data
        case search
        case sql
        case model
        case doctor
        case statistics
        case history
        case migration
        /// Only for the store of a sync server.
        case sync

        var title: String { self == .sql ? "SQL" : rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
        var path: String { self == .data ? "" : rawValue }
    }

    private let site: Site

    init(_ site: Site) { self.site = site }

    /// - Parameters:
    ///   - entities: names and counts for the list at the side; empty for none.
    ///   - script: a further script of the page.
    func page(
        title: String, section: Section?, entities: [(name: String, count: Int)] = [], entity: String? = nil,
        script: String? = nil, _ content: HTML
    ) -> HTML {
        let address = site.address
        let name = subjectName
        let isWritable = site.session?.isWritable ?? false
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <title>\(title) – \(name)</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="studio-base" content="\(address(""))">
            <meta name="studio-key" content="\(isWritable ? site.guards.key : "")">
            <link rel="stylesheet" href="\(address("static", "studio.css"))">
            <link rel="icon" href="\(address("static", "icon.svg"))">
            <script type="module" src="\(address("static", "studio.js"))"></script>
            \(script.map { "<script type=\"module\" src=\"\(address("static", $0))\"></script>" as HTML })
            </head>
            <body>
            <a class="skip" href="#main">Skip to the content</a>
            <header class="top">
            <a class="brand" href="\(address(""))"><img src="\(address("static", "icon.svg"))" alt="" width="22" height="22"> \(name)</a>
            \(badge)
            <nav class="sections" aria-label="Sections"><ul>\(sections(section))</ul></nav>
            <button type="button" class="quiet help" data-action="help" aria-label="Keyboard shortcuts">?</button>
            </header>
            <div class="frame">
            \(side(entities, entity))
            <main id="main" tabindex="-1">\(content)</main>
            </div>
            \(isWritable ? editBar : .nothing)
            <div id="live" class="hidden-text" role="status" aria-live="polite"></div>
            <dialog id="dialog" aria-labelledby="dialog-title"></dialog>
            </body>
            </html>

            """
    }

    private var subjectName: String {
        switch site.subject {
        case .store(let session): URL(fileURLWithPath: session.path).lastPathComponent
        case .model(let model): model.url.lastPathComponent
        }
    }

    private var badge: HTML {
        guard let session = site.session else { return "<span class=\"badge\">model</span>" }
        return session.isWritable
            ? "<span class=\"badge writable\">writable</span>" : "<span class=\"badge\">read-only</span>"
    }

    private func sections(_ current: Section?) -> HTML {
        let shown =
            site.session.map { session in
                Section.allCases.filter { $0 != .sync || session.isOfSyncServer }
            } ?? [Section.model]
        return shown.html { section in
            let mark: HTML = section == current ? " aria-current=\"page\"" : ""
            return "<li><a href=\"\(site.address(section.path))\"\(mark)>\(section.title)</a></li>"
        }
    }

    private func side(_ entities: [(name: String, count: Int)], _ current: String?) -> HTML {
        guard !entities.isEmpty else { return .nothing }
        return """
            <nav class="side" aria-label="Entities"><details open><summary>Entities</summary><ul>\(entities.html { entity in
                let mark: HTML = entity.name == current ? " aria-current=\"page\"" : ""
                return "<li><a href=\"\(site.address("data", entity.name))\"\(mark)><span>\(entity.name)</span> <span class=\"count\">\(CountText.text(entity.count))</span></a></li>"
            })</ul></details></nav>
            """
    }

    private var editBar: HTML {
        """
        <section class="editbar" id="editbar" aria-label="Edits" hidden>
        <span id="edit-count" class="edit-count"></span>
        <button type="button" data-action="undo" aria-keyshortcuts="Control+Z">Undo</button>
        <button type="button" data-action="redo" aria-keyshortcuts="Control+Shift+Z">Redo</button>
        <span class="spring"></span>
        <button type="button" data-action="discard">Discard all</button>
        <button type="button" class="primary" data-action="save" aria-keyshortcuts="Control+S">Save</button>
        </section>
        """
    }
}

/// Numbers for people.
enum CountText {
    /// The digits in groups of three.
    static func text(_ number: Int) -> String {
        let digits = String(abs(number))
        var result = ""
        for (place, digit) in digits.enumerated() {
            if place > 0, (digits.count - place).isMultiple(of: 3) { result += "\u{202F}" }
            result.append(digit)
        }
        return (number < 0 ? "−" : "") + result
    }

    /// "1 object", "2 objects".
    static func text(_ number: Int, _ noun: String) -> String { "\(text(number)) \(noun)\(number == 1 ? "" : "s")" }

    /// "12 bytes", "3.4 kB", "5.6 MB".
    static func size(_ bytes: Int) -> String {
        if bytes < 1000 { return text(bytes, "byte") }
        var (value, unit) = (Double(bytes) / 1000, "kB")
        for next in ["MB", "GB", "TB"] where value >= 1000 { (value, unit) = (value / 1000, next) }
        return "\((value * 10).rounded() / 10) \(unit)"
    }
}
