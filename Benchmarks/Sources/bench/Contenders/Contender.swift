// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The protocol of contenders, which create the files of jobs and run the jobs.

import Foundation

protocol Contender: Sendable {
    /// The name in the results: `raw`, `grdb-class`, `opencoredata`, ...
    var name: String { get }

    /// The files to work on: contenders with the same family share them.
    var files: FileFamily { get }

    /// Whether it takes so long that it takes part in few rounds.
    var isSlow: Bool { get }

    /// Whether it has the job; if not, the tables show a dash.
    func has(_ job: Job) -> Bool

    /// Runs a job on its own database and measures it. The digest is that of the read values.
    func run(_ job: Job, on database: URL, _ workload: Workload) throws -> Sample
}

/// Files with the same tables, created in different ways.
enum FileFamily: String {
    /// Only the tables, created with SQL.
    case plain
    /// A store, which also contains the framework's tables.
    case store
    /// A store of SwiftData's classes.
    case models
}

/// A contender in this process.
protocol LocalContender: Contender {
    associatedtype Work: Session
    /// The clock of the server that does a part of the work; nil without one.
    var server: ServerClock? { get }
    func open(_ database: URL, _ template: Template, _ workload: Workload) throws -> Work
}

/// An open file with the jobs as methods. Reading jobs return a digest of the read values.
protocol Session: AnyObject {
    /// J1: inserts 100 departments and all employees.
    func insertAll() throws
    /// J2
    func readAll() throws -> UInt64
    /// J2a
    func readAttributes() throws -> UInt64
    /// J3
    func lookUp() throws -> UInt64
    /// J4
    func search() throws -> UInt64
    /// J5
    func follow() throws -> UInt64
    /// J6
    func changeSalaries(_ selection: Selection) throws
    /// J7
    func deleteSome(_ selection: Selection, nullifyingInverses: Bool) throws
    /// J8
    func summarize() throws -> UInt64
    /// Inserts the orders of the wide table.
    func insertOrders() throws
    /// Fetches all orders, in a new context each time, and reads all their attributes.
    func readOrders(times: Int) throws -> UInt64
    /// The same with one context, which has the objects of `holdOrders`.
    func readOrdersAgain(times: Int) throws -> UInt64
    /// Fetches all orders before the measurement of `readOrdersAgain`, and keeps them until `close`.
    func holdOrders() throws
    /// J2, returning the read objects together with their owners.
    func hold() throws -> Any
    func close() throws
}

extension Contender {
    func has(_ job: Job) -> Bool { true }
}

extension LocalContender {
    var isSlow: Bool { false }
    var server: ServerClock? { nil }

    func run(_ job: Job, on database: URL, _ workload: Workload) throws -> Sample {
        if job == .insert { _ = workload.employees }
        if job.template == .orders { _ = workload.orders }
        let session = try open(database, job.template, workload)
        if job == .ordersKept { try session.holdOrders() }
        let stopwatch = Stopwatch(server)
        let digest = try session.perform(job)
        var sample = stopwatch.sample
        sample.digest = digest
        try session.close()
        return sample
    }
}

/// Without objects that are registered, a second fetch is the first one once more.
extension Session {
    func readOrdersAgain(times: Int) throws -> UInt64 { try readOrders(times: times) }
    func holdOrders() throws {}
}

extension Session {
    fileprivate func perform(_ job: Job) throws -> UInt64 {
        switch job {
        case .insert: try insertAll()
        case .read: return try readAll()
        case .readAttributes: return try readAttributes()
        case .lookUp: return try lookUp()
        case .search: return try search()
        case .follow: return try follow()
        case .change: try changeSalaries(.lowBadges)
        case .changeNeighbours: try changeSalaries(.neighbours)
        case .delete: try deleteSome(.lowBadges, nullifyingInverses: false)
        case .deleteNeighbours: try deleteSome(.neighbours, nullifyingInverses: false)
        case .deleteWithInverses: try deleteSome(.lowBadges, nullifyingInverses: true)
        case .summarize: return try summarize()
        case .ordersFirst: return try readOrders(times: 1)
        case .ordersFresh: return try readOrders(times: Workload.orderFetches)
        case .ordersKept: return try readOrdersAgain(times: Workload.orderFetches)
        }
        return 0
    }
}
