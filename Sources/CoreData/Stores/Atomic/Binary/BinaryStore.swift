// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The store class of binary documents.

/// A store in a binary document in OpenCoreData's own format.
final class BinaryStore: AtomicFileStore {
    override class var format: any AtomicFormat.Type { BinaryFormat.self }
}
