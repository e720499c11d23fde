// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The rows of the wide table: orders with fourteen attributes, as shops have them.

import Foundation

/// The values of an order. Two of three have no region, one of five no postal code, one of seven is not yet shipped.
struct OrderValues: Sendable {
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

    init(_ row: Int) {
        let place = Self.places[row % Self.places.count]
        let day = Double(row % 4_000) * 86_400
        number = 10_248 + Int64(row)
        customer = String(place.recipient.prefix(5)).uppercased()
        employee = Int64(row % 9 + 1)
        ordered = Date(timeIntervalSinceReferenceDate: day)
        required = Date(timeIntervalSinceReferenceDate: day + 28 * 86_400)
        shipped = row % 7 == 0 ? nil : Date(timeIntervalSinceReferenceDate: day + Double(row % 21) * 86_400)
        shipper = Int64(row % 3 + 1)
        freight = Double(row * 7_919 % 100_000) / 100
        recipient = place.recipient
        address = place.street + " \(row % 90 + 1)"
        city = place.city
        region = row % 3 == 0 ? place.region : nil
        postalCode = row % 5 == 0 ? nil : String(10_000 + row * 31 % 90_000)
        country = place.country
    }

    /// Some texts fit into the 15 bytes that a Swift string stores without an allocation, some do not.
    private static let places: [(recipient: String, street: String, city: String, region: String, country: String)] = [
        ("Adler und Sohn", "Gerberstraße", "Bremen", "Weser", "Germany"),
        ("Bakkerij de Molen", "Oude Gracht", "Utrecht", "Utrecht", "Netherlands"),
        ("Castelo Comércio", "Rua da Alfândega", "Porto", "Norte", "Portugal"),
        ("Dahl & Partner", "Storgata", "Stavern", "Vestfold", "Norway"),
        ("Épicerie du Pont", "rue des Écluses", "Lyon", "Rhône", "France"),
        ("Fjellheim Handel", "Havnegata", "Bergen", "Vestland", "Norway"),
        ("Great Plains Grocery", "Prairie Avenue", "Albuquerque", "NM", "USA"),
        ("Hansson Import", "Norra Hamngatan", "Luleå", "Norrbotten", "Sweden"),
        ("Island Provisions", "Garden House Crowther Way", "Cowes", "Isle of Wight", "UK"),
        ("Jardín de Flores", "Avenida del Libertador", "Buenos Aires", "Capital", "Argentina"),
        ("Kreuz Feinkost", "Kirchgasse", "Graz", "Steiermark", "Austria"),
    ]
}

/// The values of an order as a contender has read them.
protocol OrderReading {
    var number: Int64 { get }
    var customer: String { get }
    var employee: Int64 { get }
    var ordered: Date { get }
    var required: Date { get }
    var shipped: Date? { get }
    var shipper: Int64 { get }
    var freight: Double { get }
    var recipient: String { get }
    var address: String { get }
    var city: String { get }
    var region: String? { get }
    var postalCode: String? { get }
    var country: String { get }
}

extension Digest {
    /// Adds all values of an order. Specialized for each class of a contender, so that it costs all of them the same.
    @inline(__always) mutating func add(_ order: some OrderReading) {
        add(Int(order.number))
        add(order.customer.utf8.count)
        add(Int(order.employee))
        add(Int(order.ordered.timeIntervalSinceReferenceDate))
        add(Int(order.required.timeIntervalSinceReferenceDate))
        add(order.shipped.map { Int($0.timeIntervalSinceReferenceDate) } ?? 7)
        add(Int(order.shipper))
        add(Int(order.freight * 100))
        add(order.recipient.utf8.count)
        add(order.address.utf8.count)
        add(order.city.utf8.count)
        add(order.region.map { $0.utf8.count } ?? 11)
        add(order.postalCode.map { $0.utf8.count } ?? 13)
        add(order.country.utf8.count)
    }
}
