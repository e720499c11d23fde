// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The measured jobs, the contents of their files, and their numbers of units.

/// One of the jobs that `Documentation/Performance.md` describes.
enum Job: String, CaseIterable, Codable, Comparable {
    case insert = "J1"
    case read = "J2"
    /// J2 without the two relationships; the difference is the cost of reading them.
    case readAttributes = "J2a"
    case lookUp = "J3"
    case search = "J4"
    case follow = "J5"
    case change = "J6"
    /// J6 with objects in adjacent rows, so that few pages change and the cost of the layer itself dominates.
    case changeNeighbours = "J6n"
    case delete = "J7"
    /// J7 with adjacent rows.
    case deleteNeighbours = "J7n"
    /// J7 in a model with inverse relationships, which must be nullified.
    case deleteWithInverses = "J7i"
    case summarize = "J8"
    /// The wide table: one fetch of all orders by a newly opened stack.
    case ordersFirst = "orders-first"
    /// All orders are fetched several times, each time in a new context.
    case ordersFresh = "orders-fresh"
    /// All orders are fetched several times, while the context has them all.
    case ordersKept = "orders-kept"

    /// The jobs of a run that names none.
    static let usual = allCases.filter { $0.template != .orders }

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
        case .ordersFirst: "the first fetch of all orders, read 14 attributes of each"
        case .ordersFresh: "the same ten times, each in a new context"
        case .ordersKept: "the same ten times, with all objects held"
        }
    }

    /// The contents of the job's file before it starts.
    var template: Template {
        switch self {
        case .insert: .empty
        case .delete, .deleteNeighbours: .withoutInverses
        case .ordersFirst, .ordersFresh, .ordersKept: .orders
        default: .full
        }
    }

    /// Whether the result of the job is the contents of the file, not the read values.
    var changesFile: Bool {
        switch self {
        case .insert, .change, .changeNeighbours, .delete, .deleteNeighbours, .deleteWithInverses: true
        default: false
        }
    }

    /// The divisor of the job's time: the number of objects, of requests, or, for queries that read every row, of rows.
    func units(_ workload: Workload) -> Int {
        switch self {
        case .insert, .read, .readAttributes, .follow: workload.rows
        case .lookUp: workload.lookUps
        case .search: workload.searches * workload.rows
        case .change, .changeNeighbours, .delete, .deleteNeighbours, .deleteWithInverses: workload.touched
        case .summarize: workload.summaries * workload.rows
        case .ordersFirst: workload.orders.count
        case .ordersFresh, .ordersKept: workload.orders.count * Workload.orderFetches
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

/// The employees that J6 and J7 change.
enum Selection {
    /// The employees with the lowest badges. Their rows are spread over the table.
    case lowBadges
    /// The first employees in the table.
    case neighbours
}

/// The contents of a file before a job.
enum Template: String, CaseIterable {
    /// Tables without rows.
    case empty
    /// All rows.
    case full
    /// All rows, for a model without inverse relationships. The tables are the same.
    case withoutInverses
    /// Only the wide table.
    case orders
}
