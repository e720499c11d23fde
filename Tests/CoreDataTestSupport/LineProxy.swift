// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A connection between stores and a PostgreSQL server that can be cut at a statement.

public import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc

    /// Passes bytes between its socket and the server's. Armed, it looks for the next statement with a word.
    public final class LineProxy: Sendable {
        public enum Cut: String, CaseIterable, Sendable {
            /// The statement does not reach the server.
            case before
            /// It reaches the server, and the line is cut at once.
            case during
            /// The server has executed it, and its answer is lost.
            case after
            /// The server has executed it; neither the answer nor the end of the line arrives.
            case frozen
            /// It does not reach the server, and the line stays open: the transaction waits.
            case swallowed
        }

        private struct State {
            var cut: (Cut, at: Data)?
            var isDown = false
            var cuts = 0
        }

        /// The folder of its socket.
        public let folder: URL
        private let server: String
        private let listener: Int32
        private let state = Mutex(State())

        /// - Parameter server: the folder of the server's socket.
        public init(to server: String) throws {
            folder = URL(filePath: "/tmp/ocd-line-\(UUID().uuidString.prefix(8))")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            self.server = server + "/.s.PGSQL.5432"
            listener = Self.socket()
            let path = folder.path + "/.s.PGSQL.5432"
            guard Self.withAddress(path, { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0 else {
                throw CocoaError(.fileWriteUnknown)
            }
            Thread.detachNewThread { [self] in accept() }
        }

        deinit {
            Glibc.close(listener)
            try? FileManager.default.removeItem(at: folder)
        }

        /// Ends the accepting thread, which retains the proxy until then.
        public func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

        /// Cuts the line at the next statement with the word. A prepared one is sent only as its name.
        public func arm(_ cut: Cut, at word: String = "COMMIT") {
            state.withLock { $0.cut = (cut, at: Data(word.utf8)) }
        }

        /// Whether new lines are refused.
        public func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

        public var cuts: Int { state.withLock { $0.cuts } }

        private static func socket() -> Int32 { Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) }

        private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32
        {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
            return withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }

        private func accept() {
            while true {
                let client = Glibc.accept(listener, nil, nil)
                if client < 0 { return }
                if state.withLock({ $0.isDown }) {
                    Glibc.close(client)
                    continue
                }
                let line = Self.socket()
                guard Self.withAddress(server, { connect(line, $0, $1) }) == 0 else {
                    Glibc.close(client)
                    Glibc.close(line)
                    continue
                }
                Thread.detachNewThread { [self] in pass(client, line) }
            }
        }

        /// Writes to an end that may be closed. The signal of a closed pipe would end the whole test run.
        private static func send(_ bytes: [UInt8], _ count: Int, to end: Int32) -> Bool {
            Glibc.send(end, bytes, count, Int32(MSG_NOSIGNAL)) == count
        }

        /// One connection, until an end closes it, or until it is cut.
        private func pass(_ client: Int32, _ line: Int32) {
            defer {
                shutdown(client, Int32(SHUT_RDWR))
                shutdown(line, Int32(SHUT_RDWR))
                Glibc.close(client)
                Glibc.close(line)
            }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            var armed: Cut?
            while true {
                var entries = [
                    pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: line, events: Int16(POLLIN), revents: 0),
                ]
                guard poll(&entries, 2, 5_000) >= 0 else { return }
                if entries[0].revents != 0 {
                    let count = read(client, &bytes, bytes.count)
                    if count <= 0 { return }
                    if let cut = takeCut(Data(bytes[0..<count])) {
                        if cut == .before { return }
                        armed = cut
                    }
                    if armed == .swallowed { continue }
                    guard Self.send(bytes, count, to: line) else { return }
                    if armed == .during { return }
                }
                if entries[1].revents != 0 {
                    let count = read(line, &bytes, bytes.count)
                    if count <= 0 { return }
                    switch armed {
                    case .after?: return
                    case .frozen?: continue
                    default: guard Self.send(bytes, count, to: client) else { return }
                    }
                }
            }
        }

        private func takeCut(_ bytes: Data) -> Cut? {
            state.withLock { state -> Cut? in
                guard let (cut, word) = state.cut, bytes.range(of: word) != nil else { return nil }
                state.cut = nil
                state.cuts += 1
                return cut
            }
        }
    }
#endif
