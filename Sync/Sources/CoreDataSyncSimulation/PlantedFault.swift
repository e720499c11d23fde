// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The defects of clients and servers that the simulation plants, by name.
package import CoreDataSync
package import CoreDataSyncServer

/// A defect that is planted on purpose.
package enum PlantedFault: Hashable, Sendable, CustomStringConvertible {
    case client(ClientFault)
    case server(ServerFault)

    package static var all: [PlantedFault] {
        ClientFault.allCases.map(Self.client) + ServerFault.allCases.map(Self.server)
    }

    package init?(_ name: String) {
        if let fault = ClientFault(rawValue: name) {
            self = .client(fault)
        } else if let fault = ServerFault(rawValue: name) {
            self = .server(fault)
        } else {
            return nil
        }
    }

    package var description: String {
        switch self {
        case .client(let fault): fault.rawValue
        case .server(let fault): fault.rawValue
        }
    }
}
