// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The values in the addresses of parts of large values.
import CoreDataSyncProtocol
import Foundation
import Hummingbird

/// Reads the hash and the query of an address. Errors name the value that is wrong, not its content.
struct PartQuery {
    let hash: String
    private let values: [String: String]

    /// - Throws: `Refusal` with `malformed` for a hash of another form.
    init(_ hash: String?, _ request: Request) throws {
        guard let hash, SyncLargeValue.isHash(hash) else {
            throw Refusal(.malformed, "A hash is 64 lower-case hexadecimal digits.")
        }
        self.hash = hash
        values = request.uri.queryParameters.reduce(into: [:]) { values, parameter in
            values[String(parameter.key)] = String(parameter.value)
        }
    }

    func text(_ name: String) throws -> String { try value(name) { $0 } }

    func number(_ name: String) throws -> Int64 { try value(name) { Int64($0) } }

    func id(_ name: String) throws -> UUID { try value(name) { UUID(uuidString: $0) } }

    private func value<Value>(_ name: String, _ make: (String) -> Value?) throws -> Value {
        guard let value = values[name].flatMap(make) else {
            throw Refusal(.malformed, "The address needs a value '\(name)'.")
        }
        return value
    }
}
