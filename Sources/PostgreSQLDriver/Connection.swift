// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A connection to a server, which is opened, awaited and closed with a deadline for each wait.

import CPostgreSQL
import Foundation
import Synchronization

/// One connection, for one thread at a time.
///
/// # States
///     connecting ──▶ idle ──statements sent──▶ answering ──all answers read──▶ idle
///          └─────────────┴──connection lost, deadline passed──▶ broken: only to be closed
package final class Connection: @unchecked Sendable {  // handed from thread to thread by a pool
    let pointer: OpaquePointer
    /// Set when the connection is lost or an answer is missing.
    package private(set) var isBroken = false
    private let cancelled = Atomic<Bool>(false)
    /// Whether the server was asked to cancel a statement: the connection must not be used for other calls.
    package var wasCancelled: Bool { cancelled.load(ordering: .acquiring) }
    func markCancelled() { cancelled.store(true, ordering: .releasing) }
    /// Names of prepared statements.
    var prepared: [PreparedKey: String] = [:]
    var preparedNumber = 0
    /// Whether statements are prepared; transaction poolers lose prepared statements.
    package let usesPreparedStatements: Bool
    /// The number of round trips, for tests and limits.
    package private(set) var roundTrips = 0
    /// The most rows of one part of a streamed answer, if the library gives rows in parts; 1 for one by one.
    var rowsInPart = 256
    /// The number of libpq's results of streamed answers, for tests.
    var streamedParts = 0
    /// Called with the text of each statement that is sent. Its result is called once, with the number of rows and the
    /// error, when the answer is read or the connection is lost.
    package var onStatement: ((String) -> StatementEnd?)?
    /// For statements without a time limit: the silence after which the caller checks whether the server is still
    /// working.
    package var patience: (span: Duration, isAtWork: () -> Bool)?
    /// The first statement of each transaction; nil for none.
    package var preamble: Statement?
    /// The server at the other end; nil if it does not identify itself.
    package private(set) var server: ServerMark?

    /// - Parameter settings: libpq's names and values.
    /// - Throws: `.connection` with libpq's reason, `.deadline`.
    package init(_ settings: [(name: String, value: String)], deadline: Deadline, usesPreparedStatements: Bool = true)
        throws
    {
        try Library.load()
        self.usesPreparedStatements = usesPreparedStatements
        let names = CStrings(settings.map(\.name))
        let values = CStrings(settings.map(\.value))
        guard let pointer = ocd_pq_connect(names.pointers, values.pointers) else {
            throw PostgreSQLError(.connection, "There is no memory for a connection.")
        }
        self.pointer = pointer
        do {
            try connect(deadline)
        } catch {
            ocd_pq_finish(pointer)
            isFinished = true
            throw error
        }
    }

    /// Finds out which server is at the other end.
    package func identify(_ deadline: Deadline) throws { server = try askServer(deadline) }

    private var isFinished = false

    deinit { if !isFinished { ocd_pq_finish(pointer) } }

    /// Closes the connection. No other call may follow.
    package func close() {
        if isFinished { return }
        isFinished = true
        isBroken = true
        ocd_pq_finish(pointer)
    }

    private func connect(_ deadline: Deadline) throws {
        if ocd_pq_status(pointer) == 1 { throw connectionError() }
        var wish = Int32(OCD_PQ_POLLING_WRITING)
        while true {
            let socket = ocd_pq_socket(pointer)
            if socket < 0 { throw connectionError() }
            try wait(socket, writing: wish == Int32(OCD_PQ_POLLING_WRITING), deadline)
            wish = ocd_pq_connect_poll(pointer)
            if wish == Int32(OCD_PQ_POLLING_OK) { break }
            if wish == Int32(OCD_PQ_POLLING_FAILED) { throw connectionError() }
        }
        ocd_pq_silence(pointer)
        guard ocd_pq_set_nonblocking(pointer) == 1 else { throw connectionError() }
    }

    /// In the server's encoding: 150013 for 15.13.
    package var serverVersion: Int { Int(ocd_pq_server_version(pointer)) }
    package var databaseName: String? { ocd_pq_database(pointer).map { String(cString: $0) } }
    /// The host, or the folder of the socket.
    package var host: String? { ocd_pq_host(pointer).map { String(cString: $0) } }
    package var port: Int? { ocd_pq_port(pointer).flatMap { Int(String(cString: $0)) } }
    /// The process that serves this connection.
    package var backend: Int32 { ocd_pq_backend(pointer) }
    package func parameter(_ name: String) -> String? {
        ocd_pq_parameter(pointer, name).map { String(cString: $0) }
    }
    package var isInTransaction: Bool { ocd_pq_transaction_status(pointer) != Int32(OCD_PQ_IDLE) }

    // MARK: Waiting

    func connectionError() -> PostgreSQLError {
        isBroken = true
        let message = ocd_pq_message(pointer).map { String(cString: $0) } ?? ""
        let line = message.trimmingCharacters(in: .whitespacesAndNewlines)
        return PostgreSQLError(.connection, line.isEmpty ? "The connection is cut." : line)
    }

    private func wait(_ socket: Int32, writing: Bool, _ deadline: Deadline) throws {
        while true {
            let turn = patience.map { Deadline(in: $0.span) } ?? deadline
            switch ocd_pq_wait(socket, writing ? 1 : 0, min(turn.milliseconds, deadline.milliseconds)) {
            case 0:
                if deadline.isOver { throw overdue() }
                if let patience, turn.isOver, !patience.isAtWork() {
                    isBroken = true
                    throw PostgreSQLError(.connection, "The server has answered, and the line has not brought it.")
                }
            case -1: throw connectionError()
            default: return
            }
        }
    }

    private func overdue() -> PostgreSQLError {
        isBroken = true
        return PostgreSQLError(.deadline, "The server has not answered in time.")
    }

    /// Sends the waiting bytes and reads at the same time, because the server may send answers before it accepts more.
    func flush(_ deadline: Deadline) throws {
        roundTrips += 1
        while true {
            switch ocd_pq_flush(pointer) {
            case 0: return
            case 1:
                let ready = ocd_pq_wait(ocd_pq_socket(pointer), 1, deadline.milliseconds)
                if ready < 0 { throw connectionError() }
                if ready == 0, deadline.isOver { throw overdue() }
                if ready & 1 != 0, ocd_pq_consume(pointer) == 0 { throw connectionError() }
            default: throw connectionError()
            }
        }
    }

    /// The next answer; nil at the end of a statement's answers.
    func nextAnswer(_ deadline: @autoclosure () -> Deadline) throws -> Answer? {
        try nextResult(deadline()).map { Answer($0) }
    }

    /// The next answer as libpq's result, which the caller clears. nil at the end of a statement's answers.
    ///
    /// - Parameter deadline: evaluated only if the answer must be awaited: a single row may be an answer.
    func nextResult(_ deadline: @autoclosure () -> Deadline) throws -> OpaquePointer? {
        if ocd_pq_is_busy(pointer) != 0 {
            let deadline = deadline()
            repeat {
                try wait(ocd_pq_socket(pointer), writing: false, deadline)
                if ocd_pq_consume(pointer) == 0 { throw connectionError() }
            } while ocd_pq_is_busy(pointer) != 0
        }
        return ocd_pq_get_result(pointer)
    }

    /// Waits for notifications.
    ///
    /// - Returns: the channels and texts of received notifications, at most 63 bytes of each; empty after a timeout.
    package func notices(_ deadline: Deadline) throws -> [(channel: String, payload: String)] {
        func text(_ bytes: UnsafeRawBufferPointer) -> String {
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        var result: [(channel: String, payload: String)] = []
        let ready = ocd_pq_wait(ocd_pq_socket(pointer), 0, deadline.milliseconds)
        if ready < 0 { throw connectionError() }
        if ready > 0, ocd_pq_consume(pointer) == 0 { throw connectionError() }
        var notice = ocd_pq_notice()
        while ocd_pq_next_notice(pointer, &notice) == 1 {
            let (channel, payload) = (notice.channel, notice.payload)
            result.append((withUnsafeBytes(of: channel, text), withUnsafeBytes(of: payload, text)))
        }
        return result
    }
}

/// Texts for C, terminated by a null pointer.
final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafePointer<CChar>?>
    private let count: Int

    init(_ texts: [String]) {
        count = texts.count
        pointers = .allocate(capacity: count + 1)
        for (index, text) in texts.enumerated() { (pointers + index).initialize(to: UnsafePointer(strdup(text))) }
        (pointers + count).initialize(to: nil)
    }

    deinit {
        for index in 0..<count { free(UnsafeMutablePointer(mutating: pointers[index])) }
        pointers.deallocate()
    }
}
