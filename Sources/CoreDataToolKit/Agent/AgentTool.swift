// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A tool that an agent may call: its parameters as JSON Schema, their check, and the operation.

import CoreDataModelFiles
import Foundation

/// One tool of the server.
struct AgentTool: Sendable {
    enum Kind: String, Sendable {
        case string, integer, boolean
        case strings
        case objects
    }

    struct Parameter: Sendable {
        let name: String
        let kind: Kind
        let isRequired: Bool
        let text: String

        /// A text.
        init(_ name: String, required: Bool = false, _ text: String) {
            self.init(name, .string, required: required, text)
        }

        init(_ name: String, _ kind: Kind, required: Bool = false, _ text: String) {
            (self.name, self.kind, isRequired, self.text) = (name, kind, required, text)
        }
    }

    let name: String
    let text: String
    let parameters: [Parameter]
    /// Whether the tool changes a store: it then needs a server with `--writable`, and the token.
    var isWriting = false
    let run: @Sendable (AgentRequest) throws -> AgentAnswer

    private static let tokenParameter = Parameter(
        "token", required: true, "The token that the user reads from the server's terminal. Ask the user for it.")

    var allParameters: [Parameter] { isWriting ? parameters + [Self.tokenParameter] : parameters }

    /// The entry of `tools/list`.
    var listing: JSONValue {
        .members([
            "name": .string(name), "description": .string(text),
            "inputSchema": .members([
                "type": .string("object"),
                "properties": .object(allParameters.map { .init($0.name, Self.schema(of: $0)) }),
                "required": .array(allParameters.filter(\.isRequired).map { .string($0.name) }),
                "additionalProperties": .boolean(false),
            ]),
            "annotations": .members([
                "readOnlyHint": .boolean(!isWriting), "destructiveHint": .boolean(isWriting),
                "openWorldHint": .boolean(false),
            ]),
        ])
    }

    private static func schema(of parameter: Parameter) -> JSONValue {
        switch parameter.kind {
        case .strings:
            .members([
                "type": .string("array"), "items": .members(["type": .string("string")]),
                "description": .string(parameter.text),
            ])
        case .objects:
            .members([
                "type": .string("array"), "items": .members(["type": .string("object")]),
                "description": .string(parameter.text),
            ])
        default:
            .members(["type": .string(parameter.kind.rawValue), "description": .string(parameter.text)])
        }
    }

    /// - Throws: `AgentFault` for arguments that the schema does not allow.
    func check(_ arguments: JSONValue) throws {
        guard case .object(let members) = arguments else {
            throw AgentFault(.invalidParams, "'arguments' must be an object.")
        }
        for member in members {
            guard let parameter = allParameters.first(where: { $0.name == member.key }) else {
                throw AgentFault(
                    .invalidParams,
                    "'\(name)' has no parameter '\(member.key)'; it has: \(allParameters.map(\.name).list).")
            }
            let fits =
                switch parameter.kind {
                case .string: member.value.stringValue != nil
                case .integer: member.value.integerValue.map { (0...1_000_000_000).contains($0) } ?? false
                case .boolean: member.value.booleanValue != nil
                case .strings: member.value.arrayValue?.allSatisfy { $0.stringValue != nil } ?? false
                case .objects:
                    member.value.arrayValue?.allSatisfy { if case .object = $0 { true } else { false } } ?? false
                }
            guard fits else {
                throw AgentFault(.invalidParams, "'\(parameter.name)' of '\(name)' has another type: see its schema.")
            }
        }
        for parameter in allParameters where parameter.isRequired && arguments[parameter.name] == nil {
            throw AgentFault(.invalidParams, "'\(name)' needs '\(parameter.name)'.")
        }
    }
}

/// A call of a tool with checked arguments.
struct AgentRequest {
    let tool: String
    let arguments: JSONValue
    let places: AgentPlaces
    let call: AgentCall

    func text(_ name: String) -> String? { arguments[name]?.stringValue }
    func texts(_ name: String) -> [String] { arguments[name]?.arrayValue?.compactMap(\.stringValue) ?? [] }
    func number(_ name: String) -> Int? { arguments[name]?.integerValue }
    func flag(_ name: String) -> Bool { arguments[name]?.booleanValue ?? false }

    /// A file that a parameter names; nil without the parameter.
    func url(_ name: String) throws -> URL? { try text(name).map(places.url) }

    func store() throws -> URL { try places.url(text("store") ?? "") }

    /// Opens the store for reading, with the model of the call, its own or the inferred one.
    func opened(_ name: String = "store") throws -> OpenedStore {
        try OpenedStore(places.url(text(name) ?? ""), model: url("model"), inference: ModelInference())
    }

    // MARK: Pages

    /// The fingerprint of the arguments without the cursor: a cursor continues only the same call.
    private var fingerprint: String {
        guard case .object(let members) = arguments else { return "" }
        let text =
            tool + members.filter { $0.key != "cursor" }.map { "\($0.key)=\($0.value.text)" }.joined(separator: "&")
        return SHA2.sha256(Data(text.utf8)).prefix(9).base64EncodedString()
    }

    func cursor(_ offset: Int) -> String { "\(offset)-\(fingerprint)" }

    /// The number of rows before the page that the cursor names.
    ///
    /// - Throws: `AgentFault` for the cursor of another call.
    func offset() throws -> Int {
        guard let cursor = text("cursor") else { return 0 }
        let parts = cursor.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, let offset = Int(parts[0]), (0...1_000_000_000).contains(offset),
            parts[1] == fingerprint
        else { throw AgentFault(.invalidParams, "This cursor belongs to another call: repeat the call without it.") }
        return offset
    }

    func page(limit: Int = .max, skips: Bool = true, _ body: (AgentPage) throws -> Void) throws -> AgentPage {
        try AgentPage(call, offset: offset(), limit: limit, skips: skips).fill(body)
    }

    func answer(_ facts: KeyValuePairs<String, JSONValue?> = [:], _ page: AgentPage? = nil) -> AgentAnswer {
        let members = facts.compactMap { key, value in value.map { JSONValue.Member(key, $0) } }
        return AgentAnswer(members, page, cursor: cursor)
    }
}

/// An error of the protocol, in place of an answer.
struct AgentFault: Error {
    enum Code: Int {
        case parse = -32700
        case invalidRequest = -32600
        case unknownMethod = -32601
        case invalidParams = -32602
        case unknownResource = -32002
    }

    let code: Code
    let text: String

    init(_ code: Code, _ text: String) { (self.code, self.text) = (code, text) }
}
