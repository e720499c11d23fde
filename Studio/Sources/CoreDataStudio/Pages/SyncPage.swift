// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The health of a sync server: its replicas, how far behind they are, and the refused changes.

import CoreDataSyncProtocol
import CoreDataSyncServer
import Foundation

extension Site {
    private static let replicasShown = 200

    func syncPage(_ session: StudioSession) async throws -> HTML {
        let (counts, health) = try await session.read { desk in
            (try desk.entityCounts(), try SyncHealth(reading: desk.context))
        }
        let shell = Shell(self)
        guard let health else {
            return shell.page(
                title: "Sync", section: .sync, entities: counts,
                """
                <h1>Sync</h1><p>This is not the store of a sync server. For the store of a device there is
                <code>coredata-tool sync status</code>.</p>
                """)
        }
        let more: HTML =
            health.replicas.count > Self.replicasShown
            ? "<p class=\"faint\">and \(CountText.text(health.replicas.count - Self.replicasShown)) more</p>" : .nothing
        return shell.page(
            title: "Sync", section: .sync, entities: counts,
            """
            <h1>Sync</h1>
            <dl class="facts"><dt>Revision</dt><dd>\(CountText.text(Int(health.revision)))</dd>
            <dt>Records</dt><dd>\(CountText.text(health.present))</dd>
            <dt>Deleted records whose names are kept</dt><dd>\(CountText.text(health.deleted))</dd>
            <dt>Merged names</dt><dd>\(CountText.text(health.merged))</dd>
            <dt>Replicas</dt><dd>\(CountText.text(health.replicas.count))</dd></dl>
            \(replicas(health))\(more)\(refusals(health))
            """)
    }

    private func replicas(_ health: SyncHealth) -> HTML {
        guard !health.replicas.isEmpty else { return "<p>No replica has pushed yet.</p>" }
        let rows = health.replicas.prefix(Self.replicasShown).html { replica in
            let lag = health.lag(of: replica).map { CountText.text(Int($0)) } ?? "–"
            let state: HTML =
                replica.isPartial
                ? "a batch is applied in part"
                : replica.refusals.isEmpty ? "" : "\(CountText.text(replica.refusals.count, "refusal"))"
            return """
                <tr><th scope="row"><code>\(replica.id.uuidString)</code></th><td>\(replica.user)</td>
                <td><time>\(LocalTime.text(of: replica.seen))</time></td>
                <td class="number">\(CountText.text(Int(replica.number)))</td><td class="number">\(lag)</td><td>\(state)</td></tr>
                """
        }
        return """
            <h2>Replicas</h2><p class="faint">As of the last push of each. Lag is the number of the server's changes that it lacked then.</p>
            <div class="table-wrap" tabindex="0" role="region" aria-label="Replicas"><table class="plain">
            <thead><tr><th scope="col">Replica</th><th scope="col">User</th><th scope="col">Last push</th><th scope="col" class="number">Batches</th><th scope="col" class="number">Lag</th><th scope="col">Last answer</th></tr></thead>
            <tbody>\(rows)</tbody></table></div>
            """
    }

    private func refusals(_ health: SyncHealth) -> HTML {
        let rows = health.replicas.prefix(Self.replicasShown).flatMap { replica in
            replica.refusals.map { (replica: replica, refusal: $0) }
        }
        guard !rows.isEmpty else { return .nothing }
        let list = rows.prefix(Self.replicasShown).html { row in
            """
            <tr><th scope="row">\(row.replica.user)</th><td><code>\(row.refusal.name?.uuidString ?? "–")</code></td>
            <td class="number">\(row.refusal.domain) \("\(row.refusal.code)")</td><td>\(row.refusal.key ?? "–")</td><td>\(row.refusal.text)</td></tr>
            """
        }
        return """
            <h2>Refused</h2><p class="faint">In the last answer to each replica.</p>
            <div class="table-wrap" tabindex="0" role="region" aria-label="Refused changes"><table class="plain">
            <thead><tr><th scope="col">User</th><th scope="col">Record</th><th scope="col">Code</th><th scope="col">Key</th><th scope="col">Reason</th></tr></thead>
            <tbody>\(list)</tbody></table></div>
            """
    }
}
