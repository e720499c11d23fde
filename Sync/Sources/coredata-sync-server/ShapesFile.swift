// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the shapes that the program gives to all users.
import CoreDataSyncServer
import Foundation

/// The content of a file of shapes.
///
/// ```json
/// {"shapes": [{"name": "notes", "entity": "Note", "predicate": "owner == $user", "follows": ["list"]}],
///  "leaving": "refused"}
/// ```
/// `leaving` says whether a device may insert a record outside of its user's shapes, or change one so that it leaves
/// them: `accepted`, which is usual, or `refused`.
struct ShapesFile: Decodable {
    enum Leaving: String, Decodable {
        case accepted, refused
    }

    let shapes: [SyncShape]
    let leaving: Leaving?

    var authority: ShapedAuthority { ShapedAuthority(shapes, mayLeave: leaving != .refused) }

    /// - Throws: `ServedStoreError` with the file and the place in it.
    init(_ path: String) throws {
        func failure(_ text: String) -> ServedStoreError { ServedStoreError(text: "\(path): \(text)") }
        guard let data = FileManager.default.contents(atPath: path) else { throw failure("The file cannot be read.") }
        do {
            try Self.checkKeys(data)
            self = try JSONDecoder().decode(ShapesFile.self, from: data)
        } catch let error as DecodingError {
            throw failure(error.placeAndReason)
        } catch let error as UnknownKey {
            throw failure("\(error.place): there is no such key.")
        }
        guard !shapes.isEmpty else { throw failure("shapes: there is none, so that no device would have a record.") }
        for (index, shape) in shapes.enumerated() where shapes[..<index].contains(where: { $0.name == shape.name }) {
            throw failure("shapes[\(index)].name: '\(shape.name)' occurs twice.")
        }
    }

    private struct UnknownKey: Error {
        let place: String
    }

    /// A key with a writing error would be ignored, and a shape without its predicate has all records.
    private static func checkKeys(_ data: Data) throws {
        guard let file = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else { return }
        if let key = file.keys.sorted().first(where: { !["shapes", "leaving"].contains($0) }) {
            throw UnknownKey(place: key)
        }
        for (index, shape) in (file["shapes"] as? [[String: Any]] ?? []).enumerated() {
            let known = ["name", "entity", "predicate", "follows"]
            if let key = shape.keys.sorted().first(where: { !known.contains($0) }) {
                throw UnknownKey(place: "shapes[\(index)].\(key)")
            }
        }
    }
}

extension DecodingError {
    /// The place in the file, and the reason.
    fileprivate var placeAndReason: String {
        let (path, text): ([any CodingKey], String) =
            switch self {
            case .keyNotFound(let key, let context): (context.codingPath + [key], "the value is missing.")
            case .typeMismatch(_, let context), .valueNotFound(_, let context):
                (context.codingPath, "the value has another type.")
            case .dataCorrupted(let context):
                (
                    context.codingPath,
                    context.codingPath.isEmpty ? "the file is no JSON." : "the value is not one of the possible ones."
                )
            @unknown default: ([], "the file cannot be read.")
            }
        let place = path.reduce(into: "") { place, key in
            place += key.intValue.map { "[\($0)]" } ?? (place.isEmpty ? "" : ".") + key.stringValue
        }
        return place.isEmpty ? text : "\(place): \(text)"
    }
}
