// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The container of the app.

import CoreData
import SwiftUI
import UIKit
import os

final class Stack: ObservableObject {
    private static let log = Logger(subsystem: "Shop", category: "Stack")

    @Published var accent = 1
    let container = NSPersistentContainer(name: "Shop")

    init(inMemory: Bool = false) {
        if inMemory { container.persistentStoreDescriptions.first?.url = URL(fileURLWithPath: "/dev/null") }
        container.loadPersistentStores { _, error in
            if let error { Self.log.error("The store cannot be loaded: \(error.localizedDescription)") }
        }
        UINavigationBar.appearance().prefersLargeTitles = true
    }

    /// Only the app has gradients.
    var tint: LinearGradient { LinearGradient(colors: [.yellow, .gray], startPoint: .top, endPoint: .bottom) }

    func order(of customer: String, at price: Double) throws -> Order {
        let order = Order(context: container.viewContext)
        let line = Line(context: container.viewContext)
        order.customer = customer
        line.price = price
        line.order = order
        try container.viewContext.save()
        return order
    }
}
