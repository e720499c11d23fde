// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Punycode (RFC 3492) as the Swift compiler writes it in symbol names.

/// Digits are a-z and A-J, and the delimiter is an underscore, so that the result is an identifier.
enum Punycode {
    static func encode(_ name: String) -> String {
        let scalars = name.unicodeScalars.map { $0.value }
        var output = scalars.filter { $0 < 0x80 }.map { UInt8($0) }
        var handled = output.count
        let plain = handled
        if plain > 0 { output.append(UInt8(ascii: "_")) }
        var (code, delta, bias): (UInt32, UInt32, UInt32) = (0x80, 0, 72)
        while handled < scalars.count {
            guard let next = scalars.filter({ $0 >= code }).min() else { break }
            delta += (next - code) * UInt32(handled + 1)
            code = next
            for scalar in scalars {
                if scalar < code { delta += 1 }
                guard scalar == code else { continue }
                appendNumber(delta, bias, to: &output)
                bias = adapted(delta, UInt32(handled + 1), isFirst: handled == plain)
                delta = 0
                handled += 1
            }
            delta += 1
            code += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func appendNumber(_ number: UInt32, _ bias: UInt32, to output: inout [UInt8]) {
        var rest = number
        var step: UInt32 = 36
        while true {
            let threshold = step <= bias ? 1 : min(step - bias, 26)
            if rest < threshold { break }
            output.append(digit(threshold + (rest - threshold) % (36 - threshold)))
            rest = (rest - threshold) / (36 - threshold)
            step += 36
        }
        output.append(digit(rest))
    }

    private static func digit(_ value: UInt32) -> UInt8 {
        value < 26 ? UInt8(ascii: "a") + UInt8(value) : UInt8(ascii: "A") + UInt8(value - 26)
    }

    private static func adapted(_ delta: UInt32, _ count: UInt32, isFirst: Bool) -> UInt32 {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var bias: UInt32 = 0
        while delta > 455 {
            delta /= 35
            bias += 36
        }
        return bias + 36 * delta / (delta + 38)
    }
}
