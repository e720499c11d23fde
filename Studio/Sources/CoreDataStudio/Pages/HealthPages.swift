// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The findings of the doctor, and the sizes of a store as bars.

import CoreData
import CoreDataToolKit
import Foundation

extension Site {
    /// Above this number of objects an examination is started manually.
    private static let objectsAtOnce = 200_000
    private static let partsShown = 30

    // MARK: Doctor

    func doctorPage(_ session: StudioSession, _ query: [String: String]) async throws -> HTML {
        let counts = try await session.read { try $0.entityCounts() }
        let shell = Shell(self)
        let total = counts.reduce(0) { $0 + $1.count }
        if total > Self.objectsAtOnce, query["run"] == nil {
            let link = address("doctor", query: [("run", "1")])
            return shell.page(
                title: "Doctor", section: .doctor, entities: counts,
                """
                <h1>Doctor</h1><p>The store has \(CountText.text(total, "object")): reading all of them takes a while.</p>
                <p><a class="button" href="\(link)">Examine the store</a></p>
                """)
        }
        let store = session.store
        let findings = try await Task.detached { try store.findings() }.value
        let list: HTML =
            findings.isEmpty
            ? "<p class=\"verdict\">The store is sound: no rule has a finding.</p>" : findings.html(finding)
        return shell.page(
            title: "Doctor", section: .doctor, entities: counts, "<h1>Doctor</h1>\(summary(findings))\(list)")
    }

    private func summary(_ findings: [BrowsedFinding]) -> HTML {
        guard !findings.isEmpty else { return .nothing }
        let parts = [BrowsedFinding.Severity.error, .warning, .note].compactMap { severity -> String? in
            let count = findings.count { $0.severity == severity }
            return count == 0 ? nil : CountText.text(count, severity.rawValue)
        }
        return "<p>\(parts.joined(separator: ", ")). Studio shows them; the commands mend them.</p>"
    }

    private func finding(_ finding: BrowsedFinding) -> HTML {
        let objects = finding.objects.html { uri in
            let name = uri.split(separator: "/").suffix(2).map(String.init)
            guard name.count == 2, name[1].hasPrefix("p") else { return "<li><code>\(uri)</code></li>" }
            let id = "\(name[0])/\(name[1].dropFirst())"
            return "<li><a href=\"\(address.object(id))\">\(id)</a></li>"
        }
        let command: HTML = finding.command.map { "<pre>\($0)</pre>" } ?? .nothing
        return """
            <section class="finding \(finding.severity.rawValue)-level"><h2>\(finding.severity.rawValue): \(finding.text)</h2>
            <p class="faint"><code>\(finding.rule)</code> \(finding.place ?? "") · \(CountText.text(finding.count, "place"))</p>
            <p>\(finding.consequence)</p>\(finding.objects.isEmpty ? .nothing : "<ul>\(objects)</ul>")\(command)</section>
            """
    }

    // MARK: Statistics

    func statisticsPage(_ session: StudioSession) async throws -> HTML {
        let counts = try await session.read { try $0.entityCounts() }
        let store = session.store
        let shell = Shell(self)
        let sizes: BrowsedSizes
        do {
            sizes = try await Task.detached { try store.sizes() }.value
        } catch {
            return shell.page(
                title: "Statistics", section: .statistics, entities: counts,
                "<h1>Statistics</h1><p>\(BrowsingError.text(of: error))</p>")
        }
        return shell.page(
            title: "Statistics", section: .statistics, entities: counts,
            """
            <h1>Statistics</h1>
            <dl class="facts"><dt>Database</dt><dd>\(CountText.size(sizes.database))</dd>
            <dt>Write-ahead log</dt><dd>\(CountText.size(sizes.log))</dd>
            <dt>Large data in files</dt><dd>\(CountText.size(sizes.largeData))</dd>
            <dt>Free pages</dt><dd>\(CountText.size(sizes.free))</dd></dl>
            \(bars("Entities", "Objects", sizes.entities))
            \(bars("Attributes", "Values", sizes.attributes))
            \(bars("Indexes", nil, sizes.indexes))
            """)
    }

    private func bars(_ title: String, _ noun: String?, _ parts: [BrowsedSizes.Part]) -> HTML {
        guard !parts.isEmpty else { return .nothing }
        let largest = Double(max(1, parts.map(\.bytes).max() ?? 1))
        let rows = parts.prefix(Self.partsShown).html { part in
            let width = Double(part.bytes) / largest * 100
            let count: HTML = part.count.map { "<td class=\"number\">\(CountText.text($0))</td>" } ?? .nothing
            return """
                <tr><th scope="row">\(part.name)</th>\(count)<td class="number">\(CountText.size(part.bytes))</td>
                <td><svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="rest" width="100" height="8"/><rect width="\(width)" height="8"/></svg></td></tr>
                """
        }
        let head: HTML = noun.map { "<th scope=\"col\" class=\"number\">\($0)</th>" } ?? .nothing
        let more: HTML =
            parts.count > Self.partsShown
            ? "<p class=\"faint\">and \(CountText.text(parts.count - Self.partsShown)) more</p>" : .nothing
        return """
            <h2>\(title)</h2><div class="table-wrap" tabindex="0" role="region" aria-label="\(title) by size"><table class="plain">
            <thead><tr><th scope="col">\(title)</th>\(head)<th scope="col" class="number">Size</th><th scope="col">Share of the largest</th></tr></thead>
            <tbody>\(rows)</tbody></table></div>\(more)
            """
    }
}
