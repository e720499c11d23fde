// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The folder of a group of apps.

public import Foundation

extension FileManager {
    /// A folder that the programs of a user share by the name of a group.
    ///
    /// - Returns: `Group Containers/NAME` in the folder for data of apps, which is made; nil for an empty name, a name
    ///   with a slash, and a folder that cannot be made.
    public func containerURL(forSecurityApplicationGroupIdentifier name: String) -> URL? {
        guard !name.isEmpty, !name.contains("/"), name != "..", name != "." else { return nil }
        let folder = URL.applicationSupportDirectory.appendingPathComponent("Group Containers")
            .appendingPathComponent(name)
        let isMade: Void? = try? createDirectory(at: folder, withIntermediateDirectories: true)
        return isMade.map { folder }
    }
}
