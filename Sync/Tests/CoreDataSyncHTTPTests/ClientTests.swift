// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The parts of the client that need no server: events, decisions and pauses.
import CoreDataSyncProtocol
import Foundation
import Testing

@testable import CoreDataSyncHTTPClient

@Suite("Parts of the HTTP client") struct ClientTests {
    @Test("events are found in pieces of any size", arguments: [1, 2, 3, 5, 1_000])
    func events(piece: Int) throws {
        let lines = ":hello\n\ndata: a\n\ndata:b\ndata: c\r\n\r\nid: 7\nevent: x\n\nretry: 1\rdata: d\r\rdata: e"
        let text = Data(lines.utf8)
        var parser = EventParser()
        var found: [String] = []
        for start in stride(from: 0, to: text.count, by: piece) {
            found += try parser.take(text.dropFirst(start).prefix(piece)).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(found == ["a", "b\nc", "d"])
    }

    @Test("a line without end is refused")
    func endlessLine() {
        var parser = EventParser()
        let line = Data(repeating: 65, count: 100_000)
        let error = #expect(throws: HTTPTransportError.self) { _ = try parser.take(line) }
        #expect(error == .answerTooLarge)
    }

    @Test("each code of a server has a decision")
    func decisions() {
        let again: Set<SyncErrorCode> = [.tooMany, .unavailable]
        let adapted: Set<SyncErrorCode> = [.tooLarge, .forked, .gap, .startAnew, .missingData]
        for code in SyncErrorCode.allCases {
            let decision = RetryDecision(SyncError(code, ""))
            #expect(decision == (again.contains(code) ? .again : adapted.contains(code) ? .adapt(code) : .stop))
        }
        #expect(RetryDecision(HTTPTransportError.noConnection("")) == .again)
        #expect(RetryDecision(HTTPTransportError.foreignAnswer(status: 502)) == .again)
        #expect(RetryDecision(HTTPTransportError.foreignAnswer(status: 404)) == .stop)
        #expect(RetryDecision(HTTPTransportError.unsuitableServer("")) == .stop)
    }

    @Test("pauses double from one second to five minutes, with a random part")
    func pauses() {
        var pauses = RetryPauses()
        var generator = Highest()
        let lengths = (0..<12).map { _ in pauses.next(using: &generator) / .seconds(1) }
        let expected: [Double] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]
        #expect(zip(lengths, expected).allSatisfy { abs($0 - $1) < 0.01 })
        pauses.reset()
        let first = pauses.next()
        #expect(first >= .milliseconds(500) && first <= .seconds(1))
    }

    /// Gives the greatest numbers.
    private struct Highest: RandomNumberGenerator {
        mutating func next() -> UInt64 { .max }
    }
}
