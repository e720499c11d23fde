// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tests of the model with XCTest.

import CoreData
import SwiftUI
import XCTest

@testable import Shop

final class OrderTests: XCTestCase {
    func testTotal() throws {
        let stack = Stack(inMemory: true)
        let order = try stack.order(of: "Ann", at: 2.5)
        XCTAssertEqual(order.total, 2.5)
        XCTAssertEqual(OrderText.title(of: order), "Ann: 2.5")
    }

    func testFetch() throws {
        let stack = Stack(inMemory: true)
        _ = try stack.order(of: "Ann", at: 1)
        _ = try stack.order(of: "Bob", at: 2)
        XCTAssertEqual(try stack.container.viewContext.fetch(Order.of("Bob")).map(\.total), [2])
    }

    @MainActor
    func testView() {
        XCTAssertNotNil(AnyView(OrderList()))
    }
}
