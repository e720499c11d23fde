// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the guide to operating a server, as far as it needs no other package.

import CoreDataModeling
import Foundation
import Testing

@Suite("Guide: operating") struct Operating {
    @Test("limits, their condition, and a cancelled request") func limits() async throws {
        let folder = try EmptyFolder()
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        let container = NSPersistentContainer(name: "Notebook", managedObjectModel: Notebook.model)
        let description = NSPersistentStoreDescription(url: folder.url.appending(path: "Notebook.sqlite"))
        // snippet: limits
        description.setOption(16 as NSNumber, forKey: NSStoreConnectionLimitOption)
        description.setOption(2.5 as NSNumber, forKey: NSStoreConnectionTimeoutOption)
        description.setOption(100 as NSNumber, forKey: NSStoreWaitingLimitOption)
        // end
        container.persistentStoreDescriptions = [description]
        try await container.loadPersistentStores()
        // snippet: condition
        for store in container.persistentStoreCoordinator.persistentStores {
            guard let condition = store.condition else { continue }  // no connections
            print("\(condition.connectionsInUse) of \(condition.connectionLimit), \(condition.callsWaiting) wait")
        }
        // end
        #expect(container.persistentStoreCoordinator.persistentStores.first?.condition?.connectionLimit == 16)
        let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
        // snippet: plan
        let plan = try store.queryPlan(ofStatement: "SELECT Z_PK FROM ZMEMO WHERE ZTITLE = ?")
        // end
        #expect(plan.joined().contains("ZMEMO"))
        let context = container.newBackgroundContext()
        // snippet: cancel
        context.stopsStatementsOfCancelledTasks = true
        let report = Task { try await context.perform { try context.count(for: Memo.fetchRequest()) } }
        report.cancel()  // the statement ends at once, and `count` throws 3072 (`CocoaError.userCancelled`)
        // end
        let result = await report.result
        #expect((try? result.get()) == 0 || (result.failure as? CocoaError)?.code == .userCancelled)
    }
}

extension Result {
    fileprivate var failure: (any Error)? {
        if case .failure(let error) = self { return error }
        return nil
    }
}
