// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The written package: links, copies, edits of a person, and what stays untouched.

import Foundation
import Testing

@testable import CoreDataAdoption

@Suite("The package of a project") struct AdoptedPackageTests {
    private static let files: [String: String] = [
        "Shop/Item.swift": "import CoreData\n\nfinal class Item: NSManagedObject {\n    @objc func a() {}\n}\n",
        "Shop/Plain.swift": "import Foundation\nimport CoreData\nstruct Plain { let cities = \"cities\" }\n",
        "Shop/List.swift":
            "import SwiftUI\nimport CoreData\nstruct List: View { var body: some View { Text(\"a\") } }\n",
        "Shop/Shop.xcdatamodeld/Shop.xcdatamodel/contents": "<model/>", "Shop/cities.json": "[]",
        "Shop/other.json": "[]",
        "Tests/ItemTests.swift":
            "import XCTest\n@testable import Shop\nfinal class T: XCTestCase { func testA() {} }\n",
    ]

    private func adopt(
        _ folder: SampleFolder, fresh: Bool = false, changing: (inout Adoption.Options) -> Void = { _ in }
    ) throws -> AdoptionReport {
        var options = Adoption.Options(
            project: folder.file("App"), library: .checkout(URL(fileURLWithPath: "/library")))
        options.builds = false
        options.isFresh = fresh
        changing(&options)
        return try Adoption.run(options)
    }

    private func sample(_ extra: [String: String] = [:]) throws -> SampleFolder {
        let files = Self.files.merging(extra) { $1 }
        return try SampleFolder(Dictionary(uniqueKeysWithValues: files.map { ("App/\($0)", $1) }))
    }

    private func link(_ folder: SampleFolder, _ path: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: folder.file(path).path)
    }

    @Test("an unchanged source is a link, a changed one a copy with a note at its end") func links() throws {
        let folder = try sample()
        let report = try adopt(folder)
        #expect(report.status == .written)
        #expect(link(folder, "App/Linux/Sources/Shop/Shop/Plain.swift") == "../../../../Shop/Plain.swift")
        #expect(link(folder, "App/Linux/Sources/Shop/Shop/Item.swift") == nil)
        let copy = try folder.text("App/Linux/Sources/Shop/Shop/Item.swift")
        #expect(copy.contains("#if canImport(ObjectiveC)"))
        #expect(
            copy.hasSuffix(
                "-\(String("import CoreData\n\nfinal class Item: NSManagedObject {\n    @objc func a() {}\n}\n".utf8.count, radix: 16))\n"
            ))
        #expect(copy.contains("// Copied from Item.swift"))
        #expect(!folder.exists("App/Linux/Sources/Shop/Shop/List.swift"))
        let model = "App/Linux/Sources/Shop/Shop.xcdatamodeld/Shop.xcdatamodel/contents"
        #expect(link(folder, model)?.hasPrefix("../../../../..") == true)
        #expect(try folder.text(model) == "<model/>")
        // SwiftPM would copy a link with its relative path, which leads nowhere in the bundle.
        #expect(folder.exists("App/Linux/Sources/Shop/Resources/cities.json"))
        #expect(link(folder, "App/Linux/Sources/Shop/Resources/cities.json") == nil)
        #expect(!folder.exists("App/Linux/Sources/Shop/Resources/other.json"))
        #expect(report.files(.leftOut).map(\.path) == ["Shop/List.swift"])
        #expect(report.files(.leftOut).first?.reason == "It uses 'View' of SwiftUI.")
    }

    @Test("the manifest has the targets with their needs and settings") func manifest() throws {
        let folder = try sample()
        _ = try adopt(folder)
        let text = try folder.text("App/Linux/Package.swift")
        #expect(text.contains(".package(name: \"OpenCoreData\", path: \"/library\", traits: [])"))
        #expect(text.contains("name: \"Shop\""))
        #expect(text.contains("resources: [.process(\"Resources\")]"))
        #expect(text.contains(".testTarget(\n            name: \"AppTests\",\n            dependencies: [\"Shop\""))
        #expect(text.contains(".plugin(name: \"CoreDataModelPlugin\", package: \"OpenCoreData\")"))
    }

    @Test("the repository stays as it is, and a second run changes nothing") func untouched() throws {
        let folder = try sample()
        func state(_ root: String) throws -> [String: String] {
            let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.file(root).path)
            return Dictionary(
                uniqueKeysWithValues: paths.map { path in
                    (path, PackageWriter.digest(of: folder.file("\(root)/\(path)")) ?? "folder")
                })
        }
        let before = try state("App")
        _ = try adopt(folder)
        #expect(try state("App").filter { !$0.key.hasPrefix("Linux") } == before)
        let written = try state("App/Linux")
        _ = try adopt(folder)
        #expect(try state("App/Linux") == written)
    }

    @Test("edited files are kept and reported, and removed originals take their files along") func edits() throws {
        let folder = try sample(["Shop/Gone.swift": "import CoreData\nstruct Gone {}\n"])
        _ = try adopt(folder)
        let copy = "App/Linux/Sources/Shop/Shop/Item.swift"
        try folder.write("// mine\n", to: copy)
        try FileManager.default.removeItem(at: folder.file("App/Shop/Gone.swift"))
        try folder.write(
            "import CoreData\nfinal class Item: NSManagedObject { @objc func b() {} }\n", to: "App/Shop/Item.swift")
        let report = try adopt(folder)
        #expect(try folder.text(copy) == "// mine\n")
        #expect(report.kept == ["Sources/Shop/Shop/Item.swift"])
        #expect(link(folder, "App/Linux/Sources/Shop/Shop/Gone.swift") == nil)
    }

    @Test("a run that fails in the middle takes none of its files for an edit later") func brokenOff() throws {
        let folder = try sample()
        try FileManager.default.createDirectory(at: folder.file("App/Linux"), withIntermediateDirectories: true)
        // The folder comes last, so the files of the app are written before the failure.
        try FileManager.default.createSymbolicLink(
            at: folder.file("App/Linux/Tests"), withDestinationURL: folder.file("App/Shop"))
        #expect(throws: ProjectError.self) { try adopt(folder) }
        try FileManager.default.removeItem(at: folder.file("App/Linux/Tests"))
        try folder.write(
            "import CoreData\nfinal class Item: NSManagedObject { @objc func b() {} }\n", to: "App/Shop/Item.swift")
        #expect(try adopt(folder).kept.isEmpty)
        #expect(try folder.text("App/Linux/Sources/Shop/Shop/Item.swift").contains("b()"))
    }

    @Test("a folder at the place of a file is kept with its files") func folderInPlace() throws {
        let folder = try sample()
        try folder.write("mine", to: "App/Linux/Sources/Shop/Shop/Plain.swift/notes.txt")
        #expect(try adopt(folder).kept == ["Sources/Shop/Shop/Plain.swift"])
        #expect(try folder.text("App/Linux/Sources/Shop/Shop/Plain.swift/notes.txt") == "mine")
    }

    @Test("the cuts of the record begin the next run, unless the source changed or the run is fresh") func record()
        throws
    {
        let folder = try sample()
        _ = try adopt(folder)
        let file = folder.file("App/Linux/.adoption.json")
        var record = try #require(AdoptionRecord.read(in: folder.file("App/Linux")))
        let key = "Sources/Shop/Shop/Plain.swift"
        record.sources[key]?.cuts = [Cut(declaration: "Plain", line: 3, reason: "No such thing.")]
        try record.data().write(to: file)
        #expect(try adopt(folder).files(.leftOut).map(\.reason).contains("No such thing."))
        #expect(try !adopt(folder, fresh: true).files(.leftOut).map(\.reason).contains("No such thing."))
        try record.data().write(to: file)
        try folder.write("import Foundation\nimport CoreData\nstruct Plain {}\n", to: "App/Shop/Plain.swift")
        #expect(try !adopt(folder).files(.leftOut).map(\.reason).contains("No such thing."))
        try folder.write("{", to: "App/Linux/.adoption.json")
        #expect(try adopt(folder).status == .written)
    }

    @Test("an output folder that is a source, or has a folder that is a link, is refused") func refused() throws {
        let folder = try sample()
        #expect(throws: ProjectError.self) { try adopt(folder) { $0.output = folder.file("App/Shop") } }
        _ = try adopt(folder)
        try FileManager.default.removeItem(at: folder.file("App/Linux/Sources/Shop/Shop"))
        try FileManager.default.createSymbolicLink(
            at: folder.file("App/Linux/Sources/Shop/Shop"), withDestinationURL: folder.file("App/Shop"))
        #expect(throws: ProjectError.self) { try adopt(folder) }
        #expect(try folder.text("App/Shop/Item.swift").hasPrefix("import CoreData"))
    }

    @Test("a project without Core Data is reported, and writes nothing") func nothing() throws {
        let folder = try SampleFolder(["App/Main.swift": "import SwiftUI\nstruct A: View {}\n"])
        let report = try adopt(folder)
        #expect(report.status == .nothingBuilt)
        #expect(report.leftOutTargets == [LeftOut(name: "App", reason: "It uses neither Core Data nor SwiftData.")])
        #expect(!folder.exists("App/Linux"))
        #expect(report.text(.terminal).hasPrefix("App: 0 of 0 files in 0 targets. Nothing could be built."))
    }

    @Test("a report says how many tests were left out") func leftOutTests() throws {
        let tests =
            "import UIKit\nimport XCTest\nfinal class V: XCTestCase { func testView() { _ = UIView() }\n func testB() {} }\n"
        let folder = try sample(["Tests/ViewTests.swift": tests])
        let report = try adopt(folder)
        #expect(report.testsLeftOut == [LeftOut(name: "V.testView", reason: "It uses 'UIView' of UIKit.")])
        #expect(report.text(.markdown).contains("### Tests left out (1)\n\n- V.testView: It uses 'UIView' of UIKit.\n"))
        #expect(try report.json().contains("\"testsLeftOut\""))
    }
}
