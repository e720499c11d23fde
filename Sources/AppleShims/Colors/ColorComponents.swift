// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The numbers of a colour, and their conversions.

import Foundation

/// Red, green, blue and alpha in sRGB, or white and alpha. Values outside of 0...1 are kept, as in wide colours.
struct ColorComponents: Hashable, Sendable {
    var red: Double
    var green: Double
    var blue: Double
    var alpha: Double
    /// Whether the colour was made of white and alpha, which decides about its archive.
    var isGray = false

    init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
        (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }

    init(white: Double, alpha: Double = 1) {
        self.init(red: white, green: white, blue: white, alpha: alpha)
        isGray = true
    }

    /// - Parameter hue: 0 and 1 are red, a third is green.
    init(hue: Double, saturation: Double, brightness: Double, alpha: Double = 1) {
        let sector = (hue - hue.rounded(.down)) * 6
        let fraction = sector - sector.rounded(.down)
        let (low, falling, rising) = (
            brightness * (1 - saturation), brightness * (1 - saturation * fraction),
            brightness * (1 - saturation * (1 - fraction))
        )
        let (red, green, blue) =
            switch Int(sector) {
            case 0: (brightness, rising, low)
            case 1: (falling, brightness, low)
            case 2: (low, brightness, rising)
            case 3: (low, falling, brightness)
            case 4: (rising, low, brightness)
            default: (brightness, low, falling)
            }
        self.init(red: red, green: green, blue: blue, alpha: alpha)
    }

    /// - Parameter code: 0xRRGGBB.
    init(_ code: UInt32) {
        self.init(
            red: Double(code >> 16 & 255) / 255, green: Double(code >> 8 & 255) / 255, blue: Double(code & 255) / 255)
    }

    var hsb: (hue: Double, saturation: Double, brightness: Double) {
        let (most, least) = (max(red, green, blue), min(red, green, blue))
        let range = most - least
        guard range > 0 else { return (0, 0, most) }
        let sector =
            most == red
            ? (green - blue) / range : most == green ? (blue - red) / range + 2 : (red - green) / range + 4
        return (sector < 0 ? sector / 6 + 1 : sector / 6, most > 0 ? range / most : 0, most)
    }

    /// The colour with another alpha.
    func with(alpha: Double) -> ColorComponents {
        var copy = self
        copy.alpha = alpha
        return copy
    }
}

// MARK: Archives

extension ColorComponents {
    /// Text of an archive: "0.5 1 0" or "0.5 1 0 0.25", which may end with a zero byte.
    static func numbers(_ data: Data?) -> [Double]? {
        guard let data else { return nil }
        let numbers = String(decoding: data, as: UTF8.self).split { $0 == " " || $0 == "\0" }.map { Double($0) }
        return numbers.allSatisfy { $0?.isFinite == true } ? numbers.compactMap { $0 } : nil
    }

    /// The numbers as the archives have them: three or one, and alpha if it is not 1.
    var archivedText: Data {
        let values = (isGray ? [red] : [red, green, blue]) + (alpha == 1 ? [] : [alpha])
        return Data(values.map(Self.text).joined(separator: " ").utf8)
    }

    private static func text(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
    }
}
