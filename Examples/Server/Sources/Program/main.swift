// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Starts the server: todo-server [FILE | postgresql://…] [PORT].

import Foundation
import Hummingbird
import TodoServer

let arguments = Array(CommandLine.arguments.dropFirst())
let place = arguments.first ?? "Todos.sqlite"
guard let url = place.contains("://") ? URL(string: place) : URL(fileURLWithPath: place) else {
    fatalError("'\(place)' is neither a file nor a URL.")
}
let store = try await TodoStore(at: url)
let port = arguments.dropFirst().first.flatMap { Int($0) } ?? 8080
let server = Application(
    router: todoRouter(store), configuration: .init(address: .hostname("127.0.0.1", port: port)))
try await server.runService()  // until Ctrl-C
try store.close()
