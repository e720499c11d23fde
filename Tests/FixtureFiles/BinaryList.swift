// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes binary property lists byte by byte that no writer makes.

package import Foundation

/// A binary property list from the bytes of its objects.
package enum BinaryList {
    /// A file with these objects, in the layout of the format.
    ///
    /// - Parameters:
    ///   - root: the position of the outermost object.
    ///   - referenceSize: the bytes of each reference in an object to the position of another.
    package static func data(_ objects: [[UInt8]], root: Int = 0, referenceSize: UInt8 = 1) -> Data {
        var bytes = Array("bplist00".utf8)
        var starts: [UInt8] = []
        for object in objects {
            starts += bigEndian(bytes.count, size: 4)
            bytes += object
        }
        let trailer = [objects.count, root, bytes.count].flatMap { bigEndian($0, size: 8) }
        return Data(bytes + starts + [0, 0, 0, 0, 0, 0, 4, referenceSize] + trailer)
    }

    /// A dictionary with one entry, a chain of arrays that each contain the next one twice: a few bytes that unfold to
    /// two to the power of `levels` values.
    ///
    /// - Parameter key: at most 14 ASCII characters.
    package static func unfolding(levels: Int, key: String) -> Data {
        var objects: [[UInt8]] = [[0xD1, 1, 2], [0x50 + UInt8(key.utf8.count)] + Array(key.utf8)]
        for level in 0..<levels { objects.append([0xA2, UInt8(level + 3), UInt8(level + 3)]) }
        objects.append([0x51, 0x78])
        return data(objects)
    }

    package static func bigEndian(_ value: Int, size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
