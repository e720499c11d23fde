// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The store class of XML documents.

/// A store in an XML document in Apple's format.
final class XMLStore: AtomicFileStore {
    override class var format: any AtomicFormat.Type { XMLFormat.self }
}
