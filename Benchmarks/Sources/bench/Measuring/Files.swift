// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The files of jobs: fresh copies of templates that are created before the measurement.

import Foundation

/// Gives each run of a job a fresh database, and examines it afterwards.
protocol Databases {
    /// Calls the body with a copy of the job's template, and removes the copy afterwards.
    func withCopy<T>(
        for job: Job, of contender: any Contender, _ workload: Workload, _ body: (URL) throws -> T
    ) throws -> T

    /// A checksum of the contents after a job, read outside of the measurement.
    func digest(of database: URL, after job: Job) throws -> UInt64
}

final class Files: Databases {
    private let folder: URL
    private var made: Set<URL> = []

    init(in folder: URL) throws {
        self.folder = folder.appending(path: "bench-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func digest(of database: URL, after job: Job) throws -> UInt64 { try FileDigest.of(database, after: job) }

    func withCopy<T>(
        for job: Job, of contender: any Contender, _ workload: Workload, _ body: (URL) throws -> T
    ) throws -> T {
        let template = try template(job.template, contender.files, workload)
        let copy = folder.appending(path: "run.sqlite")
        try FileManager.default.copyItem(at: template, to: copy)
        defer {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy.path + suffix) }
        }
        return try body(copy)
    }

    private func template(_ template: Template, _ family: FileFamily, _ workload: Workload) throws -> URL {
        let file = folder.appending(path: "\(family.rawValue)-\(template.rawValue)-\(workload.rows).sqlite")
        if made.insert(file).inserted { try make(file, template, family, workload) }
        return file
    }

    private func make(_ file: URL, _ template: Template, _ family: FileFamily, _ workload: Workload) throws {
        switch family {
        case .plain:
            try template == .orders ? RawContender.makeOrderTable(file) : RawContender.makeTables(file)
            try fill(file, template, workload, by: RawContender.tuned)
        case .store:
            try fill(file, template, workload, by: Contenders.opencoredata)
        case .models:
            try fill(file, template, workload, by: ModelContender(name: "swiftdata"))
        }
    }

    private func fill(
        _ file: URL, _ template: Template, _ workload: Workload, by contender: some LocalContender
    ) throws {
        let session = try contender.open(file, template, workload)
        switch template {
        case .empty: break
        case .full, .withoutInverses: try session.insertAll()
        case .orders: try session.insertOrders()
        }
        try session.close()
    }
}
