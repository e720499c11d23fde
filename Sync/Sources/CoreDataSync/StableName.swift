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
    private let store: String
    /// The hash of the store and of the separator after it, with which each name begins.
    private let beginning: UInt128

    init(store: String) {
        self.store = store
        beginning = Self.adding([0], to: Self.adding(store.utf8, to: Self.start))
    }

    /// The name of an object that a transaction inserted.
    ///
    /// - Parameters:
    ///   - uri: the object's id; its path counts, because the store is known.
    ///   - mark: identifies the transaction in its store.
    func name(uri: String, mark: String) -> UUID {
        let hash = Self.adding([0], to: Self.adding(Self.path(uri).utf8, to: beginning))
        return Self.uuid(Self.mixed(Self.adding(mark.utf8, to: hash)))
    }

    /// The store and some transactions, as counters recognize them.
    func origin(marks: some Sequence<String>) -> SyncOrigin {
        SyncOrigin(
            store: Self.uuid(Self.mixed(Self.adding(store.utf8, to: Self.start))),
            transactions: marks.map {
                UInt64(truncatingIfNeeded: Self.mixed(Self.adding($0.utf8, to: Self.start)))
            })
    }

    /// The part after the host.
    private static func path(_ uri: String) -> String {
        let scheme = "x-coredata://"
        guard uri.hasPrefix(scheme), !uri.utf8.contains(UInt8(ascii: "%")),
            let slash = uri.utf8.dropFirst(scheme.utf8.count).firstIndex(of: UInt8(ascii: "/"))
        else { return URL(string: uri)?.path ?? uri }
        return String(uri[slash...])
    }

    /// A UUID of version 8: its other bits are a hash.
    private static func uuid(_ hash: UInt128) -> UUID {
        var bytes = withUnsafeBytes(of: hash.bigEndian) { Array($0) }
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    // MARK: FNV-1a with 128 bits

    private static let start = UInt128(0x6C62_272E_07BB_0142) << 64 + UInt128(0x62B8_2175_6295_C58D)
    private static let prime = UInt128(1) << 88 + UInt128(0x13B)

    private static func adding(_ bytes: some Sequence<UInt8>, to hash: UInt128) -> UInt128 {
        let prime = prime
        return bytes.reduce(hash) { ($0 ^ UInt128($1)) &* prime }
    }

    /// Mixes the halves: close texts have distant hashes.
    private static func mixed(_ hash: UInt128) -> UInt128 {
        var hash = hash
        for _ in 0..<2 {
            hash ^= hash >> 64
            hash = hash &* prime
        }
        return hash
    }
}
