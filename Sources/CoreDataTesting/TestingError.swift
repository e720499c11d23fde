// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The failures of containers and templates for tests.

/// A failure of a container or a template for tests, with a sentence that says what to do.
public enum TestingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The place cannot hold a store.
    case unusablePlace(String)
    /// The kind of store cannot do it.
    case notSupported(String)

    /// The sentence.
    public var description: String {
        switch self {
        case .unusablePlace(let sentence), .notSupported(let sentence): sentence
        }
    }
}
