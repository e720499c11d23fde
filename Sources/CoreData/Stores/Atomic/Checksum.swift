// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// CRC-64 (ECMA-182, reflected, as in xz), which detects damaged files.

/// An incremental checksum. Detects every burst error of up to 64 bits; it does not protect against deliberate forgery.
struct Checksum {
    private static let table: [UInt64] = (0..<256).map { index in
        (0..<8).reduce(UInt64(index)) { value, _ in
            value & 1 == 1 ? (value >> 1) ^ 0xC96C_5795_D787_0F42 : value >> 1
        }
    }

    private var state: UInt64 = .max

    var value: UInt64 { ~state }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var state = state
        Self.table.withUnsafeBufferPointer { table in
            for byte in bytes { state = table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ (state >> 8) }
        }
        self.state = state
    }

    static func of(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var checksum = Checksum()
        bytes.withUnsafeBytes { checksum.add($0) }
        return checksum.value
    }
}
