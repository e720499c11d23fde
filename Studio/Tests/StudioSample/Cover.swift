// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes the pictures of covers, as PNG files without compression.

import Foundation

/// A cover with a band for the title.
enum Cover {
    private static let (width, height) = (96, 144)

    /// - Parameter hue: 0 to 1.
    static func png(hue: Double) -> Data {
        var lines: [UInt8] = []
        for y in 0..<height {
            lines.append(0)  // no filter
            for x in 0..<width {
                let isBand = (28..<62).contains(y) && (12..<84).contains(x)
                let isSpine = x < 6
                let light = isBand ? 0.94 : isSpine ? 0.25 : 0.45 + 0.2 * Double(height - y) / Double(height)
                lines += color(hue, isBand ? 0.15 : 0.5, light)
            }
        }
        var header: [UInt8] = []
        for number in [width, height] { header += bytes(UInt32(number)) }
        header += [8, 2, 0, 0, 0]
        return Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
            + chunk("IHDR", header) + chunk("IDAT", stored(lines)) + chunk("IEND", [])
    }

    /// Red, green and blue of a hue, saturation and lightness.
    private static func color(_ hue: Double, _ saturation: Double, _ light: Double) -> [UInt8] {
        let reach = saturation * min(light, 1 - light)
        return [0.0, 8.0, 4.0].map { offset in
            let place = (offset + hue * 12).truncatingRemainder(dividingBy: 12)
            return UInt8((light - reach * max(-1, min(place - 3, 9 - place, 1))) * 255)
        }
    }

    private static func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian, Array.init) }

    private static func chunk(_ name: String, _ content: [UInt8]) -> Data {
        let body = Array(name.utf8) + content
        var sum: UInt32 = .max
        for byte in body {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return Data(bytes(UInt32(content.count)) + body + bytes(~sum))
    }

    /// A stream of zlib with blocks that are not compressed.
    private static func stored(_ content: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x78, 0x01]
        var (one, two): (UInt32, UInt32) = (1, 0)
        for start in stride(from: 0, to: content.count, by: 65_535) {
            let block = content[start..<min(start + 65_535, content.count)]
            let (low, high) = (UInt8(block.count & 0xFF), UInt8(block.count >> 8))
            result += [start + block.count == content.count ? 1 : 0, low, high, ~low, ~high] + block
        }
        for byte in content {
            one = (one + UInt32(byte)) % 65_521
            two = (two + one) % 65_521
        }
        return result + bytes(two << 16 | one)
    }
}
