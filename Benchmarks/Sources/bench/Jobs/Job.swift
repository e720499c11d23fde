// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The work that is measured: which jobs there are, what each finds in its file, and how often it does what it does.

/// One of the jobs of `../shared/design/performance.md`, as `Documentation/Performance.md` describes them.
enum Job: String, CaseIterable, Codable, Comparable {
    case insert = "J1"
    case read = "J2"
    /// J2 without the two relationships: what reading them costs is the difference.
    case readAttributes = "J2a"
    case lookUp = "J3"
    case search = "J4"
    case follow = "J5"
    case change = "J6"
    /// J6 with objects whose rows lie side by side, so that few pages change: what the layer itself costs shows most.
    case changeNeighbours = "J6n"
    case delete = "J7"
    /// J7 in the same way.
    case deleteNeighbours = "J7n"
    /// J7 in a model whose relationships have inverses, which are to be nullified.
    case deleteWithInverses = "J7i"
    case summarize = "J8"

    var title: String {
        switch self {
        case .insert: "insert all, one save"
        case .read: "fetch all, read 5 attributes and 2 to-ones of each"
        case .readAttributes: "fetch all, read 5 attributes of each"
        case .lookUp: "10,000 fetches `badge == x`"
        case .search: "fetches `salary > x AND name LIKE \"a*\"`, sorted, limit 100"
        case .follow: "fetch all, read `department.name` of each"
        case .change: "fetch 10,000, change the salary, one save"
        case .changeNeighbours: "the same, the first 10,000 of the table"
        case .delete: "fetch 10,000, delete each, one save"
        case .deleteNeighbours: "the same, the first 10,000 of the table"
        case .deleteWithInverses: "fetch 10,000, delete each, inverses nullified"
        case .summarize: "count and average grouped by department"
        }
    }

    /// What the job's file holds before it begins.
    var template: Template {
        switch self {
        case .insert: .empty
        case .delete, .deleteNeighbours: .withoutInverses
        default: .full
        }
    }

    /// Whether the job's result is what the file holds afterwards, not what was read.
    var changesFile: Bool {
        switch self {
        case .insert, .change, .changeNeighbours, .delete, .deleteNeighbours, .deleteWithInverses: true
        default: false
        }
    }

    /// How many objects, requests or, for queries that read every row, rows the job's time is divided by.
    func units(_ workload: Workload) -> Int {
        switch self {
        case .insert, .read, .readAttributes, .follow: workload.rows
        case .lookUp: workload.lookUps
        case .search: workload.searches * workload.rows
        case .change, .changeNeighbours, .delete, .deleteNeighbours, .deleteWithInverses: workload.touched
        case .summarize: workload.summaries * workload.rows
        }
    }

    var unit: String {
        switch self {
        case .lookUp: "fetch"
        case .search, .summarize: "row visited"
        default: "object"
        }
    }

    static func < (one: Job, other: Job) -> Bool { one.rawValue < other.rawValue }
}

/// Which employees J6 and J7 change.
enum Selection {
    /// Those with the lowest badges: their rows are all over the table.
    case lowBadges
    /// The first in the table.
    case neighbours
}

/// What a file holds when a job begins.
enum Template: String, CaseIterable {
    /// Tables and no rows.
    case empty
    /// All rows.
    case full
    /// All rows, of a model whose relationships have no inverses. The tables are the same.
    case withoutInverses
}
