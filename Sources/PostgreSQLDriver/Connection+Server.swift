// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Which server a connection leads to, and how far its log has come.

/// A server as one of its connections finds it.
package struct ServerMark: Sendable, Equatable {
    /// The number of the cluster: that of a primary and all its standbys.
    package let system: Int64
    /// The branch of the log that a primary writes; nil on a standby.
    package let timeline: String?
    /// When the server was started, in microseconds.
    package let started: Int64

    package var isStandby: Bool { timeline == nil }
    /// One text for the cluster and the branch.
    package var name: String { "\(system) \(timeline ?? "")" }
}

extension Connection {
    /// Asks which server this is; nil where the user may not know.
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

    /// Where a primary's log ends.
    package static let positionQuestion = Statement("SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint")

    /// How far a standby has replayed the log of its primary.
    ///
    /// - Returns: nil if the server is no standby any more.
    package func replayedPosition(_ deadline: Deadline) throws -> Int64? {
        try run(
            Statement(
                "SELECT CASE WHEN pg_is_in_recovery() THEN (pg_last_wal_replay_lsn() - '0/0')::bigint ELSE NULL END"),
            deadline
        ).first(\.integer)
    }
}
