// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States that XML stores are read as Apple's tools wrote them, and written byte for byte like them.

import Foundation
import ModelFilesTestSupport
import Testing

@testable import CoreDataModelFiles

@Suite("XML stores as documents") struct XMLStoreTests {
    private static let names = Fixtures.files("atomic", suffix: "")

    /// - Parameter piece: how many bytes the reader gets at once.
    private func rewritten(_ data: Data, piece: Int) throws -> Data {
        var position = 0
        var reader = try XMLStoreReader {
            defer { position += piece }
            return position < data.count ? data[position..<min(position + piece, data.count)] : nil
        }
        var result = Data()
        var writer = XMLStoreWriter { result.append($0) }
        try writer.begin(reader.header)
        var object = XMLStoreObject()
        while try reader.next(&object) { try writer.add(object) }
        try writer.end()
        return result
    }

    @Test("a store that is read and written as it is has the same bytes", .needsFixtures, arguments: names)
    func unchanged(name: String) throws {
        let data = try Fixtures.data("atomic/\(name)")
        #expect(try rewritten(data, piece: 256 << 10) == data)
        #expect(try rewritten(data, piece: 7) == data)
    }

    private static let start = """
        <?xml version="1.0"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

        <database>
            <databaseInfo>
                <version>134481920</version>
                <UUID>26DB3465-7557-48C2-B7A6-32732A519347</UUID>
                <nextObjectID>108</nextObjectID>
                <metadata></metadata>
            </databaseInfo>

        """

    private func failure(_ text: String) -> ModelFileError? {
        var error: ModelFileError?
        do { _ = try rewritten(Data(text.utf8), piece: 1000) } catch let found as ModelFileError { error = found } catch
        {}
        return error
    }

    @Test("text keeps every character that XML can hold, and metadata every kind of value")
    func values() throws {
        let header = XMLStoreHeader(
            uuid: UUID().uuidString, nextObjectID: 3,
            metadata: [
                "text": "<&>]]>\r\n\"'", "data": Data(0..<200), "date": Date(timeIntervalSince1970: 1_000_000_000),
                "yes": NSNumber(value: true), "real": NSNumber(value: 0.5), "number": NSNumber(value: -7),
                "list": ["a", ["b": NSNumber(value: 1)]] as [Any], "none": [String: Any](),
            ])
        var object = XMLStoreObject()
        object.type = "A\"<"
        object.number = 3
        object.properties = [
            .attribute(.init(name: "n", type: "string", text: "a\rb\r\nc\td & <e> ]]> &amp;\u{301}&\u{301}")),
            .attribute(.init(name: "d", type: "binary", isEncoded: true, text: "AAEC")),
            .relationship(.init(name: "r", count: "0/0", destination: "B", members: [4, 2, 9])),
        ]
        var data = Data()
        var writer = XMLStoreWriter { data.append($0) }
        try writer.begin(header)
        try writer.add(object)
        try writer.end()
        var pieces = [data]
        var reader = try XMLStoreReader { pieces.popLast() }
        #expect(NSDictionary(dictionary: reader.header.metadata).isEqual(NSDictionary(dictionary: header.metadata)))
        var found = XMLStoreObject()
        #expect(try reader.next(&found))
        #expect(found.type == object.type)
        #expect(found.properties == object.properties)
        #expect(try !reader.next(&found))
    }

    @Test(
        "each form of line end is read as a line feed in a text, and as a space in an attribute, in documents and pieces",
        arguments: [1, 7, 1000])
    func lineEnds(piece: Int) throws {
        let data = Data(
            (Self.start + "<object type=\"A\r\nB\rC\nD\" id=\"z1\"><attribute name=\"a\" type=\"string\">"
                + "a\rb\r\nc\nd\r\re</attribute></object></database>").utf8)
        var position = 0
        var reader = try XMLStoreReader {
            defer { position += piece }
            return position < data.count ? data[position..<min(position + piece, data.count)] : nil
        }
        var object = XMLStoreObject()
        #expect(try reader.next(&object))
        #expect(object.type == "A B C D")
        #expect(object.properties == [.attribute(.init(name: "a", type: "string", text: "a\nb\nc\nd\n\ne"))])
    }

    @Test(
        "a file that is no XML store is refused with a reason",
        arguments: [
            "", "   ", "<database/>", "<a></a>", "SQLite format 3",
            "<?xml version=\"1.0\" encoding=\"UTF-16\"?><database/>",
            "<!DOCTYPE a [<!ENTITY b \"c\">]><database/>",
            start.replacing("134481920", with: "1") + "</database>",
            start.replacing("26DB3465-7557", with: "x") + "</database>",
            start.replacing("108", with: "-1") + "</database>",
            start.replacing("<metadata>", with: "<metadata></metadata><metadata>") + "</database>",
            start + "<object type=\"A\" id=\"102\"></object></database>",
            start + "<object type=\"A\" id=\"z0\"></object></database>",
            start + "<object type=\"A\" id=\"z99999999999999999999\"></object></database>",
            start + "<object type=\"A\" id=\"z+1\"></object></database>",
            start + "<object id=\"z1\"></object></database>",
            start
                + "<object type=\"A\" id=\"z1\"><attribute name=\"a\" type=\"binary\" encoding=\"hex\">00</attribute></object></database>",
            start + "<thing></thing></database>",
            start
                + "<object type=\"A\" id=\"z1\"><attribute name=\"a\" type=\"string\"><b/></attribute></object></database>",
            start + "<object type=\"A\" id=\"z1\">text</object></database>",
            start
                + "<object type=\"A\" id=\"z1\"><attribute name=\"a\" type=\"string\">&b;</attribute></object></database>",
            start + "</database><database></database>",
            start + "</database>text",
        ])
    func refused(text: String) {
        #expect(failure(text) != nil)
    }

    @Test("a document cut at any place is refused") func cut() throws {
        let whole = Self.start + "    <object type=\"A\" id=\"z1\">\n    </object>\n</database>"
        #expect(failure(whole) == nil)
        for length in 0..<whole.utf8.count {
            #expect(failure(String(decoding: whole.utf8.prefix(length), as: UTF8.self)) != nil, "\(length)")
        }
    }

    @Test("elements nested without end are refused") func nesting() {
        let metadata = "<metadata><plist version=\"1.0\">" + String(repeating: "<array>", count: 100_000)
        #expect(failure(Self.start.replacing("<metadata>", with: metadata)) != nil)
    }
}
