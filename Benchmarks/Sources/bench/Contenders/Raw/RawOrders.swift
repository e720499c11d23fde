// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The wide table of `raw` and `raw-tuned`: its class, its table, and its jobs.

import Foundation

final class RawOrder: OrderReading {
    let key: Int64
    let version: Int64
    let number: Int64
    let customer: String
    let employee: Int64
    let ordered: Date
    let required: Date
    let shipped: Date?
    let shipper: Int64
    let freight: Double
    let recipient: String
    let address: String
    let city: String
    let region: String?
    let postalCode: String?
    let country: String

    static let columns = """
        Z_PK, Z_OPT, ZNUMBER, ZCUSTOMER, ZEMPLOYEE, ZORDERED, ZREQUIRED, ZSHIPPED, ZSHIPPER, ZFREIGHT, ZRECIPIENT, \
        ZADDRESS, ZCITY, ZREGION, ZPOSTALCODE, ZCOUNTRY
        """

    /// Reads a row of `columns`.
    @inline(__always) init(_ row: RawStatement) {
        key = row.integer(0)
        version = row.integer(1)
        number = row.integer(2)
        customer = row.text(3)
        employee = row.integer(4)
        ordered = Date(timeIntervalSinceReferenceDate: row.double(5))
        required = Date(timeIntervalSinceReferenceDate: row.double(6))
        shipped = row.doubleOrNil(7).map { Date(timeIntervalSinceReferenceDate: $0) }
        shipper = row.integer(8)
        freight = row.double(9)
        recipient = row.text(10)
        address = row.text(11)
        city = row.text(12)
        region = row.textOrNil(13)
        postalCode = row.textOrNil(14)
        country = row.text(15)
    }
}

extension RawContender {
    /// The columns in the order in which the framework makes them.
    static func makeOrderTable(_ file: URL) throws {
        try RawDatabase(file, tuning: .none).execute(
            """
            CREATE TABLE ZORDER ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZEMPLOYEE INTEGER, \
            ZNUMBER INTEGER, ZSHIPPER INTEGER, ZORDERED TIMESTAMP, ZREQUIRED TIMESTAMP, ZSHIPPED TIMESTAMP, \
            ZFREIGHT FLOAT, ZADDRESS VARCHAR, ZCITY VARCHAR, ZCOUNTRY VARCHAR, ZCUSTOMER VARCHAR, \
            ZPOSTALCODE VARCHAR, ZRECIPIENT VARCHAR, ZREGION VARCHAR );
            """)
    }
}

extension RawSession {
    func insertOrders() throws {
        try database.transaction {
            let places = Array(repeating: "?", count: 16).joined(separator: ", ")
            let statement = try database.prepare(
                "INSERT INTO ZORDER (\(RawOrder.columns), Z_ENT) VALUES (\(places), 1)")
            for (row, order) in workload.orders.enumerated() {
                statement.bind(Int64(row + 1), 1)
                statement.bind(1 as Int64, 2)
                bind(order, statement)
                try statement.run()
            }
        }
    }

    private func bind(_ order: OrderValues, _ statement: RawStatement) {
        statement.bind(order.number, 3)
        statement.bind(order.customer, 4)
        statement.bind(order.employee, 5)
        statement.bind(order.ordered.timeIntervalSinceReferenceDate, 6)
        statement.bind(order.required.timeIntervalSinceReferenceDate, 7)
        if let date = order.shipped {
            statement.bind(date.timeIntervalSinceReferenceDate, 8)
        } else {
            statement.bindNull(8)
        }
        statement.bind(order.shipper, 9)
        statement.bind(order.freight, 10)
        statement.bind(order.recipient, 11)
        statement.bind(order.address, 12)
        statement.bind(order.city, 13)
        if let region = order.region { statement.bind(region, 14) } else { statement.bindNull(14) }
        if let code = order.postalCode { statement.bind(code, 15) } else { statement.bindNull(15) }
        statement.bind(order.country, 16)
    }

    func readOrders(times: Int) throws -> UInt64 {
        let statement = try database.prepare("SELECT \(RawOrder.columns) FROM ZORDER")
        var digest = Digest()
        for _ in 0..<times {
            var orders: [RawOrder] = []
            while try statement.step() { orders.append(RawOrder(statement)) }
            statement.reset()
            for order in orders { digest.add(order) }
        }
        return digest.value
    }
}
