// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A digest that notices edits of files. It guards against no attack.

enum Digest {
    /// FNV-1a of 64 bits, and the length.
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        var (hash, count): (UInt64, Int) = (0xCBF2_9CE4_8422_2325, 0)
        for byte in bytes {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
            count += 1
        }
        return String(hash, radix: 16) + "-" + String(count, radix: 16)
    }
}
