// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Rejects property lists that would take excessive time or memory to expand.

package import Foundation

/// Foundation expands a binary property list to a tree. Objects may be referenced repeatedly, so a file of 300 bytes
/// can describe a tree that exceeds any memory. Foundation's XML reader has its own limits, and XML has no references.
package enum PropertyListBounds {
    /// The limit for the whole tree, in values of some hundred bytes. Small lists may unfold more than large ones.
    package static func maximumValues(_ size: Int) -> Int { 100_000 + max(2 * size, min(64 * size, 2_000_000)) }

    /// Whether Foundation can read the data in time proportional to its size.
    ///
    /// - Complexity: one pass over the data; each object is measured once, even with many references.
    package static func allow(_ data: Data) -> Bool {
        guard BinaryPropertyListReader.isBinary(data) else { return true }
        guard let (reader, top) = try? BinaryPropertyListReader.open(data) else { return false }
        var measure = PropertyListMeasure(reader, limit: maximumValues(data.count))
        return measure.size(of: top, depth: 0) != nil
    }

    /// The values of a property list from a file.
    ///
    /// - Throws: `malformedPropertyList`, also for data in no property list format.
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

/// Counts the values of the expanded tree.
private struct PropertyListMeasure {
    private static let maximumDepth = 512

    private enum Size {
        case unknown
        /// An object under measurement; meeting it again means that it refers to itself.
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

    /// nil above the limit, for a cycle, for damaged collections, and for those that no property list has.
    mutating func size(of index: Int, depth: Int) -> Int? {
        switch sizes[index] {
        case .known(let size): return size
        case .measuring: return nil
        case .unknown: break
        }
        guard depth < Self.maximumDepth, let members = members(of: index) else { return nil }
        sizes[index] = .measuring
        var total = 1 + leafSize(index) / 64
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
        case 0xA: return try? reader.references(Int(marker & 0x0F), at: offset, perItem: 1)
        // Property lists have no sets. Foundation reads them, and traps on members that it cannot hash.
        case 0xB, 0xC: return nil
        case 0xD:
            guard let references = try? reader.references(Int(marker & 0x0F), at: offset, perItem: 2),
                references.prefix(references.count / 2).allSatisfy(isText)
            else { return nil }
            return references
        default: return []
        }
    }

    /// The bytes of a text or of data: Foundation copies them for each reference. They lie within the file, or
    /// Foundation refuses the list.
    private func leafSize(_ index: Int) -> Int {
        guard [0x4, 0x5, 0x6].contains(reader.bytes[reader.offsets[index]] >> 4) else { return 0 }
        return min(reader.bytes.count, reader.length(of: index) ?? 0) * 2
    }

    private func isText(_ index: Int) -> Bool { [0x5, 0x6].contains(reader.bytes[reader.offsets[index]] >> 4) }
}
