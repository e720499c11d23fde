// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A state of the disk that a power failure may leave: synced changes are there, others may be lost, torn, reordered.

import CoreDataTestSupport
import Foundation

/// The guarantees of the file system beyond those of sync.
enum DiskModel: String, CaseIterable, Sendable {
    /// Names change in order, and a sync of any file makes all earlier changes of names durable.
    case ext4
    /// A change of a name is durable once its folder was synced, and changes of different names may be reordered.
    case posix
    /// All changes are written in order: a killed process.
    case ordered
}

/// # Invariants
/// (1) A write before a sync of its file is kept.
/// (2) Any other write is kept, lost, or torn at a sector of 512 bytes.
/// (3) A file that lost its name is gone.
struct CrashImage {
    private static let sector = 512

    private var names: [String: Int] = [:]
    private var contents: [Int: [UInt8]] = [:]
    private var folders: Set<String> = []
    /// The changes that no sync has made durable, in order.
    private var pendingNames: [FileChange] = []
    private var pendingContents: [Int: [FileChange]] = [:]
    private let model: DiskModel

    /// - Parameter count: the number of changes before the failure.
    init(_ history: FileHistory, count: Int, _ model: DiskModel, _ random: inout SeededGenerator) {
        self.model = model
        for change in history.changes.prefix(count) { take(change) }
        lose(&random)
    }

    private mutating func take(_ change: FileChange) {
        switch change {
        case .mark: break
        case .write(let file, _, _), .resize(let file, _):
            if model == .ordered { applyContent(change) } else { pendingContents[file, default: []].append(change) }
        case .sync(let file):
            for change in pendingContents.removeValue(forKey: file) ?? [] { applyContent(change) }
            if model == .ext4 { settleNames { _ in true } }
        case .syncFolder(let folder):
            if model == .ext4 { settleNames { _ in true } } else { settleNames { Self.isIn(folder, $0) } }
        default:
            if model == .ordered { applyName(change) } else { pendingNames.append(change) }
        }
    }

    private mutating func settleNames(_ condition: (FileChange) -> Bool) {
        var left: [FileChange] = []
        for change in pendingNames {
            if condition(change) { applyName(change) } else { left.append(change) }
        }
        pendingNames = left
    }

    /// Whether a change concerns the entries of a folder.
    private static func isIn(_ folder: String, _ change: FileChange) -> Bool {
        func parent(_ name: String) -> String { (name as NSString).deletingLastPathComponent }
        let folder = folder == "." ? "" : folder
        return switch change {
        case .make(let name, _), .remove(let name), .makeFolder(let name), .removeFolder(let name):
            parent(name) == folder
        case .rename(let one, let other), .link(let one, let other): parent(one) == folder || parent(other) == folder
        default: false
        }
    }

    private mutating func lose(_ random: inout SeededGenerator) {
        switch model {
        case .ordered: break
        case .ext4:
            let kept = Int.random(in: 0...pendingNames.count, using: &random)
            for change in pendingNames.prefix(kept) { applyName(change) }
        case .posix:
            for change in pendingNames where random.chance(0.5) { applyName(change) }
        }
        for (_, changes) in pendingContents.sorted(by: { $0.key < $1.key }) {
            // All, none, or each independently: disks do the first two most often.
            let choices: [Double] = [0, 1, 0.5, 0.9]
            let odds = choices.randomElement(using: &random) ?? 0
            for change in changes where random.chance(odds) {
                if random.chance(0.2), case .write(let file, let offset, let bytes) = change {
                    tear(file, offset, bytes, &random)
                } else {
                    applyContent(change)
                }
            }
        }
    }

    /// Each sector of the file gets the new bytes, or keeps the old ones.
    private mutating func tear(_ file: Int, _ offset: Int, _ bytes: [UInt8], _ random: inout SeededGenerator) {
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, ((offset + start) / Self.sector + 1) * Self.sector - offset)
            if random.chance(0.5) {
                applyContent(.write(file: file, offset: offset + start, bytes: [UInt8](bytes[start..<end])))
            }
            start = end
        }
    }

    private mutating func applyContent(_ change: FileChange) {
        switch change {
        case .write(let file, let offset, let bytes):
            var content = contents.removeValue(forKey: file) ?? []
            let end = offset + bytes.count
            if content.count < end { content = Self.resized(content, end) }
            content.withUnsafeMutableBytes { target in
                bytes.withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(rebasing: target[offset..<end]).copyMemory(from: $0)
                }
            }
            contents[file] = content
        case .resize(let file, let size):
            contents[file] = Self.resized(contents.removeValue(forKey: file) ?? [], size)
        default: break
        }
    }

    /// In blocks: element by element it takes most of the time of an image without optimization.
    private static func resized(_ content: [UInt8], _ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { target, filled in
            let kept = min(content.count, count)
            content.withUnsafeBytes { source in
                let target = UnsafeMutableRawBufferPointer(target)
                target.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<kept]))
                if count > kept {
                    _ = UnsafeMutableRawBufferPointer(rebasing: target[kept...]).initializeMemory(
                        as: UInt8.self, repeating: 0)
                }
            }
            filled = count
        }
    }

    private mutating func applyName(_ change: FileChange) {
        switch change {
        case .make(let name, let file): names[name] = file
        case .rename(let one, let other):
            if let file = names.removeValue(forKey: one) { names[other] = file }
        case .link(let one, let other):
            if let file = names[one] { names[other] = file }
        case .remove(let name): names[name] = nil
        case .makeFolder(let name): folders.insert(name)
        case .removeFolder(let name): folders.remove(name)
        default: break
        }
    }

    func write(to folder: URL) throws {
        let manager = FileManager.default
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in folders.sorted() {
            try manager.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
        }
        for (name, file) in names where !name.hasSuffix("-shm") {
            let url = folder.appending(path: name)
            // A file is lost with the name of its folder.
            guard manager.fileExists(atPath: url.deletingLastPathComponent().path) else { continue }
            try Data(contents[file] ?? []).write(to: url)
        }
    }
}
