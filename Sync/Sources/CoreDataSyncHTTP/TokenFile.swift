// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Keeps to a file of tokens that changes while the server runs.
public import CoreDataSyncProtocol
public import Foundation
public import Logging
import Synchronization

/// The tokens of a file in the form of `TokenTable`, read again after the file changed.
///
/// The file is looked at once a second at most. If its new content cannot be read, the old one stays in force and an
/// error is logged, without tokens.
public final class TokenFile: SyncAuthentication {
    private struct State {
        var table: TokenTable
        var version: Version?
        var looked: ContinuousClock.Instant
    }

    private struct Version: Equatable {
        var date: Date?
        var size: Int?
        var number: Int?
    }

    private let url: URL
    private let logger: Logger
    private let state: Mutex<State>

    /// - Throws: `TokenTableError`, or an error of the file.
    public init(_ url: URL, logger: Logger) throws {
        self.url = url
        self.logger = logger
        let version = Self.version(url)
        let table = try TokenTable(text: String(contentsOf: url, encoding: .utf8))
        state = Mutex(State(table: table, version: version, looked: .now))
    }

    /// The users of the newest readable content, each once.
    public var everyUser: Set<SyncUser> { state.withLock { $0.table.everyUser } }

    /// The user of a token, by the newest readable content of the file.
    public func user(of token: String) -> SyncUser? {
        state.withLock { state in
            let now = ContinuousClock.now
            if now - state.looked >= .seconds(1) {
                state.looked = now
                readAgain(&state)
            }
            return state.table.user(of: token)
        }
    }

    private func readAgain(_ state: inout State) {
        let version = Self.version(url)
        guard version != state.version else { return }
        state.version = version
        do {
            state.table = try TokenTable(text: String(contentsOf: url, encoding: .utf8))
            logger.info("The tokens were read again.", metadata: ["tokens": "\(state.table.count)"])
        } catch {
            let reason = (error as? TokenTableError)?.description ?? "The file cannot be read."
            logger.error("The changed tokens cannot be used.", metadata: ["reason": "\(reason)"])
        }
    }

    private static func version(_ url: URL) -> Version? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path) else { return nil }
        return Version(
            date: attributes[.modificationDate] as? Date, size: (attributes[.size] as? NSNumber)?.intValue,
            number: (attributes[.systemFileNumber] as? NSNumber)?.intValue)
    }
}
