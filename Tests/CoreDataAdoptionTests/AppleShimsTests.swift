// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Classes and values as apps write them with Apple's frameworks.

import AppleShims
import CombineShims
import Foundation
import Testing

@Suite("Names of Apple's frameworks on Linux") struct AppleShimsTests {
    private final class Controller: ObservableObject {
        @Published var filter = ""
        @Published private(set) var count: Int

        init(count: Int) { _count = Published(initialValue: count) }

        func reset() {
            objectWillChange.send()
            count = 0
        }
    }

    @MainActor private final class OnMainActor: ObservableObject {
        @Published var name = "a"
    }

    private struct Place {
        var (latitude, longitude) = (52.5, 13.4)

        var coordinate: CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: latitude, longitude: longitude) }
    }

    @Test("published properties of an observable object are plain properties") func published() {
        let controller = Controller(count: 3)
        controller.filter = "x"
        #expect(controller.filter == "x" && controller.count == 3)
        controller.reset()
        #expect(controller.count == 0)
    }

    @Test("an observable object may belong to the main actor") @MainActor func mainActor() {
        let object = OnMainActor()
        object.name = "b"
        object.objectWillChange.send()
        #expect(object.name == "b")
    }

    @Test("a coordinate is a value") func coordinates() {
        #expect(Place().coordinate.latitude == 52.5)
        #expect(CLLocationCoordinate2D().longitude == 0)
    }

    // MARK: Colours

    /// The values of the root object of an archive.
    private func root(of data: Data) throws -> [String: Any] {
        let list = try PropertyListSerialization.propertyList(from: data, format: nil)
        let objects = try #require((list as? [String: Any])?["$objects"] as? [Any])
        return try #require(objects.dropFirst().first as? [String: Any])
    }

    /// An archive as another system writes it.
    private func archive(_ name: String, _ values: [String: Any]) throws -> Data {
        let description: [String: Any] = ["$classname": name, "$classes": [name, "NSObject"]]
        let members = values.filter { !($0.value is Data) }
        let data = values.filter { $0.value is Data }
        var root = members
        root["$class"] = ["CF$UID": 2]
        var objects: [Any] = ["$null", root, description]
        for (key, value) in data {
            root[key] = ["CF$UID": objects.count]
            objects.append(value)
        }
        objects[1] = root
        let list: [String: Any] = [
            "$archiver": "NSKeyedArchiver", "$version": 100_000, "$top": ["root": ["CF$UID": 1]], "$objects": objects,
        ]
        return try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
    }

    @Test("a colour of UIKit keeps its components in an archive with UIKit's keys") func colorArchives() throws {
        let color = UIColor(red: 0.25, green: 1, blue: 0, alpha: 0.5)
        let data = try NSKeyedArchiver.archivedData(withRootObject: color, requiringSecureCoding: true)
        let values = try root(of: data)
        #expect(values["UIColorComponentCount"] as? Int == 4 && values["NSColorSpace"] as? Int == 2)
        #expect(values["UIRed"] as? Double == 0.25 && values["UIAlpha"] as? Double == 0.5)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: UIColor.self, from: data) == color)
        let gray = UIColor(white: 0.5, alpha: 1)
        let other = try NSKeyedArchiver.archivedData(withRootObject: gray, requiringSecureCoding: true)
        #expect(try root(of: other)["UIWhite"] as? Double == 0.5)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: UIColor.self, from: other) == gray)
    }

    @Test("a colour of AppKit keeps its components in an archive with AppKit's keys") func otherColorArchives() throws {
        for color in [NSColor(red: 0.25, green: 1, blue: 0, alpha: 0.5), NSColor(white: 0.75, alpha: 1)] {
            let data = try NSKeyedArchiver.archivedData(withRootObject: color, requiringSecureCoding: true)
            #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSColor.self, from: data) == color)
        }
    }

    @Test("archives of other systems have their colours") func foreignArchives() throws {
        let red = try archive(
            "UIColor",
            [
                "UIColorComponentCount": 4, "UIRed": 1.0, "UIGreen": 0.5, "UIBlue": 0.0, "UIAlpha": 1.0,
                "NSColorSpace": 2, "NSRGB": Data("1 0.5 0".utf8),
            ])
        #expect(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: UIColor.self, from: red)
                == UIColor(red: 1, green: 0.5, blue: 0, alpha: 1))
        let device = try archive("NSColor", ["NSColorSpace": 2, "NSRGB": Data("1 0.5 0 0.25\0".utf8)])
        #expect(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: NSColor.self, from: device)
                == NSColor(red: 1, green: 0.5, blue: 0, alpha: 0.25))
    }

    @Test(
        "an archive without components is an error",
        arguments: [["NSColorSpace": 6], ["NSColorSpace": 2, "NSRGB": Data("1 x 0".utf8)], [:]]
            as [[String: any Sendable]])
    func faultyArchives(values: [String: any Sendable]) throws {
        let (first, second) = (try archive("UIColor", values), try archive("NSColor", values))
        #expect(throws: (any Error).self) { try NSKeyedUnarchiver.unarchivedObject(ofClass: UIColor.self, from: first) }
        #expect(throws: (any Error).self) {
            try NSKeyedUnarchiver.unarchivedObject(ofClass: NSColor.self, from: second)
        }
    }

    @Test("colours convert between their forms") func colorForms() {
        var (red, green, blue, alpha): (CGFloat, CGFloat, CGFloat, CGFloat) = (0, 0, 0, 0)
        UIColor(hue: 1.0 / 3, saturation: 1, brightness: 0.5, alpha: 1).getRed(
            &red, green: &green, blue: &blue, alpha: &alpha)
        #expect(red == 0 && abs(green - 0.5) < 1e-9 && blue == 0 && alpha == 1)
        var (hue, saturation, brightness): (CGFloat, CGFloat, CGFloat) = (0, 0, 0)
        UIColor.orange.getHue(&hue, saturation: &saturation, brightness: &brightness, alpha: nil)
        #expect(saturation == 1 && brightness == 1 && abs(hue - 1.0 / 12) < 0.01)
        #expect(UIColor.systemRed == UIColor(red: 1, green: 59.0 / 255, blue: 48.0 / 255, alpha: 1))
        #expect(!UIColor.red.getWhite(nil, alpha: nil) && UIColor.gray.getWhite(&red, alpha: nil) && red == 0.5)
        #expect(UIColor(Color.blue) == .systemBlue && Color(.systemBlue as UIColor) == .blue)
        #expect(Color.red.opacity(0.5) != .red && Color("Accent") == Color("Accent"))
        #expect(NSColor(Color(white: 0.5)).brightnessComponent == 0.5)
    }

    // MARK: Other values

    @Test("an image has the bytes and the size of its file") func images() throws {
        let png = Data(
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + [
                0, 0, 0, 3, 0, 0, 0, 2,
            ])
        let image = try #require(UIImage(data: png))
        #expect(image.size == CGSize(width: 3, height: 2) && image.pngData() == png)
        #expect(image.jpegData(compressionQuality: 1) == nil && image == UIImage(data: png))
        let jpeg = Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 1, 0xFF, 0xC0, 0, 9, 8, 0, 5, 0, 7, 0, 0])
        #expect(UIImage(data: jpeg)?.size == CGSize(width: 7, height: 5))
        for length in 0..<jpeg.count - 4 { #expect(UIImage(data: jpeg.prefix(length)) == nil) }
        #expect(UIImage(named: "a") == nil && UIImage().pngData() == nil)
    }

    @Test(
        "elements move before the element at the destination",
        arguments: [
            ([0, 1], 3, "cabd"), ([3], 0, "dabc"), ([0], 4, "bcda"), ([1, 3], 2, "abdc"), ([], 2, "abcd"),
            ([0, 1, 2, 3], 2, "abcd"),
        ])
    func moves(source: [Int], destination: Int, result: String) {
        var letters = Array("abcd")
        letters.move(fromOffsets: IndexSet(source), toOffset: destination)
        #expect(String(letters) == result)
        letters.remove(atOffsets: IndexSet(source))
        #expect(letters.count == 4 - source.count)
    }

    @Test("random moves are removals and insertions") func randomMoves() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let all = Array(0..<Int.random(in: 0..<8, using: &random))
            let source = IndexSet(all.filter { _ in Bool.random(using: &random) })
            let destination = Int.random(in: 0...all.count, using: &random)
            var moved = all
            moved.move(fromOffsets: source, toOffset: destination)
            let before = all.filter { $0 < destination && !source.contains($0) }
            var expected = all.filter { !source.contains($0) }
            expected.insert(contentsOf: source, at: before.count)
            #expect(moved == expected)
        }
    }

    @Test("distances are those of the ellipsoid") func distances() {
        let (berlin, paris) = (
            CLLocation(latitude: 52.516272, longitude: 13.377722), CLLocation(latitude: 48.858244, longitude: 2.294500)
        )
        #expect(abs(berlin.distance(from: paris) - 879_699) < 2_000)
        // A degree of the meridian at the equator, and one of the equator.
        let origin = CLLocation(latitude: 0, longitude: 0)
        #expect(abs(origin.distance(from: CLLocation(latitude: 1, longitude: 0)) - 110_574.4) < 1)
        #expect(abs(origin.distance(from: CLLocation(latitude: 0, longitude: 1)) - 111_319.5) < 1)
        #expect(origin.distance(from: origin) == 0)
        #expect(abs(origin.distance(from: CLLocation(latitude: 0, longitude: 180)) - 20_004_000) < 40_000)
    }

    @Test("a localized text has its values, by the order of the translation") func texts() throws {
        let count = 3
        #expect(String(localized: "\(count) items of \("Ann"), 5 %") == "3 items of Ann, 5 %")
        #expect(String(localized: LocalizedStringResource("plain")) == "plain")
        #expect(String(localized: "key", defaultValue: "default \(count)") == "default 3")
        let folder = try SampleFolder(["Localizable.strings": "\"%lld items of %@\" = \"%2$@ hat %1$lld Dinge\";\n"])
        let bundle = try #require(Bundle(path: folder.url.path))
        #expect(String(localized: "\(count) items of \("Ann")", bundle: bundle) == "Ann hat 3 Dinge")
        #expect(LocalizedStringResource("\(count) items").key == "%lld items")
    }

    @Test("a group's folder exists, and a name with a slash has none") func groups() throws {
        let name = "group.test.\(UUID().uuidString)"
        let folder = try #require(FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: name))
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(FileManager.default.fileExists(atPath: folder.path))
        #expect(FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "../a") == nil)
        #expect(!URL.documentsDirectory.path.isEmpty && !URL.cachesDirectory.path.isEmpty)
    }

    @Test("closures of animations and pools run at once") func closures() throws {
        var list = [1]
        withAnimation(.easeInOut(duration: 1)) { list.append(2) }
        #expect(withAnimation { list.count } == 2 && autoreleasepool { list.count } == 2)
        #expect(throws: CocoaError.self) { try withAnimation { throw CocoaError(.featureUnsupported) } }
    }
}
