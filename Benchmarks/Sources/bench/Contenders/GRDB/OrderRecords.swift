// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The wide table as records of GRDB: by hand with columns by position, and Codable.

import Foundation
import GRDB

protocol OrderRecord: FetchableRecord, TableRecord, OrderReading {}

final class ClassOrder: OrderRecord {
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

    static let databaseTableName = "ZORDER"
    static var databaseSelection: [any SQLSelectable] { CodableOrder.CodingKeys.allCases.map { Column($0.rawValue) } }

    init(row: Row) {
        key = row[0]
        version = row[1]
        number = row[2]
        customer = row[3]
        employee = row[4]
        ordered = Date(timeIntervalSinceReferenceDate: row[5])
        required = Date(timeIntervalSinceReferenceDate: row[6])
        shipped = (row[7] as Double?).map { Date(timeIntervalSinceReferenceDate: $0) }
        shipper = row[8]
        freight = row[9]
        recipient = row[10]
        address = row[11]
        city = row[12]
        region = row[13]
        postalCode = row[14]
        country = row[15]
    }
}

struct CodableOrder: OrderRecord, Codable {
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

    static let databaseTableName = "ZORDER"

    enum CodingKeys: String, CodingKey, CaseIterable {
        case key = "Z_PK"
        case version = "Z_OPT"
        case number = "ZNUMBER"
        case customer = "ZCUSTOMER"
        case employee = "ZEMPLOYEE"
        case ordered = "ZORDERED"
        case required = "ZREQUIRED"
        case shipped = "ZSHIPPED"
        case shipper = "ZSHIPPER"
        case freight = "ZFREIGHT"
        case recipient = "ZRECIPIENT"
        case address = "ZADDRESS"
        case city = "ZCITY"
        case region = "ZREGION"
        case postalCode = "ZPOSTALCODE"
        case country = "ZCOUNTRY"
    }

    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .timeIntervalSinceReferenceDate
    }
}
