// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A view, which Linux leaves out.

import CoreData
import SwiftUI

struct OrderList: View {
    @FetchRequest(sortDescriptors: []) private var orders: FetchedResults<Order>

    var body: some View {
        List(orders) { Text($0.customer) }
    }
}

/// A formatter of the view, which needs no screen.
enum OrderText {
    static func title(of order: Order) -> String { "\(order.customer): \(order.total)" }
}
