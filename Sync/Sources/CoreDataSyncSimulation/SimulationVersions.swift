// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The states and changes of devices with an earlier version of the model, computed once more.
import CoreDataSyncProtocol
import Foundation

extension ReplicaImage {
    /// The image of a device with the earlier version, in the words of the present one.
    func withPresentNames() -> ReplicaImage {
        var image = self
        for (name, record) in records where record.entity == "Note" {
            image.records[name]?.values["weight"] = record.values["mass"]
            image.records[name]?.values["mass"] = nil
        }
        return image
    }

    /// The image without properties that a device's model does not have.
    func known(to device: SimulatedDevice) -> ReplicaImage {
        guard device.isOld else { return self }
        var image = self
        for name in records.keys { image.records[name]?.values["extra"] = nil }
        return image
    }
}

extension SyncPush {
    /// The batch of a device with the earlier version, in the words of the present one.
    func withPresentNames() -> SyncPush {
        var push = self
        for index in push.changes.indices {
            guard let mass = push.changes[index].fields.removeValue(forKey: "mass") else { continue }
            push.changes[index].fields["weight"] = mass
        }
        return push
    }
}
