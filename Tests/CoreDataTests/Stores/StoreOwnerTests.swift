// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Files that the superuser writes for another user stay that user's.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

@Suite("Files of another user", .enabled(if: geteuid() == 0, "Only the superuser writes for others."))
struct StoreOwnerTests {
    /// A user that is not the superuser.
    private static let other: (user: UInt32, group: UInt32) = (4_711, 4_712)

    private func owner(_ url: URL) -> [UInt32] {
        var status = stat()
        return stat(url.path, &status) == 0 ? [status.st_uid, status.st_gid] : []
    }

    @Test("a saved document has its former owner and mode", arguments: [StoreKind.xml, .binary])
    func documents(kind: StoreKind) throws {
        let shop = try Bookshop(in: kind)
        shop.book("Dune")
        try shop.context.save()
        #expect(chown(shop.stack.url.path, Self.other.user, Self.other.group) == 0)
        #expect(chmod(shop.stack.url.path, 0o640) == 0)
        shop.book("Emma")
        try shop.context.save()
        #expect(owner(shop.stack.url) == [Self.other.user, Self.other.group])
        let mode = try FileManager.default.attributesOfItem(atPath: shop.stack.url.path)[.posixPermissions] as? Int
        #expect(mode == 0o640)
        #expect(try shop.stack.stored(Book.request()) { $0.title ?? "" }.sorted() == ["Dune", "Emma"])
    }

    @Test("large data, their folder, and a copy of a database have the owner of the database") func largeData() throws {
        let museum = try Museum(in: .sqlite)
        museum.stack.insert("Room").setValue("hall", forKey: "name")
        try museum.context.save()
        #expect(chown(museum.stack.url.path, Self.other.user, Self.other.group) == 0)
        try museum.stack.reopen()
        let exhibit = museum.stack.insert("Exhibit")
        exhibit.setValue("vase", forKey: "name")
        exhibit.setValue(Data(repeating: 7, count: 300_000), forKey: "scan")
        try museum.context.save()
        let folder = museum.place(".Store_SUPPORT/_EXTERNAL_DATA")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count == 1)
        for file in files + [folder, folder.deletingLastPathComponent()] {
            #expect(owner(file) == [Self.other.user, Self.other.group], "\(file.lastPathComponent)")
        }
    }
}
