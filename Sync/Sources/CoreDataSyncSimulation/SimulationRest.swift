// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The end of a run: without faults all replicas come to rest.
import CoreDataSync
import CoreDataSyncProtocol
import Foundation

extension Simulation {
    /// Without faults all queues are empty and all replicas equal after few rounds (Y2, Y7), also after the server
    /// forgot the deletions that all of them have.
    func settle() throws {
        server.crashes = false
        for device in devices { device.stepsToCrash = nil }
        try rest()
        // Devices that may take a new replica id may have been away too long.
        try server.compact(inactivity: folder != nil && random.chance(0.5) ? -1 : 0)
        for device in devices {
            let seed = UInt64.random(in: .min ... .max, using: &random)
            _ = try device.edit(SimulationRandom(seed: seed), isShaped: server.view(ofDevice: 0) != nil)
        }
        try rest()
    }

    private func rest() throws {
        for round in 0..<6 {
            let before = server.revision
            // Later rounds are for devices whose exchange came before those of others.
            for device in devices where try round == 0 || !isAtRest(device) { try exchange(device) }
            if try server.revision == before && devices.allSatisfy(isAtRest) { break }
        }
        for device in devices {
            if try device.engine.isWaiting() { throw violation("Y7", "batches of device \(device.number) still wait") }
        }
        try checkEnd()
    }

    /// Whether a device that has captured everything has the server's state, and nothing to send.
    private func isAtRest(_ device: SimulatedDevice) throws -> Bool {
        try !device.engine.isWaiting() && device.engine.appliedRevision() == server.revision
    }

    private func exchange(_ device: SimulatedDevice) throws {
        for _ in 0..<30 {
            try device.engine.capture()
            if let number = try device.engine.damagedBatch() {
                try device.mend(number)
                continue
            }
            if let push = try device.engine.nextPush() {
                guard try sendData(of: push, device) else { continue }
                guard let reply = try serveChecked(.push(push), device) else { continue }
                try handle(device, .push(push), reply)
            } else if let pull = try device.engine.beginPull() {
                var request: SyncPull? = pull
                while let present = request {
                    let reply = try serveChecked(.pull(present), device)
                    if case .error(let error)? = reply { try device.take(error, .pull(present)) }
                    guard case .page(let page, let view)? = reply else { break }
                    device.view = view
                    request = device.engine.receive(page, for: present)
                }
                while let part = try device.engine.nextDownload() {
                    let reply = try serveChecked(.get(part), device)
                    if case .error(let error)? = reply { try device.take(error, .get(part)) }
                    if case .part(let bytes)? = reply { try device.engine.receive(bytes, for: part) }
                }
                guard device.engine.hasAllPages, try device.engine.apply() != nil else { continue }
                if try !device.engine.isSettingUp() { return }
            } else {
                return
            }
        }
        throw violation("Y7", "device \(device.number) does not come to an end")
    }

    /// Sends the large values of a batch. As a client does, the device looks at its bytes when the server takes them
    /// again and again and never has the whole value.
    ///
    /// - Returns: false if the bytes are damaged, so that the batch is captured again.
    private func sendData(of push: SyncPush, _ device: SimulatedDevice) throws -> Bool {
        var parts = 0
        while let part = try device.engine.nextUpload(for: push) {
            parts += 1
            if parts % 100 == 0 {
                do { try device.engine.checkUploads(of: push) } catch SyncFailure.damagedBatch(let number) {
                    try device.mend(number)
                    return false
                }
            }
            if parts > 1_000 {
                let place = "\(part.hash.prefix(6)) at \(part.offset) of \(part.size)"
                throw violation("Y7", "device \(device.number) sends \(place) again and again")
            }
            guard let reply = try serveChecked(.put(part), device) else { continue }
            try handle(device, .put(part), reply)
        }
        return true
    }
}
