// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Identifies the server of a connection, and its position in the WAL.

/// A server as seen by one of its connections.
package struct ServerMark: Sendable, Equatable {
    /// The number of the cluster, which a primary shares with its standbys.
    package let system: Int64
    /// The timeline of the WAL that a primary writes; nil on a standby.
    package let timeline: String?
    /// The time when the server was started, in microseconds.
    package let started: Int64

    package var isStandby: Bool { timeline == nil }
    /// The cluster and the timeline as one text.
    package var name: String { "\(system) \(timeline ?? "")" }
}

extension Connection {
    /// Queries which server this is; nil if the user lacks the privilege.
    func askServer(_ deadline: Deadline) throws -> ServerMark? {
        let question = Statement(
            """
            SELECT system_identifier, (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint, \
            CASE WHEN pg_is_in_recovery() THEN NULL ELSE left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) END \
            FROM pg_control_system()
            """, isReused: false)
        let (answers, failure) = try attempt([question], deadline)
        if failure != nil { return nil }
        var mark: ServerMark?
        answers[0].forEachRow { cells in
            guard let system = cells[0].integer, let started = cells[1].integer else { return }
            mark = ServerMark(system: system, timeline: cells[2].text, started: started)
        }
        return mark
    }

    /// Queries the end of a primary's WAL.
    package static let positionQuestion = Statement("SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint")

    /// The position up to which a standby has replayed the WAL of its primary.
    ///
    /// - Returns: nil if the server is no longer a standby.
    package func replayedPosition(_ deadline: Deadline) throws -> Int64? {
        try run(
            Statement(
                "SELECT CASE WHEN pg_is_in_recovery() THEN (pg_last_wal_replay_lsn() - '0/0')::bigint ELSE NULL END"),
            deadline
        ).first(\.integer)
    }
}
