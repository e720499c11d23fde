// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the tokens of users from text.
public import CoreDataSyncProtocol
import Foundation

/// Tokens and their users, from text with one token on each line.
///
/// ```
/// # token                          user  variables of shapes
/// 4a1f0c3b9d5e4f7aa1b2c3d4e5f60718 ann   team=red
/// ```
/// A variable is text, or has a type: `level:integer=5`, `isAdmin:bool=true`, `team:uuid=…`. Empty lines and lines that
/// begin with `#` are left out. A user may have several tokens.
public struct TokenTable: SyncAuthentication, Equatable {
    /// The least number of characters of a token.
    public static let leastLength = 16

    private var users: [String: SyncUser] = [:]

    /// - Throws: `TokenTableError` with the number of the line; never with the token.
    public init(text: String) throws {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let token = words.first, !token.hasPrefix("#") else { continue }
            func failure(_ text: String) -> TokenTableError { TokenTableError(line: index + 1, text: text) }
            guard token.utf8.count >= Self.leastLength else {
                throw failure("A token has at least \(Self.leastLength) characters.")
            }
            guard words.count >= 2 else { throw failure("The name of the user is missing.") }
            guard users[token] == nil else { throw failure("The token occurs twice.") }
            var user = SyncUser(id: words[1])
            for word in words.dropFirst(2) {
                let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, !parts[0].isEmpty else { throw failure("A variable is written NAME=TEXT.") }
                guard let (name, value) = Self.variable(String(parts[0]), String(parts[1])) else {
                    throw failure("The types of variables are integer, bool and uuid: NAME:integer=5.")
                }
                user.variables[name] = value
            }
            users[token] = user
        }
    }

    /// - Parameter name: the name, or the name and the type: `level:integer`.
    private static func variable(_ name: String, _ text: String) -> (String, SyncValue)? {
        let parts = name.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 2, let name = parts.first, !name.isEmpty else { return nil }
        let value: SyncValue? =
            switch parts.dropFirst().first {
            case nil: .string(text)
            case "integer"?: Int64(text).map(SyncValue.integer)
            case "bool"?: Bool(text).map(SyncValue.bool)
            case "uuid"?: UUID(uuidString: text).map(SyncValue.uuid)
            default: nil
            }
        return value.map { (name, $0) }
    }

    /// The users of the tokens, each once.
    public var everyUser: Set<SyncUser> { Set(users.values) }

    /// The number of tokens.
    public var count: Int { users.count }

    /// The user of a token. The table's hashes have a random seed, so the time of a search says nothing about tokens.
    public func user(of token: String) -> SyncUser? { users[token] }
}

/// Why the text of a token table cannot be used.
public struct TokenTableError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The number of the line, from 1.
    public var line: Int
    /// The reason, without the token.
    public var text: String
    /// The line and the reason.
    public var description: String { "line \(line): \(text)" }
}
