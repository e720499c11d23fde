// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The server and the devices of measurements: SQLite stores in a folder, in one process, without a network.
import CoreData
import CoreDataSync
import CoreDataSyncProtocol
import CoreDataSyncServer
import Foundation

/// A server in a new folder, which goes with it.
final class MeasuredServer {
    let container: NSPersistentContainer
    let service: SyncService
    let user = SyncUser(id: "user")
    private let folder: URL
    private let model = SimulationModel.make()

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        container = try SimulationModel.container(
            "Server", try .syncServer(of: model), folder.appendingPathComponent("Server.sqlite"))
        service = try SyncService(container: container, authority: OpenAuthority())
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A device with an empty store in the folder.
    func device(_ name: String) throws -> (app: NSPersistentContainer, engine: SyncEngine) {
        let app = try SimulationModel.container(name, model, folder.appendingPathComponent("\(name).sqlite"))
        return (app, try SyncEngine(coordinator: app.persistentStoreCoordinator))
    }

    /// Lets a device pull to the end.
    ///
    /// - Parameter report: gets the number of objects that each application inserted.
    func pull(_ engine: SyncEngine, report: (Int) -> Void = { _ in }) throws {
        repeat {
            var request = try engine.beginPull()
            while let present = request {
                request = engine.receive(try service.pullAndWait(present, user: user), for: present)
            }
            report(try engine.apply()?.inserted ?? 0)
        } while try engine.isSettingUp()
    }
}
