// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Symbol names of generic classes, of private ones, and of types with several arguments.

import Foundation
import Testing

@testable import CoreDataGeneration

@Suite("Mangled names of generic and private classes") struct HiddenNameTests {
    /// `symbols` are the declarations that `swiftc -module-name M -emit-ir d.swift` (6.3.1, Linux) prints for it.
    private static let source = """
        import CoreData
        public struct Wrap<T> { var v: T }
        class Loose<T>: NSManagedObject { @NSManaged var v: T; @NSManaged var same: Loose<T>?; @NSManaged var same2: Loose?; @NSManaged var w: Wrap<T>?; @NSManaged var arr: [T] 
          class In<U>: NSManagedObject { @NSManaged var t: T; @NSManaged var u: U; @NSManaged var me: Loose<T>.In<U>?; @NSManaged var me2: In<U>? } 
         enum E: Int16 { case a }
         struct S<V> {}
         @NSManaged var e: E
         @NSManaged var s: S<Int>?
         @NSManaged var s2: Loose<String>.S<Int>?
         @NSManaged private var hidden: Int }
        class Two<A, B: Hashable>: NSManagedObject { @NSManaged var a: A; @NSManaged var b: Set<B>; @NSManaged func addToB(_ b: A) }
        extension Two { @NSManaged var third: Int }
        private extension Two { @NSManaged var fifth: Int }
        class Plain: NSManagedObject { private class Nest: NSManagedObject { private class Deeper: NSManagedObject { @NSManaged private var a: Nest?; @NSManaged var b: Set<Deeper> } 
           @NSManaged var x: Plain.Nest? }
           fileprivate struct SS {}
           @NSManaged private var n: Nest?
           @NSManaged private var m: [Nest]
              }
        private class Gen<T>: NSManagedObject { @NSManaged var i: Int; @NSManaged var t: T? }
        class ByAlias: NSManagedObject {
          typealias Tags = Set<Plain>
          @NSManaged var tags: Tags; @NSManaged var tagsO: Tags?; @NSManaged var arr: Array<Plain>; @NSManaged var opt: Optional<Tags>
          @NSManaged var d: [String: [Int]]?; @NSManaged var w: Wrap<[Plain]>?; @NSManaged var ww: Wrap<Wrap<String>>
        }
        func use(_ t: Two<Int, Int>) -> Int { t.fifth += 1; return t.fifth }
        """

    private static let symbols = """
        $s1M3Gen33_841B6C77041E0E518180666D8834EE2ELLC1iSivg
        $s1M3Gen33_841B6C77041E0E518180666D8834EE2ELLC1iSivs
        $s1M3Gen33_841B6C77041E0E518180666D8834EE2ELLC1txSgvg
        $s1M3Gen33_841B6C77041E0E518180666D8834EE2ELLC1txSgvs
        $s1M3TwoC1axvg
        $s1M3TwoC1axvs
        $s1M3TwoC1bShyq_Gvg
        $s1M3TwoC1bShyq_Gvs
        $s1M3TwoC5fifth33_841B6C77041E0E518180666D8834EE2ELLSivg
        $s1M3TwoC5fifth33_841B6C77041E0E518180666D8834EE2ELLSivs
        $s1M3TwoC5thirdSivg
        $s1M3TwoC5thirdSivs
        $s1M3TwoC6addToByyxF
        $s1M5LooseC1eAC1EOyx_Gvg
        $s1M5LooseC1eAC1EOyx_Gvs
        $s1M5LooseC1sAC1SVyx_SiGSgvg
        $s1M5LooseC1sAC1SVyx_SiGSgvs
        $s1M5LooseC1vxvg
        $s1M5LooseC1vxvs
        $s1M5LooseC1wAA4WrapVyxGSgvg
        $s1M5LooseC1wAA4WrapVyxGSgvs
        $s1M5LooseC2InC1txvg
        $s1M5LooseC2InC1txvs
        $s1M5LooseC2InC1uqd__vg
        $s1M5LooseC2InC1uqd__vs
        $s1M5LooseC2InC2meAEyx_qd__GSgvg
        $s1M5LooseC2InC2meAEyx_qd__GSgvs
        $s1M5LooseC2InC3me2AEyx_qd__GSgvg
        $s1M5LooseC2InC3me2AEyx_qd__GSgvs
        $s1M5LooseC2s2AC1SVySS_SiGSgvg
        $s1M5LooseC2s2AC1SVySS_SiGSgvs
        $s1M5LooseC3arrSayxGvg
        $s1M5LooseC3arrSayxGvs
        $s1M5LooseC4sameACyxGSgvg
        $s1M5LooseC4sameACyxGSgvs
        $s1M5LooseC5same2ACyxGSgvg
        $s1M5LooseC5same2ACyxGSgvs
        $s1M5LooseC6hidden33_841B6C77041E0E518180666D8834EE2ELLSivg
        $s1M5LooseC6hidden33_841B6C77041E0E518180666D8834EE2ELLSivs
        $s1M5PlainC1m33_841B6C77041E0E518180666D8834EE2ELLSayAC4NestAELLCGvg
        $s1M5PlainC1m33_841B6C77041E0E518180666D8834EE2ELLSayAC4NestAELLCGvs
        $s1M5PlainC1n33_841B6C77041E0E518180666D8834EE2ELLAC4NestAELLCSgvg
        $s1M5PlainC1n33_841B6C77041E0E518180666D8834EE2ELLAC4NestAELLCSgvs
        $s1M5PlainC4Nest33_841B6C77041E0E518180666D8834EE2ELLC1xAFSgvg
        $s1M5PlainC4Nest33_841B6C77041E0E518180666D8834EE2ELLC1xAFSgvs
        $s1M5PlainC4Nest33_841B6C77041E0E518180666D8834EE2ELLC6DeeperC1aAFSgvg
        $s1M5PlainC4Nest33_841B6C77041E0E518180666D8834EE2ELLC6DeeperC1aAFSgvs
        $s1M5PlainC4Nest33_841B6C77041E0E518180666D8834EE2ELLC6DeeperC1bShyAHGvg
        $s1M5PlainC4Nest33_841B6C77041E0E518180666D8834EE2ELLC6DeeperC1bShyAHGvs
        $s1M7ByAliasC1dSDySSSaySiGGSgvg
        $s1M7ByAliasC1dSDySSSaySiGGSgvs
        $s1M7ByAliasC1wAA4WrapVySayAA5PlainCGGSgvg
        $s1M7ByAliasC1wAA4WrapVySayAA5PlainCGGSgvs
        $s1M7ByAliasC2wwAA4WrapVyAFySSGGvg
        $s1M7ByAliasC2wwAA4WrapVyAFySSGGvs
        $s1M7ByAliasC3arrSayAA5PlainCGvg
        $s1M7ByAliasC3arrSayAA5PlainCGvs
        $s1M7ByAliasC3optShyAA5PlainCGSgvg
        $s1M7ByAliasC3optShyAA5PlainCGSgvs
        $s1M7ByAliasC4tagsShyAA5PlainCGvg
        $s1M7ByAliasC4tagsShyAA5PlainCGvs
        $s1M7ByAliasC5tagsOShyAA5PlainCGSgvg
        $s1M7ByAliasC5tagsOShyAA5PlainCGSgvs
        """

    private func accessors(_ source: String) -> (text: String, diagnostics: [Diagnostic]) {
        let declarations = DeclarationScanner.scan(Array(source.utf8), file: "/somewhere/d.swift")
        var index = SourceIndex()
        index.add(declarations, module: "M")
        return ManagedAccessors.source(declarations, index, module: "M", entities: ClassEntities([]))
    }

    @Test("are the compiler's") func names() {
        let found = accessors(Self.source)
        #expect(found.diagnostics.isEmpty, "\(found.diagnostics)")
        let names = found.text.split(separator: "\"").filter { $0.hasPrefix("$s") }.map(String.init)
        #expect(names.sorted() == Self.symbols.split(separator: "\n").map(String.init).sorted())
    }

    @Test("an invisible class has the accessors in its nearest visible superclass") func standIns() {
        let text = accessors(
            """
            class Base: NSManagedObject {}
            private class A: Base { @NSManaged var other: A?, all: Set<A>; private class B: A { @NSManaged var up: [B] } }
            """
        ).text
        #expect(!text.contains("extension A") && text.components(separatedBy: "extension NSManagedObject {").count == 4)
        #expect(text.contains("func _M_get0() -> Base? { _hidden(_named(\"other\"), \"A\", \"other\") }"))
        #expect(text.contains("func _M_set1(_ newValue: __owned Set<Base>) {"))
        #expect(text.contains("func _M_get2() -> Array<Base> {"))
        #expect(text.components(separatedBy: "@inline(never)").count == 7)
    }

    @Test("a private class where its objects cannot be checked is refused") func refused() {
        let source =
            "private class A: NSObject {}\nclass B: NSManagedObject { @NSManaged fileprivate var x: [String: A]? }"
        let found = accessors(source).diagnostics
        #expect(found.map(\.line) == [2])
        #expect(found.first?.message.contains("as 'A' is private: make it internal") == true)
    }

    @Test("nested types are found in superclasses") func inherited() {
        let found = accessors(
            """
            class Base: NSManagedObject { enum Kind: Int16 { case a }; class Leaf: NSManagedObject {} }
            class Middle: Base {}
            class Derived: Middle { @NSManaged var kind: Kind; @NSManaged var leaves: Set<Middle.Leaf> }
            """)
        #expect(found.diagnostics.isEmpty)
        #expect(found.text.contains("$s1M7DerivedC4kindAA4BaseC4KindOvg"))
        #expect(found.text.contains("$s1M7DerivedC6leavesShyAA4BaseC4LeafCGvg"))
    }

    @Test("private types of one name in two files are two") func twoFiles() {
        var index = SourceIndex()
        var declarations = SourceDeclarations()
        for file in ["a.swift", "b.swift"] {
            let source = "private class Twin: NSManagedObject { @NSManaged var other: Twin? }"
            declarations.add(DeclarationScanner.scan(Array(source.utf8), file: "/somewhere/\(file)"))
        }
        index.add(declarations, module: "M")
        let text = ManagedAccessors.source(declarations, index, module: "M", entities: ClassEntities([])).text
        for file in ["a.swift", "b.swift"] {
            let name = "_" + MD5.hex("M" + file)
            #expect(text.contains("$s1M4Twin\(name.utf8.count)\(name)LLC5otherADSgvg"))
        }
    }
}
