// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The databases of jobs on a server: copies of templates that this framework has made and filled.

import Foundation

final class ServerDatabases: Databases {
    private static let copy = "run"

    private let server: Server
    private let maker: ServerContender
    private var made: Set<String> = []

    /// - Parameter maker: makes the tables, which all contenders use.
    init(_ server: Server, _ maker: ServerContender) throws {
        (self.server, self.maker) = (server, maker)
        // One process of the server does the work of one connection, and no other work runs at the same time.
        try server.run([
            "ALTER SYSTEM SET autovacuum = off", "ALTER SYSTEM SET max_parallel_workers_per_gather = 0",
            "ALTER SYSTEM SET checkpoint_timeout = '1h'", "SELECT pg_reload_conf()",
        ])
    }

    func withCopy<T>(
        for job: Job, of contender: any Contender, _ workload: Workload, _ body: (URL) throws -> T
    ) throws -> T {
        let template = try template(job.template, workload)
        try server.run([
            "DROP DATABASE IF EXISTS \(Self.copy) WITH (FORCE)", "CREATE DATABASE \(Self.copy) TEMPLATE \(template)",
            "CHECKPOINT",
        ])
        try server.run(["SELECT count(*), sum(salary) FROM employee"], in: Self.copy)
        return try body(try server.url(Self.copy))
    }

    private func template(_ template: Template, _ workload: Workload) throws -> String {
        let name = "template_\(template.rawValue.lowercased())_\(workload.rows)"
        guard made.insert(name).inserted else { return name }
        try server.run(["DROP DATABASE IF EXISTS \(name)", "CREATE DATABASE \(name)"])
        let session = try maker.open(try server.url(name), template, workload)
        if template != .empty { try session.insertAll() }
        try session.close()
        try server.run(["VACUUM ANALYZE"], in: name)
        return name
    }

    /// Contenders may assign different keys, so rows are identified by badge and by the department's name.
    private static let query = """
        SELECT count(*), sum(e.badge), sum(char_length(e.name) * (e.badge + 1)), sum(e.salary * 2)::bigint,
               sum(extract(epoch FROM e.hire_date) - 978307200)::bigint, sum(e.is_active::integer),
               sum(e.badge * substr(d.name, 12)::bigint), sum(m.badge + 1), count(e.manager_id),
               count(DISTINCT d.id), sum(e.version)
        FROM employee e LEFT JOIN department d ON d.id = e.department_id LEFT JOIN employee m ON m.id = e.manager_id
        """

    func digest(of database: URL, after job: Job) throws -> UInt64 {
        var digest = Digest()
        // Sums over no rows are empty.
        for value in try server.run([Self.query], in: Self.copy).split(separator: "|", omittingEmptySubsequences: false)
        {
            guard let number = value.isEmpty ? 0 : Int(value) else {
                throw BenchmarkFailure("'\(value)' in \(database) is no sum of integers.")
            }
            digest.append(number)
        }
        return digest.value
    }
}
