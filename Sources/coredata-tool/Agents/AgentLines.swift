// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The stdio transport of the Model Context Protocol: one message on each line.

import CoreDataToolKit
import Foundation
import Synchronization

/// Reads messages from standard input until its end, and writes answers as they come.
///
/// A line that is too long is read to its end and refused, so that memory stays bounded and the next line is a message
/// again.
struct AgentLines: Sendable {
    private let session: AgentSession
    private let output = Output()
    private let pending = DispatchGroup()

    init(_ session: AgentSession) { self.session = session }

    func run() {
        var (line, isTooLong): ([UInt8], Bool) = ([], false)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            var rest = buffer[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line += rest[..<end]
                receive(&line, &isTooLong)
                rest = rest[(end + 1)...]
            }
            line += rest
            if line.count > AgentServer.largestMessage {
                isTooLong = true
                // Enough for the refusal.
                line.removeLast(line.count - AgentServer.largestMessage - 1)
            }
        }
        receive(&line, &isTooLong)
        // A client may write its requests and close its end before it reads the answers.
        _ = pending.wait(timeout: .now() + .seconds(60))
        session.close()
    }

    private func receive(_ line: inout [UInt8], _ isTooLong: inout Bool) {
        defer { (line, isTooLong) = ([], false) }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard line.contains(where: { $0 != 0x20 && $0 != 0x09 }) else { return }
        let (output, wait) = (output, AnswerWait(pending))
        session.receive(line) { text in
            output.write(text + "\n")
            wait.end()
        }
    }

    /// Leaves the group when the answer was written, or when none can come any more.
    private final class AnswerWait: Sendable {
        private let group: DispatchGroup
        private let isOver = Mutex(false)

        init(_ group: DispatchGroup) {
            self.group = group
            group.enter()
        }

        func end() {
            let isFirst = isOver.withLock { over in
                defer { over = true }
                return !over
            }
            if isFirst { group.leave() }
        }

        deinit { end() }
    }

    /// Writes whole lines, one after the other.
    private final class Output: Sendable {
        private let lock = NSLock()

        func write(_ text: String) {
            lock.withLock {
                // A client that has gone ends the program by SIGPIPE, or soon by the end of the input.
                try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
            }
        }
    }
}
