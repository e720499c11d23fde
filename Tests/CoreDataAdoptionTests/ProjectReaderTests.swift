// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The readers of projects, workspaces, packages and folders.

import Foundation
import Testing

@testable import CoreDataAdoption

@Suite("Reading a project") struct ProjectReaderTests {
    @Test("a project of groups has its targets, files, settings and scripts") func groups() throws {
        let folder = try SampleFolder(SampleProject.groupFiles)
        let project = try ProjectReader.read(folder.url)
        #expect(project.targets.map(\.name) == ["Shop App", "ShopTests"])
        let (app, tests) = (project.targets[0], project.targets[1])
        #expect(app.kind == .app)
        #expect(app.module == "Shop_Kit")
        #expect(folder.relative(app.sources) == ["Shop/Model/Item.swift", "Shop/Shop View.swift"])
        #expect(folder.relative(app.models) == ["Shop/Shop.xcdatamodeld"])
        #expect(folder.relative(app.foreignSources) == ["Shop/Old.m"])
        #expect(app.scripts == ["Lint \"all\""])
        #expect(app.settings.swiftVersion == "5.0")
        #expect(app.settings.isMainActorByDefault && app.settings.isConcurrencyStrict)
        #expect(app.settings.isConcurrencyApproachable)
        #expect(app.settings.conditions == ["BETA"])
        #expect(tests.kind == .unitTests)
        #expect(tests.dependencies == ["Shop App"])
        #expect(folder.relative(tests.sources) == ["ShopTests/ShopTests.swift"])
        #expect(
            project.notes == [
                "'Shop/Model/item.swift' is 'Shop/Model/Item.swift' on disk.",
                "'Gone.swift' of the target 'Shop App' is missing.",
            ])
    }

    @Test("a synchronized folder gives its files, and an exception gives one to another target") func folders() throws {
        let folder = try SampleFolder(SampleProject.folderFiles)
        let project = try ProjectReader.read(folder.file("Shop.xcodeproj"))
        #expect(project.targets.map(\.name) == ["Shop", "Widget", "Kit", "Base", "KitTests"])
        let (app, widget) = (project.targets[0], project.targets[1])
        #expect(folder.relative(app.sources) == ["Shop/Model/Item.swift", "Shop/Views/List.swift"])
        #expect(folder.relative(app.models) == ["Shop/Shop.xcdatamodeld"])
        #expect(folder.relative(app.resources) == ["Shop/Data/cities.json"])
        #expect(widget.kind == .appExtension)
        #expect(folder.relative(widget.sources) == ["Shop/Model/Item.swift", "Widget/Widget.swift"])
    }

    @Test("a manifest gives the targets with literal names, and is not run") func manifest() throws {
        let folder = try SampleFolder(SampleProject.folderFiles)
        let package = try ProjectReader.read(folder.file("Kit"))
        #expect(package.targets.map(\.name) == ["Kit", "Base", "KitTests"])
        #expect(package.targets[0].dependencies == ["Base", "Core", "Log"])
        #expect(folder.relative(package.targets[1].sources) == ["Kit/Base/Base.swift"])
        #expect(package.targets[2].kind == .unitTests)
        #expect(package.targets[0].settings.swiftVersion == "5")
        #expect(package.notes == ["The folder of the target 'Nowhere' is missing: 'Sources/Nowhere'."])
    }

    @Test("the only target of a package may have its files in Sources without a folder of its name, and tests in Tests")
    func flat()
        throws
    {
        let folder = try SampleFolder([
            "Kit/Package.swift": "let p = Package(targets: [.target(name: \"Kit\"), .testTarget(name: \"KitTests\")])",
            "Kit/Sources/Model/Kit.swift": "", "Kit/Tests/KitTests.swift": "",
        ])
        let package = try ProjectReader.read(folder.file("Kit"))
        #expect(
            package.targets.map { folder.relative($0.sources) } == [
                ["Kit/Sources/Model/Kit.swift"], ["Kit/Tests/KitTests.swift"],
            ])
        #expect(package.notes.isEmpty)
    }

    @Test(
        "a malformed workspace is an error with its line", arguments: ["<Workspace>\n<Group>", "", "<a>\n&#xD800;</a>"])
    func malformedWorkspace(text: String) throws {
        let folder = try SampleFolder(["Shop.xcworkspace/contents.xcworkspacedata": text])
        let error = #expect(throws: ProjectError.self) {
            try XcodeWorkspace.read(folder.file("Shop.xcworkspace"))
        }
        #expect(error?.path.hasSuffix("contents.xcworkspacedata") == true)
        #expect(error?.place == "\(max(1, text.split(separator: "\n").count))")
    }

    @Test("a workspace gives the targets of its projects, without those of CocoaPods") func workspace() throws {
        var files = SampleProject.groupFiles
        files["Shop.xcworkspace/contents.xcworkspacedata"] = """
            <?xml version="1.0" encoding="UTF-8"?>
            <Workspace version="1.0">
              <Group location="container:" name="All"><FileRef location="group:shop.xcodeproj"></FileRef></Group>
              <FileRef location="group:Pods/Pods.xcodeproj"></FileRef>
              <FileRef location="group:Gone.xcodeproj"></FileRef>
            </Workspace>
            """
        files["Pods/Pods.xcodeproj/project.pbxproj"] = SampleProject.folders
        let folder = try SampleFolder(files)
        let project = try ProjectReader.read(folder.url)
        #expect(project.targets.map(\.name) == ["Shop App", "ShopTests"])
        #expect(project.notes.contains { $0.contains("Gone.xcodeproj") })
    }

    @Test("a folder without a project is a target and its tests") func bareFolder() throws {
        let folder = try SampleFolder([
            "Model/Item.swift": "struct Item {}", "Checks/Item.swift": "@testable import Stock\nimport XCTest",
            "ItemTests/Data.json": "{}", ".build/Junk.swift": "", "Pods/Pod.swift": "",
        ])
        let project = try ProjectReader.read(folder.url)
        #expect(project.targets.count == 2)
        #expect(folder.relative(project.targets[0].sources) == ["Model/Item.swift"])
        #expect(project.targets[0].module == "Stock")
        #expect(folder.relative(project.targets[1].sources) == ["Checks/Item.swift"])
        #expect(folder.relative(project.targets[1].resources) == ["ItemTests/Data.json"])
        #expect(throws: ProjectError.self) { try ProjectReader.read(folder.file("ItemTests")) }
        #expect(throws: ProjectError.self) { try ProjectReader.read(folder.file("Nothing")) }
    }

    @Test("module names are identifiers") func identifiers() {
        #expect(AppTarget.identifier("My App-2") == "My_App_2")
        #expect(AppTarget.identifier("2048") == "_048")
        #expect(AppTarget.identifier("Café") == "Café")
    }

    @Test("files with tests that belong to no target are named", arguments: [1, 2]) func strayTests(count: Int) throws {
        let names = (1...count).map { "Old\($0)Tests.swift" }
        let references = names.map {
            "\($0.prefix(4)) = {isa = PBXFileReference; path = \($0); sourceTree = \"<group>\"; };"
        }.joined()
        let text = """
            {objects = {\(references)
            G = {isa = PBXGroup; children = (\(names.map { $0.prefix(4) }.joined(separator: ", "))); sourceTree = "<group>"; };
            R = {isa = PBXProject; mainGroup = G; targets = (); };}; rootObject = R;}
            """
        var files = ["Shop.xcodeproj/project.pbxproj": text]
        for name in names { files[name] = "import XCTest\n" }
        let folder = try SampleFolder(files)
        let project = try ProjectReader.read(folder.file("Shop.xcodeproj"))
        let subject =
            count == 1 ? "Old1Tests.swift has tests, and belongs" : "Old1Tests.swift and 1 more have tests, and belong"
        #expect(project.notes == ["\(subject) to no target, so Xcode does not run them either."])
    }
}
