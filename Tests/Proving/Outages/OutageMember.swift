// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One process of a round of outages: saves until it is stopped, and writes down each save that returned.

import CoreData
import CoreDataTestSupport
import Foundation

final class OutageMember {
    enum Kind: String {
        /// A counter is incremented, and gets an entry.
        case increment
        /// Two entries with the same name.
        case pair
        /// Two unique codes, which others want too, and in another order: the server then breaks a deadlock.
        case holders
    }

    /// A save that was acknowledged.
    struct Save {
        var author: String
        var kind: Kind
        var counter: Int?
    }

    private static let codes = 12

    private let url: URL
    private let folder: URL
    private let number: Int
    private var random: SeededGenerator

    init(_ url: URL, _ folder: URL, _ number: Int, _ seed: UInt64) {
        (self.url, self.folder, self.number) = (url, folder, number)
        random = SeededGenerator(seed: seed &* 31 &+ UInt64(number))
    }

    /// The file that stops the members when it appears.
    static func stop(_ folder: URL) -> URL { folder.appending(path: "stop") }

    private static func file(_ folder: URL, _ number: Int) -> URL { folder.appending(path: "saves.\(number)") }

    static func acknowledged(_ folder: URL, _ number: Int) throws -> [Save] {
        try String(contentsOf: file(folder, number), encoding: .utf8).split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ").map(String.init)
            guard parts.count >= 2, let kind = Kind(rawValue: parts[1]) else { return nil }
            return Save(author: parts[0], kind: kind, counter: parts.count > 2 ? Int(parts[2]) : nil)
        }
    }

    func run() {
        do {
            let store = try OutageStore(url)
            let file = Self.file(folder, number)
            _ = FileManager.default.createFile(atPath: file.path, contents: nil)
            let output = try FileHandle(forWritingTo: file)
            var step = 0
            while !FileManager.default.fileExists(atPath: Self.stop(folder).path) {
                step += 1
                let author = "\(number).\(step)"
                guard let save = try store.context.performAndWait({ try self.step(store, author) }) else { continue }
                let counter = save.counter.map { " \($0)" } ?? ""
                try output.write(contentsOf: Data("\(author) \(save.kind.rawValue)\(counter)\n".utf8))
            }
        } catch {
            print("\(error)".replacing("\n", with: " "))
        }
    }

    private func step(_ store: OutageStore, _ author: String) throws -> Save? {
        var save = Save(author: author, kind: .pair)
        switch Int.random(in: 0..<10, using: &random) {
        case ..<4:
            save.kind = .increment
            save.counter = Int.random(in: 0..<OutageStore.counters, using: &random)
        case ..<7: break
        default: save.kind = .holders
        }
        let codes = [0, 1].map { _ in Int.random(in: 0..<Self.codes, using: &random) }
        let end = Date(timeIntervalSinceNow: 90)
        // After a conflict the work is repeated with the present rows.
        while Date() < end {
            store.context.reset()
            store.context.transactionAuthor = author
            do {
                try insert(save, codes, store)
            } catch {
                // A fetch while the server is unreachable.
                usleep(5_000)
                continue
            }
            guard store.context.hasChanges else { return nil }
            if try self.save(store.context, until: end) { return save }
        }
        throw CocoaError(.persistentStoreTimeout)
    }

    private func insert(_ save: Save, _ codes: [Int], _ store: OutageStore) throws {
        let context = store.context
        func new(_ entity: String) -> NSManagedObject {
            NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        }
        context.mergePolicy = NSMergePolicy.error
        switch save.kind {
        case .increment:
            guard let code = save.counter, let counter = try store.one("Counter", code) else { return }
            counter.setValue((counter.value(forKey: "amount") as? Int ?? 0) + 1, forKey: "amount")
            let entry = new("Entry")
            entry.setValue(save.author, forKey: "name")
            entry.setValue(counter, forKey: "counter")
        case .pair: for _ in 0..<2 { new("Entry").setValue(save.author, forKey: "name") }
        case .holders:
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            for code in Set(codes) {
                // Half of the existing ones are deleted, so that they are inserted again.
                if let known = try store.one("Holder", code), code % 2 == number % 2 {
                    context.delete(known)
                } else {
                    let holder = new("Holder")
                    holder.setValue(code, forKey: "code")
                    holder.setValue(save.author, forKey: "name")
                }
            }
        }
    }

    /// Saves the same changes until they are acknowledged.
    ///
    /// - Returns: false after a conflict.
    private func save(_ context: NSManagedObjectContext, until end: Date) throws -> Bool {
        while true {
            do {
                try context.save()
                return true
            } catch  where [133_020, 133_021, 134_050].contains((error as NSError).code) {
                return false
            } catch {
                if Date() > end { throw error }
                usleep(5_000)
            }
        }
    }
}
