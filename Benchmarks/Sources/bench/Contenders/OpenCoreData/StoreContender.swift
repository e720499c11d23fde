// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// This framework with default settings, and without undo manager, as on a server.

import CoreData

struct StoreContender<Employee: EmployeeObject>: LocalContender {
    let name: String
    /// As SwiftData's files do.
    var keepsHistory = false
    var files: FileFamily { .store }

    /// The orders have one class, in generated style.
    func has(_ job: Job) -> Bool { job.template != .orders || Employee.self == bench.Employee.self }

    func open(_ file: URL, _ template: Template, _ workload: Workload) throws -> StoreSession<Employee> {
        let model =
            template == .orders
            ? OrderModel.make() : EmployeeModel.make(Employee.self, inverses: template != .withoutInverses)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            type: .sqlite, at: file, options: keepsHistory ? [NSPersistentHistoryTrackingKey: true] : nil)
        return StoreSession(coordinator, workload)
    }
}
