// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The wide table as a class in generated style, its model, and its jobs.

import CoreData

final class Order: NSManagedObject, OrderReading {
    override class var _slots: StaticString {
        """
        address:s city:s country:s customer:s employee:i freight:d number:i ordered:t postalCode:s recipient:s \
        region:s required:t shipped:t shipper:i
        """
    }

    var address: String {
        get { _string(0, "address") ?? "" }
        set { _setString(newValue, 0, "address") }
    }
    var city: String {
        get { _string(1, "city") ?? "" }
        set { _setString(newValue, 1, "city") }
    }
    var country: String {
        get { _string(2, "country") ?? "" }
        set { _setString(newValue, 2, "country") }
    }
    var customer: String {
        get { _string(3, "customer") ?? "" }
        set { _setString(newValue, 3, "customer") }
    }
    var employee: Int64 {
        get { _integer(4, "employee") ?? 0 }
        set { _setInteger(newValue, 4, "employee") }
    }
    var freight: Double {
        get { _double(5, "freight") ?? 0 }
        set { _setDouble(newValue, 5, "freight") }
    }
    var number: Int64 {
        get { _integer(6, "number") ?? 0 }
        set { _setInteger(newValue, 6, "number") }
    }
    var ordered: Date {
        get { _date(7, "ordered") ?? .distantPast }
        set { _setDate(newValue, 7, "ordered") }
    }
    var postalCode: String? {
        get { _string(8, "postalCode") }
        set { _setString(newValue, 8, "postalCode") }
    }
    var recipient: String {
        get { _string(9, "recipient") ?? "" }
        set { _setString(newValue, 9, "recipient") }
    }
    var region: String? {
        get { _string(10, "region") }
        set { _setString(newValue, 10, "region") }
    }
    var required: Date {
        get { _date(11, "required") ?? .distantPast }
        set { _setDate(newValue, 11, "required") }
    }
    var shipped: Date? {
        get { _date(12, "shipped") }
        set { _setDate(newValue, 12, "shipped") }
    }
    var shipper: Int64 {
        get { _integer(13, "shipper") ?? 0 }
        set { _setInteger(newValue, 13, "shipper") }
    }
}

enum OrderModel {
    static func make() -> NSManagedObjectModel {
        let order = LibraryModel.entity(Order.self)
        let texts = ["customer", "recipient", "address", "city", "region", "postalCode", "country"]
        let types: [(names: [String], type: NSAttributeType)] = [
            (texts, .stringAttributeType), (["number", "employee", "shipper"], .integer64AttributeType),
            (["ordered", "required", "shipped"], .dateAttributeType), (["freight"], .doubleAttributeType),
        ]
        order.properties = types.flatMap { names, type in names.map { LibraryModel.attribute($0, type) } }
        let model = NSManagedObjectModel()
        model.entities = [order]
        return model
    }
}

extension StoreSession {
    func insertOrders() throws {
        try inContext { context in
            for values in workload.orders { Order(context: context).take(values) }
            try context.save()
        }
    }

    func readOrders(times: Int) throws -> UInt64 {
        var digest = Digest()
        for _ in 0..<times {
            try inContext { context in
                for order in try orders(in: context) { digest.add(order) }
            }
        }
        return digest.value
    }

    func holdOrders() throws {
        let context = newContext()
        heldOrders = (context, try context.performAndWait { try orders(in: context) })
        _ = try readOrdersAgain(times: 1)
    }

    func readOrdersAgain(times: Int) throws -> UInt64 {
        guard let context = heldOrders?.context else { throw BenchmarkFailure("no orders are held") }
        var digest = Digest()
        for _ in 0..<times {
            try context.performAndWait {
                for order in try orders(in: context) { digest.add(order) }
            }
        }
        return digest.value
    }

    private func orders(in context: NSManagedObjectContext) throws -> [Order] {
        try context.fetch(NSFetchRequest<Order>(entityName: "Order"))
    }
}

extension Order {
    fileprivate func take(_ values: OrderValues) {
        address = values.address
        city = values.city
        country = values.country
        customer = values.customer
        employee = values.employee
        freight = values.freight
        number = values.number
        ordered = values.ordered
        postalCode = values.postalCode
        recipient = values.recipient
        region = values.region
        required = values.required
        shipped = values.shipped
        shipper = values.shipper
    }
}
