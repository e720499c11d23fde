// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The list of all contenders.

import Foundation

enum Contenders {
    static let opencoredata = StoreContender<Employee>(name: "opencoredata")

    static let local: [any LocalContender] = [
        RawContender.plain, RawContender.tuned,
        GRDBContender<ClassEmployee>(name: "grdb-class"), GRDBContender<CodableEmployee>(name: "grdb-codable"),
        opencoredata, StoreContender<KeyedEmployee>(name: "opencoredata-kvc"),
    ]

    /// For comparisons between both interfaces: each keeps a history. They take part only on request.
    static let named: [any LocalContender] = [
        StoreContender<Employee>(name: "opencoredata-history", keepsHistory: true), ModelContender(name: "swiftdata"),
    ]

    /// nil for a name that no contender has.
    static func local(_ name: String) -> (any LocalContender)? { (local + named).first { $0.name == name } }

    /// In the order of the tables.
    static var names: [String] { (local + named).map(\.name) + PeerContender.names }
}
