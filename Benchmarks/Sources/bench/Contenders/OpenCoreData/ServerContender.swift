// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// This framework with a store on a PostgreSQL server: the same jobs by the same code.

import CoreData
import CoreDataPostgreSQL

struct ServerContender: LocalContender {
    static let name = "opencoredata"

    let server: ServerClock?
    /// Whether a new store gets foreign keys.
    var hasForeignKeys = false
    var name: String { Self.name }
    var files: FileFamily { .store }

    func open(_ database: URL, _ template: Template, _ workload: Workload) throws -> StoreSession<Employee> {
        PostgreSQLStore.register()
        let model = EmployeeModel.make(Employee.self, inverses: template != .withoutInverses)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            type: .postgreSQL, at: database, options: [NSPostgreSQLForeignKeysOption: hasForeignKeys])
        return StoreSession(coordinator, workload)
    }
}
