// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A value for a placeholder in the server's binary format.

package import Foundation

/// The oids of the server's types.
package enum TypeNumber {
    package static let boolean: UInt32 = 16
    package static let bytes: UInt32 = 17
    package static let int64: UInt32 = 20
    package static let int16: UInt32 = 21
    package static let int32: UInt32 = 23
    package static let text: UInt32 = 25
    package static let float: UInt32 = 700
    package static let double: UInt32 = 701
    package static let timestamp: UInt32 = 1184
    package static let numeric: UInt32 = 1700
    package static let uuid: UInt32 = 2950

    /// The type of arrays of a type.
    package static func array(of type: UInt32) -> UInt32 {
        switch type {
        case boolean: 1000
        case bytes: 1001
        case int64: 1016
        case int16: 1005
        case int32: 1007
        case text: 1009
        case float: 1021
        case double: 1022
        case timestamp: 1185
        case numeric: 1231
        case uuid: 2951
        default: 0
        }
    }

    /// Whether it is one of the types that `array(of:)` gives. Asked for each value of each statement.
    static func isArray(_ type: UInt32) -> Bool {
        switch type {
        case 1000, 1001, 1005, 1007, 1009, 1016, 1021, 1022, 1185, 1231, 2951: true
        default: false
        }
    }
}

/// One value, or one array of values, with its type.
package struct Parameter: Sendable {
    package let type: UInt32
    /// nil for null.
    package let bytes: [UInt8]?

    package init(type: UInt32, bytes: [UInt8]?) {
        self.type = type
        self.bytes = bytes
    }

    package static func null(_ type: UInt32) -> Parameter { Parameter(type: type, bytes: nil) }
    package static func int64(_ value: Int64) -> Parameter {
        Parameter(type: TypeNumber.int64, bytes: WireValue.bytes(value))
    }
    package static func boolean(_ value: Bool) -> Parameter {
        Parameter(type: TypeNumber.boolean, bytes: [value ? 1 : 0])
    }
    package static func double(_ value: Double) -> Parameter {
        Parameter(type: TypeNumber.double, bytes: WireValue.bytes(Int64(bitPattern: value.bitPattern)))
    }
    package static func text(_ value: String) -> Parameter {
        Parameter(type: TypeNumber.text, bytes: Array(value.utf8))
    }
    package static func bytes(_ value: Data) -> Parameter { Parameter(type: TypeNumber.bytes, bytes: Array(value)) }
    package static func uuid(_ value: UUID) -> Parameter {
        Parameter(type: TypeNumber.uuid, bytes: withUnsafeBytes(of: value.uuid) { Array($0) })
    }
    package static func decimal(_ value: Decimal) -> Parameter {
        Parameter(type: TypeNumber.numeric, bytes: WireNumeric.bytes(value))
    }
    /// - Parameter value: seconds since 2001-01-01 UTC.
    package static func timestamp(_ value: Double) -> Parameter {
        Parameter(type: TypeNumber.timestamp, bytes: WireValue.bytes(WireTimestamp.microseconds(value)))
    }
}

/// Numbers in the server's byte order: the highest byte first.
package enum WireValue {
    package static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}

/// Converts points in time: the server counts microseconds since 2000-01-01 UTC, Foundation seconds since 2001-01-01
/// UTC.
package enum WireTimestamp {
    private static let distance = 366.0 * 86_400

    /// The nearest microsecond; times out of the server's range become its infinities.
    package static func microseconds(_ seconds: Double) -> Int64 {
        if seconds.isNaN { return 0 }
        let value = ((seconds + distance) * 1_000_000).rounded()
        if value >= latest { return .max }
        if value <= earliest { return .min }
        return Int64(value)
    }

    package static func seconds(_ microseconds: Int64) -> Double {
        switch microseconds {
        case .max: Date.distantFuture.timeIntervalSinceReferenceDate
        case .min: Date.distantPast.timeIntervalSinceReferenceDate
        default: Double(microseconds) / 1_000_000 - distance
        }
    }

    /// The years -4713 and 294276 limit the server's calendar.
    private static let earliest = -211_813_488_000_000_000.0
    private static let latest = 9_223_371_331_200_000_000.0
}
