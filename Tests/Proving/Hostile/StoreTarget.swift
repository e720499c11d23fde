// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The stores that libFuzzer and the hostile harness make from inputs.

import Foundation
import SQLiteDriver

/// A part of a store that an input replaces. The store is opened, read, saved to, closed and destroyed: an error is
/// valid, a trap is not.
enum StoreTarget: String, CaseIterable {
    case binary, metadata, pages

    func feed(_ input: Data, _ good: HostileInputs, _ place: Place) throws {
        switch self {
        case .binary:
            try good.write(SealedBinary.sealed(Array(input)), to: place.store)
            StoreUse.run(.binary, place)
        case .metadata:
            try good.write(good.sqlite, to: place.store)
            let connection = try Connection(url: place.store)
            try connection.run("UPDATE Z_METADATA SET Z_PLIST = ?", [.blob(input)])
            try connection.close()
            StoreUse.run(.walNormal, place)
        case .pages:
            try good.write(PageEdits.apply(Array(input), to: good.sqlite), to: place.store)
            StoreUse.run(.walNormal, place)
        }
    }

    /// The input to begin with.
    func seed(_ good: HostileInputs) -> [UInt8] {
        switch self {
        case .binary: good.binary
        case .metadata: good.metadata
        // The type, the first cell and its length in three pages.
        case .pages: [5, 2, 0, 0, 0, 0, 0, 2, 3, 3, 0, 0, 0, 0, 1, 0, 4, 4, 0, 0, 0, 0, 0, 255]
        }
    }
}
