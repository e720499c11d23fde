// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The jobs that are measured on a PostgreSQL server, and their goals.

enum ServerJobs {
    /// Without the variants for neighbours and inverses, which would measure only the server.
    static let all: [Job] = [.insert, .read, .lookUp, .search, .follow, .change, .delete, .summarize]

    /// Fewer searches than in files: most of their time is the server's own.
    static func workload(rows: Int) -> Workload { Workload(rows: rows, searches: 200) }

    /// The name of the contender in C.
    static let reference = "libpq"

    /// Clock time, as ratio to the contender in C.
    static let wallGoals: [Job: Double] = [
        .insert: 1.5, .read: 2.0, .lookUp: 1.3, .search: 1.05, .follow: 2.0, .change: 1.4, .delete: 1.5,
        .summarize: 1.05,
    ]
    /// Milliseconds of the client's processor time, with 100,000 rows.
    static let clientGoals: [Job: Double] = [
        .insert: 600, .read: 100, .lookUp: 130, .search: 25, .follow: 110, .change: 60, .delete: 60, .summarize: 3,
    ]
    /// The ratio of a peer's client processor time to this framework's.
    static let peerGoals: [String: [Job: Double]] = [
        "sqlalchemy": [
            .insert: 20, .read: 15, .lookUp: 10, .search: 10, .follow: 15, .change: 12, .delete: 7, .summarize: 5,
        ],
        "django": [
            .insert: 5, .read: 10, .lookUp: 15, .search: 10, .follow: 15, .change: 20, .delete: 20, .summarize: 5,
        ],
    ]
}
