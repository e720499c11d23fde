// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Files and models that are larger than the memory or the stack.

import CoreDataModelFiles
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("Files larger than the memory or the stack, ProvingGround-P11")
struct LargeFileTests {
    @Test("a binary store of a terabyte that takes no room on the disk is refused with an error")
    func sparseStore() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "large-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "Store.binary")
        let size = 1 << 40
        let head = Array("OCDATOM\0".utf8) + [1, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 1, 0, 0]
        try Data(head).write(to: url)
        #expect(truncate(url.path, size) == 0)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        #expect(throws: CocoaError.self) {
            try coordinator.addPersistentStore(ofType: NSBinaryStoreType, configurationName: nil, at: url)
        }
    }

    @Test("a model with a chain of 20,000 entities is made, refused and released on a stack of 512 KB")
    func entityChain() async throws {
        let faults = await withCheckedContinuation { continuation in
            let thread = Thread {
                var document = ModelDocument()
                document.entities = (0..<20_000).map { number in
                    var entity = ModelDocument.Entity(name: "E\(number)")
                    entity.superentityName = number == 0 ? nil : "E\(number - 1)"
                    return entity
                }
                do {
                    try NSManagedObjectModel(document: document).check()
                    continuation.resume(returning: "none")
                } catch {
                    continuation.resume(returning: "\(error)")
                }
            }
            thread.stackSize = 512 << 10
            thread.start()
        }
        #expect(faults.contains("more than a model can have"))
    }
}
