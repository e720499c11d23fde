// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Bounds the bytes of all bodies that the server holds at one time (H2).
import Synchronization

/// Bytes are taken as a body arrives, and given back when its request is answered.
final class HeldSize: Sendable {
    private let limit: Int
    private let count = Mutex(0)

    init(limit: Int) { self.limit = limit }

    /// - Returns: whether there was room.
    func take(_ bytes: Int) -> Bool {
        count.withLock { count in
            guard bytes <= limit - count else { return false }
            count += bytes
            return true
        }
    }

    func giveBack(_ bytes: Int) { count.withLock { $0 -= bytes } }

    /// The bytes that are held now.
    var held: Int { count.withLock { $0 } }
}
