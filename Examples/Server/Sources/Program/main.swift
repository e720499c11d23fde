// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Starts the server: todo-server [FILE] [PORT].

import Foundation
import Hummingbird
import TodoServer

let arguments = Array(CommandLine.arguments.dropFirst())
let store = try await TodoStore(at: URL(fileURLWithPath: arguments.first ?? "Todos.sqlite"))
let port = arguments.dropFirst().first.flatMap { Int($0) } ?? 8080
let server = Application(
    router: todoRouter(store), configuration: .init(address: .hostname("127.0.0.1", port: port)))
try await server.runService()  // until Ctrl-C
try store.close()
