// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The plan of a migration.

import CoreData
import CoreDataToolKit
import Foundation

extension Site {
    func migrationPage(_ session: StudioSession, _ query: [String: String]) async throws -> HTML {
        let counts = try await session.read { try $0.entityCounts() }
        let shell = Shell(self)
        guard let versions = session.versions else {
            return shell.page(
                title: "Migration", section: .migration, entities: counts,
                """
                <h1>Migration</h1><p>A plan needs the model of the app. Start Studio with
                <code>--model App.xcdatamodeld</code>.</p>
                """)
        }
        let wanted = query["to"].flatMap { name in versions.versions.contains { $0.name == name } ? name : nil }
        let store = session.store
        let plan = try await Task.detached { try store.migration(to: wanted) }.value
        guard let plan else { throw SiteFailure.notFound }
        return shell.page(title: "Migration", section: .migration, entities: counts, migration(plan, versions))
    }

    private func migration(_ plan: BrowsedMigration, _ versions: BrowsedModel) -> HTML {
        let sentence: HTML =
            switch plan.verdict {
            case .fits: "The store has this version."
            case .needed: "A migration is needed, and possible."
            case .impossible: "A migration is needed, and not possible."
            }
        let options = versions.versions.html { version in
            let mark: HTML = version.name == plan.wantedVersion ? " selected" : ""
            return "<option\(mark)>\(version.name)</option>"
        }
        let steps = plan.steps.enumerated().html { place, step in
            "<section><h3>Step \(place + 1), by \(step.way)</h3>\(step.statements.isEmpty ? .nothing : "<pre>\(step.statements.map { $0 + ";" }.joined(separator: "\n"))</pre>" as HTML)</section>"
        }
        let costs: HTML =
            plan.costs.isEmpty
            ? .nothing
            : """
            <h2>Rows to write</h2><table class="plain"><thead><tr><th scope="col">Table</th><th scope="col" class="number">Rows</th><th scope="col" class="number">Bytes</th></tr></thead><tbody>\(plan.costs.html { "<tr><th scope=\"row\">\($0.table)</th><td class=\"number\">\(CountText.text($0.rows))</td><td class=\"number\">\(CountText.size($0.bytes))</td></tr>" })</tbody></table>
            """
        let warnings: HTML =
            plan.warnings.isEmpty
            ? (plan.verdict == .needed ? "<p>No warnings: no value is lost.</p>" : .nothing)
            : "<h2>Warnings</h2><ul class=\"error\">\(plan.warnings.html { "<li>\($0)</li>" })</ul>"
        return """
            <h1>Migration</h1>
            <form method="get" action="\(address("migration"))" class="row"><label for="to">To version</label>
            <select id="to" name="to">\(options)</select><button type="submit">Plan</button></form>
            <p class="verdict \(plan.verdict.rawValue)">\(sentence) The store has \(plan.storedVersion.map { "version \($0)" } ?? "a version that is not in the model"); the wanted one is \(plan.wantedVersion).</p>
            \(plan.reasons.isEmpty ? .nothing : "<ul>\(plan.reasons.html { "<li>\($0)</li>" })</ul>" as HTML)
            \(warnings)\(costs)
            \(steps)
            \(plan.bytesNeeded > 0 ? "<p>Free space needed on the disk: \(CountText.size(plan.bytesNeeded)).</p>" as HTML : .nothing)
            <p class="faint">Studio shows the plan and changes nothing. <code>coredata-tool migrate run</code> carries it out.</p>
            """
    }
}
