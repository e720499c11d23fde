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

    /// In the order of the tables.
    static var names: [String] { local.map(\.name) + PeerContender.names }
}
