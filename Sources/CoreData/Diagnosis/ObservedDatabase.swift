// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The database that operations and statements belong to, as observers see it. Documentation/Internals/Telemetry.md

/// The names of a database in the conventions of OpenTelemetry. A store makes one, and each operation refers to it.
package final class ObservedDatabase: Sendable {
    /// The database system: `sqlite` or `postgresql`.
    let system: String
    /// The name of the database within the system; nil for a store in memory, and for operations of several stores.
    let namespace: String?
    /// The host or the folder of the socket; nil without a server.
    let address: String?
    let port: Int?

    package init(_ system: String, namespace: String? = nil, address: String? = nil, port: Int? = nil) {
        (self.system, self.namespace, self.address, self.port) = (system, namespace, address, port)
    }
}
