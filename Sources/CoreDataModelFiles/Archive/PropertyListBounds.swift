// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Refuses property lists that would keep Foundation busy without end.

package import Foundation

/// Foundation unfolds a binary property list into a tree. Objects may be referred to repeatedly, so a file of 300 bytes can describe a
/// tree with more values than any memory holds. Its XML reader bounds itself, and XML has no references.
package enum PropertyListBounds {
    /// As the archive reader allows, for the whole tree.
    private static func mostValues(_ size: Int) -> Int { 100_000 + 64 * size }

    /// Whether Foundation reads the data in time that grows with its size.
    ///
    /// - Complexity: one pass over the data; each object is measured once, however often it is referred to.
    package static func allow(_ data: Data) -> Bool {
        guard BinaryPropertyListReader.isBinary(data) else { return true }
        guard let (reader, top) = try? BinaryPropertyListReader.open(data) else { return false }
        var measure = PropertyListMeasure(reader, limit: mostValues(data.count))
        return measure.size(of: top, depth: 0) != nil
    }

    /// The values of a property list from a file.
    ///
    /// - Throws: `malformedPropertyList`, also for data that is none.
    package static func values(of data: Data) throws -> Any {
        guard allow(data),
            let values = try? PropertyListSerialization.propertyList(from: data, options: [], format: nil)
        else {
            throw ModelFileError(
                .malformedPropertyList, "The data is no property list, or its values are nested without end.")
        }
        return values
    }
}

/// Counts the values of the unfolded tree.
private struct PropertyListMeasure {
    private static let maximumDepth = 512

    private enum Size {
        case unknown
        /// An object that refers to itself is met again while it is measured.
        case measuring
        case known(Int)
    }

    private let reader: BinaryPropertyListReader
    private let limit: Int
    private var sizes: [Size]

    init(_ reader: BinaryPropertyListReader, limit: Int) {
        self.reader = reader
        self.limit = limit
        sizes = Array(repeating: .unknown, count: reader.offsets.count)
    }

    /// nil above the limit, for a circle, and for damaged collections.
    mutating func size(of index: Int, depth: Int) -> Int? {
        switch sizes[index] {
        case .known(let size): return size
        case .measuring: return nil
        case .unknown: break
        }
        guard depth < Self.maximumDepth, let members = members(of: index) else { return nil }
        sizes[index] = .measuring
        var total = 1
        for member in members {
            guard let size = size(of: member, depth: depth + 1), size <= limit - total else { return nil }
            total += size
        }
        sizes[index] = .known(total)
        return total
    }

    private func members(of index: Int) -> [Int]? {
        let offset = reader.offsets[index]
        let marker = reader.bytes[offset]
        switch marker >> 4 {
        case 0xA, 0xB, 0xC: return try? reader.references(Int(marker & 0x0F), at: offset, perItem: 1)
        case 0xD: return try? reader.references(Int(marker & 0x0F), at: offset, perItem: 2)
        default: return []
        }
    }
}
