// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A property list with the references of keyed archives.

import Foundation

/// A separate type, because Foundation's reader on Linux hides the references of keyed archives.
indirect enum PropertyListNode: Sendable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// Seconds since 2001-01-01 UTC.
    case date(Double)
    case data(Data)
    case string(String)
    /// A reference into the object table of a keyed archive.
    case reference(Int)
    case array([PropertyListNode])
    case dictionary([String: PropertyListNode])
}
