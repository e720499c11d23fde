// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A value that does not fit a word or a string: data, decimals, UUIDs, URIs, transformables, composites.

import CRuntime
import Foundation

/// Contains one such value, decoded when it is first read.
///
/// A box belongs to an immutable snapshot and may be read on several threads at once; decoding is idempotent, and its
/// result is stored under the box's lock. The box also keeps the stored bytes, so that a row is written back byte for
/// byte.
package final class ValueBox: @unchecked Sendable {  // `content` is guarded by `lock`
    package enum Content {
        case value(Any)
        /// Bytes of a transformable value from the store, not decoded yet.
        case encoded(Data, AttributeTransform)
        /// Large data in a file next to the database.
        case file(ExternalData)
        /// A composite value; large elements in files next to the database are `ExternalData`.
        case composite([String: Any])
    }

    @exclusivity(unchecked) private var content: Content
    @exclusivity(unchecked) private var lock = ocd_lock()
    /// The store's bytes for the value, if it was read from a store.
    package let stored: Data?

    package init(_ value: Any) {
        content = .value(value)
        stored = nil
    }

    package init(encoded: Data, _ transform: AttributeTransform) {
        content = .encoded(encoded, transform)
        stored = encoded
    }

    package init(file: ExternalData) {
        content = .file(file)
        stored = nil
    }

    package init(compositeWithFiles elements: [String: Any]) {
        content = .composite(elements)
        stored = nil
    }

    /// The value; nil if the stored bytes cannot be decoded or their file cannot be read (`LargeDataReading`).
    package var value: Any? { try? read() }

    /// - Returns: nil if the stored bytes cannot be decoded.
    package func read() throws(UnreadableFile) -> Any? {
        ocd_acquire(&lock)
        let current = content
        ocd_release(&lock)
        let decoded: Any?
        switch current {
        case .value(let value): return value
        case .encoded(let data, let transform): decoded = transform.decode(data)
        case .file(let file): return try file.read()
        case .composite(let elements): decoded = try Self.reading(elements)
        }
        guard let decoded else { return nil }
        ocd_acquire(&lock)
        defer { ocd_release(&lock) }
        // Another thread may have been first: one object per box, so that two reads return the same instance.
        if case .value(let value) = content { return value }
        content = .value(decoded)
        return decoded
    }

    private static func reading(_ elements: [String: Any]) throws(UnreadableFile) -> [String: Any] {
        var result = elements
        for (name, element) in elements {
            switch element {
            case let file as ExternalData: result[name] = try file.read()
            case let nested as [String: Any]: result[name] = try reading(nested)
            default: break
            }
        }
        return result
    }

    /// All files of the value: one for large data, any number for a composite value that was not read yet.
    package var files: [ExternalData] {
        ocd_acquire(&lock)
        let current = content
        ocd_release(&lock)
        switch current {
        case .value, .encoded: return []
        case .file(let file): return [file]
        case .composite(let elements): return Self.files(elements)
        }
    }

    private static func files(_ elements: [String: Any]) -> [ExternalData] {
        elements.sorted { $0.key < $1.key }.flatMap { element -> [ExternalData] in
            if let file = element.value as? ExternalData { return [file] }
            return (element.value as? [String: Any]).map(files) ?? []
        }
    }

    /// The file of the data, for a value in a file next to the database.
    package var externalData: ExternalData? {
        ocd_acquire(&lock)
        defer { ocd_release(&lock) }
        if case .file(let file) = content { return file }
        return nil
    }

    /// Takes the content of another box: the row was read again because the file of this one is missing.
    package func follow(_ other: ValueBox) {
        ocd_acquire(&other.lock)
        let newer = other.content
        ocd_release(&other.lock)
        ocd_acquire(&lock)
        let older = content
        content = newer
        ocd_release(&lock)
        // Not under the lock: releasing the last reference to a file takes another lock.
        withExtendedLifetime(older) {}
    }

    package func isEqual(_ other: ValueBox) -> Bool {
        if let stored, let otherStored = other.stored { return stored == otherStored }
        if let file = externalData, let otherFile = other.externalData { return file.name == otherFile.name }
        switch (value, other.value) {
        // Neither can be read, or neither can be decoded.
        case (nil, nil): return files.map(\.name) == other.files.map(\.name)
        case (let one?, let two?): return AttributeValues.isEqual(one, two)
        default: return false
        }
    }
}
