// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States the meaning of the XML of a model source, and which XML is refused.

import Foundation
import ModelFilesTestSupport
import Testing

@testable import CoreDataModelFiles

@Suite("Reading model sources") struct ModelXMLReaderTests {
    @Test("every model source of the fixtures is read", .needsFixtures)
    func fixtures() throws {
        for name in Fixtures.files("models", suffix: ".xml") {
            let document = try ModelXMLReader.read(try Fixtures.data("models/\(name)"))
            #expect(document.entities.map(\.name) == document.entities.map(\.name).sorted(), "\(name)")
        }
    }

    @Test("a default value has the class of its attribute's type")
    func defaults() throws {
        let entity = try entity(
            """
            <attribute name="a" attributeType="Integer 16" defaultValueString="-3"/>
            <attribute name="b" attributeType="Boolean" defaultValueString="YES"/>
            <attribute name="c" attributeType="Double" defaultValueString="0.5"/>
            <attribute name="d" attributeType="Decimal" defaultValueString="3.30"/>
            <attribute name="e" attributeType="String" defaultValueString=""/>
            <attribute name="f" attributeType="Date" defaultDateTimeInterval="388411200" defaultValueString="then"/>
            <attribute name="g" attributeType="UUID" defaultValueString="CBE5D1E7-FBD6-43B3-A714-000000000001"/>
            <attribute name="h" attributeType="URI" defaultValueString="https://swift.org/"/>
            <attribute name="i" attributeType="Integer 64"/>
            """)
        let uuid = try #require(UUID(uuidString: "CBE5D1E7-FBD6-43B3-A714-000000000001"))
        let url = try #require(URL(string: "https://swift.org/"))
        let expected: [PropertyListValue?] = [
            .integer(-3), .boolean(true), .real(0.5), .decimal(try #require(Decimal(string: "3.3"))), .string(""),
            .date(Date(timeIntervalSinceReferenceDate: 388_411_200)), .uuid(uuid), .url(url), nil,
        ]
        #expect(entity.attributes.map(\.defaultValue) == expected)
    }

    /// Decided by `NSPropertyDescription.validationPredicates` and `validationWarnings` of a model that `momc`
    /// compiled.
    @Test("limits become predicates with the codes of validation errors", .tags(.assumed))
    func limits() throws {
        let entity = try entity(
            """
            <attribute name="a" attributeType="Integer 16" minValueString="-3" maxValueString="9"/>
            <attribute name="b" attributeType="Double" minValueString="0" maxValueString="3.5"/>
            <attribute name="c" attributeType="String" minValueString="3" maxValueString="10"
                regularExpressionString="\\d&quot;"/>
            <attribute name="d" attributeType="Date" minDateTimeInterval="284000400" maxDateTimeInterval="602395200"/>
            """)
        let expected: [[ModelDocument.Validation]] = [
            [validation("SELF >= -3", 1620), validation("SELF <= 9", 1610)],
            [validation("SELF >= 0", 1620), validation("SELF <= 3.5", 1610)],
            [
                validation("length >= 3", 1670), validation("length <= 10", 1660),
                validation(#"SELF MATCHES "\\d\"""#, 1680),
            ],
            [
                validation(#"SELF >= CAST(284000400.000000, "NSDate")"#, 1640),
                validation(#"SELF <= CAST(602395200.000000, "NSDate")"#, 1630),
            ],
        ]
        #expect(entity.attributes.map(\.traits.validations) == expected)
        #expect(entity.attributes.map(\.minimum) == ["-3", "0", "3", nil])
    }

    @Test("an attribute keeps its value in the history only where the source says so") func preservedValues() throws {
        let entity = try entity(
            """
            <attribute name="a" attributeType="String" preserveAfterDeletion="YES"/>
            <attribute name="b" attributeType="String" preserveAfterDeletion="NO"/>
            <attribute name="c" attributeType="String"/>
            """)
        #expect(entity.attributes.map(\.preservesValueInHistoryOnDeletion) == [true, false, false])
    }

    @Test("an inverse is one of the entity that the source names, also if that is a subentity of the destination")
    func inverseEntity() throws {
        let document = try ModelXMLReader.read(
            Data(
                """
                <model>
                    <entity name="Item">
                        <relationship name="owner" maxCount="1" destinationEntity="Base" inverseName="items" inverseEntity="Sub"/>
                    </entity>
                    <entity name="Base"/>
                    <entity name="Sub" parentEntity="Base">
                        <relationship name="items" toMany="YES" destinationEntity="Item" inverseName="owner" inverseEntity="Item"/>
                    </entity>
                </model>
                """.utf8))
        let hierarchy = ModelHierarchy(document)
        let item = try #require(hierarchy.entities["Item"])
        let inverse = hierarchy.namedInverse(of: try #require(item.relationships.first))
        #expect(inverse?.entity.name == "Sub" && inverse?.name == "items")
    }

    @Test("index marks from before 2017 become fetch indexes")
    func legacyIndexes() throws {
        let entity = try entity(
            """
            <attribute name="b" attributeType="String" indexed="YES"/>
            <attribute name="a" attributeType="String" indexed="YES"/>
            <compoundIndexes>
                <compoundIndex><index value="a"/><index value="b"/></compoundIndex>
                <compoundIndex><index value="b"/><index value="a"/></compoundIndex>
            </compoundIndexes>
            """)
        #expect(entity.indexes.map(\.name) == ["a", "b", "compoundIndex", "compoundIndex1"])
        #expect(entity.indexes.map { $0.elements.map(\.property) } == [["a"], ["b"], ["a", "b"], ["b", "a"]])
    }

    @Test("the elements of a composite are in their declared order, nested ones too")
    func composites() throws {
        let document = try ModelXMLReader.read(
            Data(
                """
                <model>
                <entity name="E"><attribute name="place" attributeType="Composite" composite="Place"/></entity>
                <composite name="Place"><attribute name="y" attributeType="Double"/>
                <attribute name="inner" attributeType="Composite" composite="Inner"/></composite>
                <composite name="Inner"><attribute name="x" attributeType="Double"/></composite>
                </model>
                """.utf8))
        let place = try #require(document.entities.first?.attributes.first)
        #expect(place.elements.map(\.traits.name) == ["y", "inner"])
        #expect(place.elements[1].elements.map(\.traits.name) == ["x"])
        #expect(document.composites.map(\.name) == ["Inner", "Place"])
    }

    @Test("a composite inside itself is refused")
    func cyclicComposite() {
        let xml = """
            <model><composite name="A"><attribute name="b" attributeType="Composite" composite="B"/></composite>
            <composite name="B"><attribute name="a" attributeType="Composite" composite="A"/></composite></model>
            """
        #expect(failure(xml)?.kind == .malformedXML(line: 1))
    }

    @Test("malformed XML is refused with its line")
    func malformed() {
        #expect(failure("<model>\n<entity name=\"A\">\n</model>")?.kind == .malformedXML(line: 3))
        #expect(failure("<plist/>")?.kind == .malformedXML(line: 1))
        #expect(failure("<model>\n<entity/></model>")?.kind == .malformedXML(line: 2))
        #expect(failure("") != nil)
        let unknown =
            "<model>\n<entity name=\"A\"><attribute name=\"a\" attributeType=\"Quaternion\"/></entity>\n</model>"
        #expect(failure(unknown)?.kind == .unknownType("Quaternion"))
        #expect(failure(unknown)?.explanation == "'A.a': The attribute 'a' has the unknown type 'Quaternion'.")
        #expect(failure(unknown)?.line == 2)
    }

    @Test("all mistakes of a model are reported at once, each with its place and line, in the order of the file")
    func everyMistake() throws {
        let xml = """
            <model>
            <entity name="A">
            <attribute name="a" attributeType="Quaternion"/>
            <attribute attributeType="String"/>
            <attribute name="d" attributeType="Date" defaultDateTimeInterval="now" minDateTimeInterval="then"/>
            <relationship name="r" maxCount="many" minCount="few" deletionRule="Explode"/>
            <fetchedProperty name="f"/>
            <fetchIndex name="i"><fetchIndexElement/></fetchIndex>
            <userInfo><entry value="1"/></userInfo>
            <uniquenessConstraints><uniquenessConstraint><constraint/></uniquenessConstraint></uniquenessConstraints>
            </entity>
            <entity>
            <attribute name="b" attributeType="Spinor"/>
            <attribute name="p" attributeType="Composite" composite="P"/>
            </entity>
            <composite name="P">
            <attribute name="x" attributeType="Tensor"/>
            </composite>
            <composite name="P"/>
            <fetchRequest name="q" fetchLimit="all"/>
            <configuration name="c"><memberEntity/></configuration>
            </model>
            """
        let error = try #require(failure(xml))
        func interval(_ name: String) -> String { "The attribute '\(name)' of <attribute> is" }
        let places: [(Int?, String)] = error.all.map { ($0.line, $0.explanation) }
        let expected: [(Int, String)] = [
            (3, "'A.a': The attribute 'a' has the unknown type 'Quaternion'."),
            (4, "'A': An element <attribute> has no 'name'."),
            (5, "'A.d': \(interval("defaultDateTimeInterval")) 'now' instead of a number of seconds."),
            (5, "'A.d': \(interval("minDateTimeInterval")) 'then' instead of a number of seconds."),
            (6, "'A.r': The attribute 'maxCount' of <relationship> is 'many' instead of a whole number."),
            (6, "'A.r': The attribute 'minCount' of <relationship> is 'few' instead of a whole number."),
            (6, "'A.r': The relationship 'r' has the unknown delete rule 'Explode'."),
            (7, "'A.f': The fetched property 'f' has no fetch request."),
            (8, "'A.i': An element of the index 'i' names no property."),
            (9, "'A': An <entry> has no 'key'."),
            (10, "'A': An element <constraint> has no 'value'."),
            (12, "An element <entity> has no 'name'."),
            (13, "'b': The attribute 'b' has the unknown type 'Spinor'."),
            (17, "'P.x': The attribute 'x' has the unknown type 'Tensor'."),
            (19, "'P': The composite 'P' is declared twice."),
            (20, "'q': The attribute 'fetchLimit' of <fetchRequest> is 'all' instead of a whole number."),
            (21, "'c': An element <memberEntity> has no 'name'."),
        ]
        #expect(places.map { "\($0.0 ?? 0) \($0.1)" } == expected.map { "\($0.0) \($0.1)" })
        let lines = error.description.split(separator: "\n")
        #expect(lines.count == error.all.count)
        #expect(lines.first == "'A.a': The attribute 'a' has the unknown type 'Quaternion'. (at line 3)")
    }

    @Test("references, comments, literal text and names beyond ASCII are read as XML has them")
    func details() throws {
        let xml = """
            \u{FEFF}<?xml version='1.0' encoding='UTF-8'?>
            <!-- a comment -- > still -->
            <!DOCTYPE model SYSTEM "nowhere.dtd">
            <model><![CDATA[<entity/>]]> text &amp; more
            <entity name = 'Größe' renamed&#x3A;not='x'/><entity name="a&lt;b&#65;&#x1F600;&quot;
            c"></entity ></model><!-- end -->
            """.replacingOccurrences(of: " renamed&#x3A;not='x'", with: "")
        let document = try ModelXMLReader.read(Data(xml.utf8))
        #expect(document.entities.map(\.name) == ["Größe", "a<bA😀\" c"].sorted())
    }

    @Test(
        "malformed XML is refused",
        arguments: [
            "<model a=\"1\" a=\"2\"/>", "<model a=1/>", "<model a=\"1\"b=\"2\"/>", "<model a=\"<\"/>",
            "<model>&x;</model>",
            "<model>&#0;</model>", "<model>&#xD800;</model>", "<model>& </model>", "<model/><model/>", "<model",
            "<model>",
            "<model></mode>", "</model>", "<!-- ", "<?xml", "<!DOCTYPE model", "<model a=\"", "< model/>", "<1/>",
            "x<model/>",
            "<model/>x", "<model><![CDATA[</model>", "<?xml encoding=UTF-8?><model/>",
        ])
    func refusedForms(xml: String) {
        let kind = failure(xml)?.kind
        guard case .malformedXML = kind else {
            Issue.record("\(xml) gave \(String(describing: kind))")
            return
        }
    }

    @Test("text that is not UTF-8 is refused")
    func encodings() {
        #expect(throws: ModelFileError.self) { try ModelXMLReader.read(Data([0x3C, 0xFF, 0x3E])) }
        #expect(throws: ModelFileError.self) {
            try ModelXMLReader.read(Data("<model/>".utf16.flatMap { [0, UInt8($0)] }))
        }
    }

    @Test("entities that multiply are refused before they are parsed")
    func billionLaughs() {
        var xml = "<?xml version=\"1.0\"?><!DOCTYPE model [<!ENTITY a \"ha\">"
        for (name, last) in zip("bcdefghij", "abcdefghi") {
            xml += "<!ENTITY \(name) \"\(String(repeating: "&\(last);", count: 10))\">"
        }
        xml += "]><model><entity name=\"&j;\"/></model>"
        #expect(failure(xml)?.kind == .unsupportedForm)
    }

    @Test("files outside the document are never read")
    func externalEntities() {
        let entity = "<!DOCTYPE model [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><model><entity name=\"&x;\"/></model>"
        #expect(failure(entity)?.kind == .unsupportedForm)
        #expect(failure("<!DOCTYPE model SYSTEM \"file:///nowhere.dtd\"><model/>") == nil)
        #expect(failure("<?xml version=\"1.0\" encoding=\"UTF-7\"?><model/>")?.kind == .unsupportedForm)
    }

    @Test("elements nested without end are refused")
    func depth() {
        let xml = String(repeating: "<model>", count: 100_000)
        #expect(failure(xml) != nil)
    }

    private func entity(_ body: String) throws -> ModelDocument.Entity {
        let document = try ModelXMLReader.read(Data("<model><entity name=\"E\">\(body)</entity></model>".utf8))
        return try #require(document.entities.first)
    }

    private func validation(_ format: String, _ code: Int64) -> ModelDocument.Validation {
        ModelDocument.Validation(format: format, warning: .integer(code))
    }

    private func failure(_ xml: String) -> ModelFileError? {
        do {
            _ = try ModelXMLReader.read(Data(xml.utf8))
            return nil
        } catch {
            return error as? ModelFileError
        }
    }
}
