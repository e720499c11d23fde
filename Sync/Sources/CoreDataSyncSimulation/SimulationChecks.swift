// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks the promises Y1 to Y10 after the events that can break them.
import CoreDataSync
import CoreDataSyncModel
import CoreDataSyncProtocol
import CoreDataSyncServer
import Foundation

extension Simulation {
    /// After a request: the model's rules (Y6), whole transactions (Y3), and the rules of merging (Y1, Y2, Y5).
    func check(_ server: SimulatedServer) throws {
        guard let image = try server.newImage() else { return }
        if let (invariant, text) = image.brokenRule() { throw violation(invariant, "on the server \(text)") }
        if let (invariant, text) = server.oracle?.difference(image) { throw violation(invariant, text) }
        if let text = try server.service.wrongForm().text { throw violation("F5", text) }
    }

    /// After a change of a device's store (Y3, Y6, Y10).
    ///
    /// - Returns: the device's state.
    @discardableResult
    func check(_ device: SimulatedDevice) throws -> ReplicaImage {
        let image = try device.image()
        // During a first pull in parts a device lacks records of whole transactions.
        if let (invariant, text) = image.brokenRule(), try invariant != "Y3" || !device.engine.isSettingUp() {
            throw violation(invariant, "on device \(device.number) \(text)")
        }
        if image.records.values.contains(where: { $0.entity == SimulationModel.hidden }) {
            throw violation("Y10", "a secret is on device \(device.number)")
        }
        try checkRefusals(device)
        return image
    }

    /// After an answer (Y5).
    func checkRefusals(_ device: SimulatedDevice) throws {
        let kept = try device.keptRefusals()
        let waiting = try device.engine.waitingBatches()
        let refused =
            device.refused.filter { !waiting.contains($0.key) }.values.reduce(0, +) + device.forgiven
            - device.resent
        if kept != refused {
            throw violation("Y5", "device \(device.number) keeps \(kept) of \(refused) refused changes")
        }
    }

    /// Directly after an application the device has the server's state of one revision (Y2, Y3, Y4).
    ///
    /// - Returns: the device's state.
    @discardableResult
    func checkApplied(_ device: SimulatedDevice) throws -> ReplicaImage {
        let image = try check(device)
        let revision = try device.engine.appliedRevision()
        if try device.engine.isSettingUp() { return image }
        if revision < device.applied { throw violation("Y4", "device \(device.number) went back to \(revision)") }
        device.applied = revision
        let all = server.images[revision] ?? ReplicaImage()
        let expected = (device.view?.limited(all) ?? all).known(to: device)
        if let text = image.difference(expected, "device \(device.number)", "the server at \(revision)") {
            throw violation("Y4", text)
        }
        return image
    }

    /// At rest all replicas are equal (Y2), and the app's history has its own saves only (Y9).
    func checkEnd() throws {
        try check(server)
        let all = server.images[server.revision] ?? ReplicaImage()
        for device in devices {
            let expected = (server.view(ofDevice: device.number)?.limited(all) ?? all).known(to: device)
            let image = try checkApplied(device)
            if let text = image.difference(expected, "device \(device.number)", "the server at rest") {
                throw violation("Y2", text)
            }
            let recorded = try device.recordedSaves()
            if recorded != device.saves {
                throw violation("Y9", "the history has \(recorded) transactions of \(device.saves) saves")
            }
        }
    }
}
