// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The compact forms of a push and of a page as bodies of HTTP, where client and server both know them.
package import Foundation

/// The media type of compact bodies. Its version changes with every change of their form.
package let syncPackedType = "application/vnd.opencoredata.sync-1"

extension SyncPage: PackedCodable {
    package init(from reader: inout PackedReader) throws {
        self.init(
            records: try reader.array { try SyncRecordState(from: &$0) }, next: try reader.text(),
            isLast: try reader.bool(), isWhole: try reader.bool(), revision: try reader.integer(),
            clock: try reader.bits())
    }

    package func write(to writer: inout PackedWriter) {
        writer.write(records) { $1.write(to: &$0) }
        writer.write(next)
        writer.write(isLast)
        writer.write(isWhole)
        writer.write(revision)
        writer.write(bits: clock)
    }
}

extension SyncPush {
    /// Reads a compact body of a device.
    ///
    /// - Parameter mostChanges: no memory is taken for a batch that has more.
    /// - Throws: `SyncError` with `malformed` or `tooLarge`.
    package init(body: Data, mostChanges: Int) throws {
        do {
            var reader = try PackedReader(body)
            try self.init(from: &reader, mostChanges: mostChanges)
            guard reader.isAtEnd else { throw PackedError() }
        } catch is PackedError {
            throw SyncError(.malformed, "The body is no compact batch.")
        }
    }
}
