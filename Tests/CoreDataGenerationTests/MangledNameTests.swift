// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Symbol names are those that the compiler gave to the same declarations.

import Foundation
import Testing

@testable import CoreDataGeneration

@Suite("Mangled names") struct MangledNameTests {
    /// `symbols` are the declarations that `swiftc -module-name App -emit-ir` (6.3.1, Linux) prints for it.
    private static let source = """
        public class Tag: NSManagedObject { @NSManaged public var name: String? ; @NSManaged var unicodé: Int }
        enum Kind: Int16 { case a = 1, b }
        public class Book: NSManagedObject {
            @NSManaged public var title: String?
            @NSManaged var kind: Kind
            @NSManaged private var secret: String?
            @NSManaged fileprivate var half: Int64
            @NSManaged var tags: Set<Tag>?
            @NSManaged public func addToTags(_ v: Tag)
            @NSManaged public func addToTags(_ v: NSSet)
            @NSManaged func insertIntoTags(_ v: Tag, at idx: Int)
            @NSManaged func removeFromTags(at idx: Int)
            @NSManaged open var tag: Tag?
            @NSManaged var bookTag: Tag, tagBook: Book?
            @NSManaged var date1: Date?, date2: Date
            @NSManaged var names: [String: String]?
            @NSManaged var ids: [UUID: [Date]]?
            @NSManaged var number: NSNumber!
            @NSManaged private(set) var inner: Inner.Deep?
            @NSManaged var word_word_Title: NSSet
            @NSManaged var m: [[Inner.Deep?]: Set<Inner.Deep>]
            @NSManaged var any: Any?
            @NSManaged var x: [Int32: Int32], y: [String: [String: Bool]]
            @NSManaged var App: String
            @NSManaged var BookTagBookTagInner: Int
            @NSManaged var optKind: App.Kind?
            enum Inner { class Deep: NSManagedObject { @NSManaged var x: Int; @NSManaged var up: Book; @NSManaged var other: Deep? } }
        }
        extension Book { @NSManaged var later: [String: Int]? ; @NSManaged var alias: Name?; typealias Name = String }
        struct Wrap<T> {}
        extension Tag { @NSManaged var w: Wrap<Int>?; @NSManaged var w2: Wrap<Book.Inner.Deep?>; @NSManaged var r: Range<Int> }
        """

    private static let symbols = """
        $s3App3TagC0010unicod_gvaSivg
        $s3App3TagC0010unicod_gvaSivs
        $s3App3TagC1rSnySiGvg
        $s3App3TagC1rSnySiGvs
        $s3App3TagC1wAA4WrapVySiGSgvg
        $s3App3TagC1wAA4WrapVySiGSgvs
        $s3App3TagC2w2AA4WrapVyAA4BookC5InnerO4DeepCSgGvg
        $s3App3TagC2w2AA4WrapVyAA4BookC5InnerO4DeepCSgGvs
        $s3App3TagC4nameSSSgvg
        $s3App3TagC4nameSSSgvs
        $s3App4BookC03tagB0ACSgvg
        $s3App4BookC03tagB0ACSgvs
        $s3App4BookC05word_C6_Title10Foundation5NSSetCvg
        $s3App4BookC05word_C6_Title10Foundation5NSSetCvs
        $s3App4BookC0b3TagbC5InnerSivg
        $s3App4BookC0b3TagbC5InnerSivs
        $s3App4BookC14insertIntoTags_2atyAA3TagC_SitF
        $s3App4BookC14removeFromTags2atySi_tF
        $s3App4BookC1mSDySayAC5InnerO4DeepCSgGShyAHGGvg
        $s3App4BookC1mSDySayAC5InnerO4DeepCSgGShyAHGGvs
        $s3App4BookC1xSDys5Int32VAFGvg
        $s3App4BookC1xSDys5Int32VAFGvs
        $s3App4BookC1ySDySSSDySSSbGGvg
        $s3App4BookC1ySDySSSDySSSbGGvs
        $s3App4BookC3anyypSgvg
        $s3App4BookC3anyypSgvs
        $s3App4BookC3idsSDy20FoundationEssentials4UUIDVSayAE4DateVGGSgvg
        $s3App4BookC3idsSDy20FoundationEssentials4UUIDVSayAE4DateVGGSgvs
        $s3App4BookC3tagAA3TagCSgvg
        $s3App4BookC3tagAA3TagCSgvs
        $s3App4BookC4half33_2BEF9C0BA08E42E259550B030F9D0E12LLs5Int64Vvg
        $s3App4BookC4half33_2BEF9C0BA08E42E259550B030F9D0E12LLs5Int64Vvs
        $s3App4BookC4kindAA4KindOvg
        $s3App4BookC4kindAA4KindOvs
        $s3App4BookC4tagsShyAA3TagCGSgvg
        $s3App4BookC4tagsShyAA3TagCGSgvs
        $s3App4BookC5InnerO4DeepC1xSivg
        $s3App4BookC5InnerO4DeepC1xSivs
        $s3App4BookC5InnerO4DeepC2upACvg
        $s3App4BookC5InnerO4DeepC2upACvs
        $s3App4BookC5InnerO4DeepC5otherAGSgvg
        $s3App4BookC5InnerO4DeepC5otherAGSgvs
        $s3App4BookC5aliasSSSgvg
        $s3App4BookC5aliasSSSgvs
        $s3App4BookC5date120FoundationEssentials4DateVSgvg
        $s3App4BookC5date120FoundationEssentials4DateVSgvs
        $s3App4BookC5date220FoundationEssentials4DateVvg
        $s3App4BookC5date220FoundationEssentials4DateVvs
        $s3App4BookC5innerAC5InnerO4DeepCSgvg
        $s3App4BookC5innerAC5InnerO4DeepCSgvs
        $s3App4BookC5laterSDySSSiGSgvg
        $s3App4BookC5laterSDySSSiGSgvs
        $s3App4BookC5namesSDyS2SGSgvg
        $s3App4BookC5namesSDyS2SGSgvs
        $s3App4BookC5titleSSSgvg
        $s3App4BookC5titleSSSgvs
        $s3App4BookC6number10Foundation8NSNumberCSgvg
        $s3App4BookC6number10Foundation8NSNumberCSgvs
        $s3App4BookC6secret33_2BEF9C0BA08E42E259550B030F9D0E12LLSSSgvg
        $s3App4BookC6secret33_2BEF9C0BA08E42E259550B030F9D0E12LLSSSgvs
        $s3App4BookC7bookTagAA0D0Cvg
        $s3App4BookC7bookTagAA0D0Cvs
        $s3App4BookC7optKindAA0D0OSgvg
        $s3App4BookC7optKindAA0D0OSgvs
        $s3App4BookC9addToTagsyy10Foundation5NSSetCF
        $s3App4BookC9addToTagsyyAA3TagCF
        $s3App4BookCAASSvg
        $s3App4BookCAASSvs
        """

    private func accessors(_ source: String) -> (text: String, diagnostics: [Diagnostic]) {
        let declarations = DeclarationScanner.scan(Array(source.utf8), file: "/somewhere/a.swift")
        var index = SourceIndex()
        index.add(declarations, module: "App")
        return ManagedAccessors.source(declarations, index, module: "App", entities: ClassEntities([]))
    }

    @Test("are the compiler's") func names() {
        let found = accessors(Self.source)
        #expect(found.diagnostics.isEmpty)
        let names = found.text.split(separator: "\"").filter { $0.hasPrefix("$s") }.map(String.init)
        #expect(names.sorted() == Self.symbols.split(separator: "\n").map(String.init).sorted())
    }

    @Test("private properties have the compiler's digest of module and file") func digests() {
        #expect(MD5.hex("") == "D41D8CD98F00B204E9800998ECF8427E")
        #expect(MD5.hex("Appa.swift") == "2BEF9C0BA08E42E259550B030F9D0E12")
        #expect(MD5.hex(String(repeating: "1234567890", count: 8)) == "57EDF4A22BE3C955AC49DA2E2107B67A")
    }

    @Test(
        "a class without a name gives a warning with file, line and remedy",
        arguments: [
            (
                "class A {\n  @NSManaged var x: Elsewhere?\n}", 2,
                "as 'Elsewhere' is neither in these sources nor a type known here"
            ),
            (
                "class A {\n  @NSManaged var x: Elsewhere?\n}", 2,
                "Write instead: var x: Elsewhere? { get { value(forKey: \"x\") as! Elsewhere? }"
            ),
            (
                "class A { enum B: Int { case c }\n}\nclass D {\n@NSManaged var x: (Int, Int)\n}", 4,
                "for the type '(Int, Int)'"
            ),
            (
                "private enum B: Int { case c }\nclass D { @NSManaged fileprivate var x: B\n}", 2,
                "as 'B' is private: make it internal"
            ),
            (
                "class A<T> {}\nextension A where T == Int {\n@NSManaged var x: Int\n}", 3,
                "the extension has a where clause"
            ),
            ("func f() {\n  class A { @NSManaged var x: Int }\n}", 2, "inside of a function"),
            ("class A {\n@NSManaged func doSomething(_ x: Int)\n}", 2, "nothing is known of a method of this form"),
        ])
    func unnamed(source: String, line: Int, sentence: String) {
        let found = accessors(source).diagnostics
        #expect(found.count == 1)
        #expect(
            found.first?.file == "/somewhere/a.swift" && found.first?.line == line && found.first?.severity == .warning)
        #expect(found.first?.message.contains(sentence) == true, "\(found)")
    }

    @Test("conditions around a property are also around its accessors") func conditions() {
        let text = accessors("class A {\n#if DEBUG\n@NSManaged var x: Int\n#else\n@NSManaged var y: Int\n#endif\n}")
            .text
        #expect(text.contains("#if DEBUG\nextension A {"))
        #expect(text.contains("#if !(DEBUG)\nextension A {"))
        #expect(text.components(separatedBy: "#endif").count == 3)
    }

    @Test("comments, strings and closures hide nothing and show nothing") func lexing() {
        let source = ##"""
            /* @NSManaged var a: Int /* } */ @NSManaged var b: Int */
            class A: NSManagedObject { // @NSManaged var c: Int
                let x = "}\("}" + { "{" }())", y = #"\"}"#, z = """
                    } class B {
                    """
                let pattern = /\{"/
                lazy var block = { (i: Int) -> Int in if i > 0 { return 1 }; return i / 2 }
                @NSManaged
                public var d: Int
                func f() { _ = [1].map { $0 } }
                @NSManaged var e: String?
            }
            """##
        let found = DeclarationScanner.scan(Array(source.utf8), file: "A.swift")
        #expect(found.types.map(\.path) == ["A"])
        #expect(found.properties.map(\.member.name) == ["d", "e"])
        #expect(found.properties.map(\.member.line) == [9, 11])
        #expect(found.unreachable.isEmpty)
    }
}
