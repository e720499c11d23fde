// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The wide table as a class of SwiftData, and its jobs.

import Foundation
import SwiftData

enum Wide {
    @Model final class Order: OrderReading {
        var number: Int64
        var customer: String
        var employee: Int64
        var ordered: Date
        var required: Date
        var shipped: Date?
        var shipper: Int64
        var freight: Double
        var recipient: String
        var address: String
        var city: String
        var region: String?
        var postalCode: String?
        var country: String

        init(_ values: OrderValues) {
            number = values.number
            customer = values.customer
            employee = values.employee
            ordered = values.ordered
            required = values.required
            shipped = values.shipped
            shipper = values.shipper
            freight = values.freight
            recipient = values.recipient
            address = values.address
            city = values.city
            region = values.region
            postalCode = values.postalCode
            country = values.country
        }
    }
}

extension ModelSession {
    func insertOrders() throws {
        try inContext { context in
            for values in workload.orders { context.insert(Wide.Order(values)) }
            try context.save()
        }
    }

    func readOrders(times: Int) throws -> UInt64 {
        var digest = Digest()
        for _ in 0..<times {
            try inContext { context in
                for order in try context.fetch(FetchDescriptor<Wide.Order>()) { digest.add(order) }
            }
        }
        return digest.value
    }

    func holdOrders() throws {
        let context = try context()
        heldOrders = (context, try context.fetch(FetchDescriptor<Wide.Order>()))
        _ = try readOrdersAgain(times: 1)
    }

    func readOrdersAgain(times: Int) throws -> UInt64 {
        guard let context = heldOrders?.context else { throw BenchmarkFailure("no orders are held") }
        var digest = Digest()
        for _ in 0..<times {
            for order in try context.fetch(FetchDescriptor<Wide.Order>()) { digest.add(order) }
        }
        return digest.value
    }
}
