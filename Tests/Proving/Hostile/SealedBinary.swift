// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Gives damaged binary stores the head and the checksum of sound ones, as a forger would.

/// Without this, a reader refuses nearly all damaged files for their checksum, and the code after it is not tried.
enum SealedBinary {
    private static let magic = Array("OCDATOM\0".utf8)
    /// CRC-64 (ECMA-182, reflected), as in the framework.
    private static let table: [UInt64] = (0..<256).map { index in
        (0..<8).reduce(UInt64(index)) { value, _ in
            value & 1 == 1 ? (value >> 1) ^ 0xC96C_5795_D787_0F42 : value >> 1
        }
    }

    static func sealed(_ damaged: [UInt8]) -> [UInt8] {
        var bytes = damaged
        if bytes.count < 32 { bytes += Array(repeating: 0, count: 32 - bytes.count) }
        bytes.replaceSubrange(..<24, with: magic + word(1) + word(UInt64(bytes.count)))
        let end = bytes.count - 8
        var state = UInt64.max
        for byte in bytes[..<end] { state = table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ (state >> 8) }
        bytes.replaceSubrange(end..., with: word(~state))
        return bytes
    }

    private static func word(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
