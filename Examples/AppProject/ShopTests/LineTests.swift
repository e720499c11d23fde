// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A test of the model with Swift Testing.

import CoreData
import Testing

@testable import Shop

@Test("deleting an order deletes its lines")
func cascade() throws {
    let stack = Stack(inMemory: true)
    let context = stack.container.viewContext
    context.delete(try stack.order(of: "Ann", at: 1))
    try context.save()
    #expect(try context.count(for: NSFetchRequest<Line>(entityName: "Line")) == 0)
}
