// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Damage of the bytes of an input, whatever they mean.

import CoreDataTestSupport

enum ByteDamage {
    /// Bytes that readers tend to take wrongly: the ends of number ranges, and text that means something elsewhere.
    private static let odd: [[UInt8]] = [
        [0], [0xFF], [0x7F], [0x80], [0xFF, 0xFF, 0xFF, 0xFF], [0x7F, 0xFF, 0xFF, 0xFF], [0x80, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0], [0x80, 0, 0, 0, 0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
        Array("&a;<!--]]>%@".utf8), Array("-9223372036854775808".utf8), Array("nan".utf8),
    ]

    /// The bytes after one to six changes.
    static func of(_ good: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = good
        for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let length = min(bytes.count - place, Int.random(in: 1...64, using: &random))
            switch Int.random(in: 0..<8, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes.removeSubrange(place..<place + length)
            case 3: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
            case 4:
                let value = odd.randomElement(using: &random) ?? [0]
                bytes.replaceSubrange(place..<min(bytes.count, place + value.count), with: value)
            case 5 where random.chance(0.3): bytes.removeSubrange(place...)
            case 6:
                let other = Int.random(in: 0...bytes.count - length, using: &random)
                bytes.replaceSubrange(place..<place + length, with: bytes[other..<other + length])
            default: bytes.insert(contentsOf: odd.randomElement(using: &random) ?? [0], at: place)
            }
        }
        return bytes
    }
}
