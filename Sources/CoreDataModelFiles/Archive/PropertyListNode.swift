// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A property list as it stands in a file, with the references that keyed archives need.

import Foundation

/// Foundation's own reader hides the references of keyed archives on Linux; hence a type of ours.
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
