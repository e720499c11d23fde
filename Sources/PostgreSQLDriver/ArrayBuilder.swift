// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Builds an array of values for one placeholder.

package import Foundation

/// A one-dimensional array in binary format: a header, then length and bytes of each element.
package struct ArrayBuilder {
    package let elementType: UInt32
    package private(set) var count: Int32 = 0
    private var hasNull = false
    private var bytes: [UInt8]

    package init(of elementType: UInt32, capacity: Int = 0) {
        self.elementType = elementType
        bytes = []
        bytes.reserveCapacity(20 + capacity * 12)
        bytes.append(contentsOf: [UInt8](repeating: 0, count: 20))
    }

    package mutating func appendNull() {
        hasNull = true
        count += 1
        append(raw: Int32(-1))
    }

    package mutating func append(_ value: Int64) {
        count += 1
        append(raw: Int32(8))
        append(raw: value)
    }

    package mutating func append(_ value: Bool) {
        count += 1
        append(raw: Int32(1))
        bytes.append(value ? 1 : 0)
    }

    package mutating func append(_ value: Double) { append(Int64(bitPattern: value.bitPattern)) }

    package mutating func append(_ value: String) {
        count += 1
        var value = value
        value.withUTF8 { text in
            append(raw: Int32(text.count))
            bytes.append(contentsOf: text)
        }
    }

    package mutating func append(_ value: UUID) { append(bytes: withUnsafeBytes(of: value.uuid) { Array($0) }) }
    package mutating func append(_ value: Decimal) { append(bytes: WireNumeric.bytes(value)) }
    package mutating func append(_ value: Data) { append(bytes: Array(value)) }
    package mutating func append(timestamp seconds: Double) { append(WireTimestamp.microseconds(seconds)) }

    private mutating func append(bytes value: [UInt8]) {
        count += 1
        append(raw: Int32(value.count))
        bytes.append(contentsOf: value)
    }

    private mutating func append(raw value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    package var parameter: Parameter {
        let header: [Int32] = [count == 0 ? 0 : 1, hasNull ? 1 : 0, Int32(bitPattern: elementType), count, 1]
        var result = count == 0 ? [UInt8](repeating: 0, count: 12) : bytes
        for (place, number) in header.prefix(count == 0 ? 3 : 5).enumerated() {
            result.replaceSubrange(place * 4..<place * 4 + 4, with: WireValue.bytes(number))
        }
        return Parameter(type: TypeNumber.array(of: elementType), bytes: result)
    }
}

extension Parameter {
    package static func int64s(_ values: some Collection<Int64>) -> Parameter {
        var array = ArrayBuilder(of: TypeNumber.int64, capacity: values.count)
        for value in values { array.append(value) }
        return array.parameter
    }

    package static func texts(_ values: some Collection<String>) -> Parameter {
        var array = ArrayBuilder(of: TypeNumber.text, capacity: values.count)
        for value in values { array.append(value) }
        return array.parameter
    }
}
