// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The app, which Linux leaves out.

import SwiftUI

@main
struct ShopApp: App {
    private let stack = Stack()

    var body: some Scene {
        WindowGroup {
            OrderList().environment(\.managedObjectContext, stack.container.viewContext)
        }
    }
}
