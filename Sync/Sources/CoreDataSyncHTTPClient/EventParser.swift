// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Takes server-sent events apart.
import Foundation

/// Finds the data of events in the pieces of a stream (WHATWG HTML, 9.2.6). Names and ids of events are not used.
struct EventParser {
    /// The greatest number of bytes of a line, and of the data of an event.
    static let mostBytes = 64 << 10

    private var line = Data()
    private var data = Data()
    private var hasData = false
    private var endedWithReturn = false

    /// - Returns: the data of the events that the piece completes.
    /// - Throws: `HTTPTransportError.answerTooLarge` for a line or an event that is too long.
    mutating func take(_ piece: Data) throws -> [Data] {
        var events: [Data] = []
        for byte in piece {
            defer { endedWithReturn = byte == 13 }
            switch byte {
            case 10 where endedWithReturn: break
            case 10, 13:
                if let event = endLine() { events.append(event) }
            default:
                guard line.count < Self.mostBytes else { throw HTTPTransportError.answerTooLarge }
                line.append(byte)
            }
            guard data.count <= Self.mostBytes else { throw HTTPTransportError.answerTooLarge }
        }
        return events
    }

    private mutating func endLine() -> Data? {
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else {
            defer {
                data = Data()
                hasData = false
            }
            return hasData ? data : nil
        }
        let field = Data("data:".utf8)
        guard line.starts(with: field) else { return nil }
        var value = line.dropFirst(field.count)
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        if hasData { data.append(10) }
        data.append(contentsOf: value)
        hasData = true
        return nil
    }
}
