// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-sync-server`: serves a model and a store to devices.
import ArgumentParser
import CoreDataSyncHTTP
import CoreDataSyncProtocol
import CoreDataSyncServer
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

@main
struct SyncServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "coredata-sync-server",
        abstract: "Keeps a store of Core Data in step with the stores of devices.",
        discussion: """
            Examples:
              coredata-sync-server Shop.xcdatamodeld Shop.sqlite --tokens tokens
              coredata-sync-server Shop.momd Shop.sqlite --tokens tokens --shapes shapes.json
              coredata-sync-server Shop.momd 'postgresql://db.example.com/shop?schema=app' --tokens tokens --port 80

            The file of tokens has a token and a user on each line, and is read again after it changed. Without
            --shapes all its users see all records. With it each has those of the shapes. Their predicates may have
            $user and the variables that follow a user in the file of tokens (team=red, level:integer=5). The store is created if there is none, and keeps a history.

            SIGTERM and SIGINT stop the server: it takes no new requests, and answers those under way.
            It speaks HTTP without TLS, so put a proxy in front of it outside of a trusted network.
            """)

    @Argument(help: "The app's model: .xcdatamodeld, .xcdatamodel, .momd or .mom.")
    var model: String

    @Argument(help: "The store: the path of a SQLite file, or postgresql://…")
    var database: String

    @Option(help: "The file with the tokens of users.")
    var tokens: String

    @Option(help: "A file of JSON with the shapes of the records that users have; all records without it.")
    var shapes: String?

    @Option(help: "The address to listen at.")
    var host = "127.0.0.1"

    @Option(help: "The port; 0 for a free one.")
    var port = 8080

    @Option(help: "The greatest number of connections; further ones wait.")
    var connections = 4_096

    @Option(help: "The days without a request after which a device starts anew, and deletions are forgotten for it.")
    var days = 90

    @Option(help: "The least level that is logged: trace, debug, info, notice, warning, error, critical.")
    var logLevel = "notice"

    func validate() throws {
        guard (0...65535).contains(port) else { throw ValidationError("--port needs a number up to 65535.") }
        guard connections > 0 else { throw ValidationError("--connections needs a number above 0.") }
        guard days > 0 else { throw ValidationError("--days needs a number above 0.") }
        guard Logger.Level(rawValue: logLevel) != nil else {
            throw ValidationError("'\(logLevel)' is no level of logs.")
        }
    }

    func run() async throws {
        var logger = Logger(label: "coredata-sync-server") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = Logger.Level(rawValue: logLevel) ?? .notice
        let authentication: TokenFile
        let store: ServedStore
        let service: SyncService
        do {
            authentication = try TokenFile(URL(fileURLWithPath: tokens), logger: logger)
            store = try await ServedStore(model: model, place: database)
            let authority: any SyncAuthority = try shapes.map { try ShapesFile($0).authority } ?? OpenAuthority()
            service = try SyncService(container: store.container, authority: authority)
            for user in authentication.everyUser.sorted(by: { $0.id < $1.id }) { try await check(user, service) }
        } catch let error as TokenTableError {
            throw failure("The tokens cannot be used: \(tokens), \(error).")
        } catch let error as ServedStoreError {
            throw failure(error.text)
        } catch {
            throw failure((error as NSError).localizedDescription)
        }
        let router = Router()
        SyncRoutes(service: service, authentication: authentication) { await store.answers() }.add(to: router)
        try await serve(router, CompactionRounds(service: service, days: days, logger: logger), logger)
        try store.close()
    }

    /// A defect of a shape ends the program at its start, before the first device meets it.
    private func check(_ user: SyncUser, _ service: SyncService) async throws {
        do { try await service.checkShapes(of: user) } catch let error as SyncError {
            throw ServedStoreError(text: "\(shapes ?? ""): for the user '\(user.id)': \(error.text)")
        }
    }

    private func serve(
        _ router: Router<BasicRequestContext>, _ rounds: CompactionRounds, _ logger: Logger
    ) async throws {
        let host = host
        let application = Application(
            router: router, server: .http1(configuration: .init(idleTimeout: .seconds(60))),
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port), serverName: nil,
                availableConnectionsDelegate: MaximumAvailableConnections(connections)),
            onServerRunning: { channel in
                // Not `print`: a pipe would show it late.
                let address = "http://\(host):\(channel.localAddress?.port ?? 0)\n"
                FileHandle.standardOutput.write(Data(address.utf8))
            },
            logger: logger)
        var configuration = ServiceGroupConfiguration(
            services: [application, rounds], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(20)
        try await ServiceGroup(configuration: configuration).run()
    }

    private func failure(_ text: String) -> ExitCode {
        FileHandle.standardError.write(Data("coredata-sync-server: \(text)\n".utf8))
        return ExitCode(2)
    }
}
