// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Names that follow from a store, an object and the transaction that inserted it.
import CoreData
import CoreDataSyncProtocol
import Foundation

/// Recognizes an object and a transaction that were captured twice, because the stores were restored between (Y8).
///
/// A restored store has the identifier of the original, and the same transactions up to the backup. Later ones have
/// other times, so a new object never gets the name of a lost one, although it may have its id.
struct StableName {
    /// Identifies the store.
    let store: String

    /// The name of an object that a transaction inserted.
    ///
    /// - Parameters:
    ///   - uri: the object's id; its path counts, because the store is known.
    ///   - mark: identifies the transaction in its store.
    func name(uri: String, mark: String) -> UUID {
        Self.uuid([store, URL(string: uri)?.path ?? uri, mark])
    }

    /// The store and some transactions, as counters recognize them.
    func origin(marks: some Sequence<String>) -> SyncOrigin {
        SyncOrigin(store: Self.uuid([store]), transactions: marks.map { UInt64(truncatingIfNeeded: Self.hash([$0])) })
    }

    /// A UUID of version 8: its other bits are a hash.
    private static func uuid(_ parts: [String]) -> UUID {
        var bytes = withUnsafeBytes(of: hash(parts).bigEndian) { Array($0) }
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return NSUUID(uuidBytes: bytes) as UUID
    }

    /// FNV-1a with 128 bits, followed by a mixing of the halves: close texts have distant hashes.
    private static func hash(_ parts: [String]) -> UInt128 {
        let prime = UInt128(1) << 88 + UInt128(0x13B)
        var hash = UInt128(0x6C62_272E_07BB_0142) << 64 + UInt128(0x62B8_2175_6295_C58D)
        for byte in parts.joined(separator: "\u{0}").utf8 { hash = (hash ^ UInt128(byte)) &* prime }
        for _ in 0..<2 {
            hash ^= hash >> 64
            hash = hash &* prime
        }
        return hash
    }
}
