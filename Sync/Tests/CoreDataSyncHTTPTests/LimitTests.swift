// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The counters of the limits, and the tokens.
import CoreDataSyncCompression
import CoreDataSyncProtocol
import Foundation
import Logging
import Testing

@testable import CoreDataSyncHTTP

@Suite("Limits of requests") struct LimitTests {
    @Test("the depth and the changes of JSON are counted without decoding it")
    func shape() throws {
        let push = try JSONEncoder().encode(Sample.push(changes: 12, text: #"[[[{"\"{{"#))
        let shape = JSONShape(push)
        #expect(shape.items == 12)
        #expect(shape.depth == 6)
        #expect(JSONShape(Data(String(repeating: "[", count: 100_000).utf8)).depth == 100_000)
        #expect(JSONShape(Data(#"{"schema":{"entities":{"a":{}}}}"#.utf8)).items == 0)
    }

    @Test("a bucket gives its burst at once and then its rate")
    func bucket() {
        let limit = RateLimit<String>(rate: 10, burst: 3)
        let start = ContinuousClock.now
        let first = (0..<3).map { _ in limit.take("a", now: start) }
        #expect(first == [nil, nil, nil])
        #expect(abs((limit.take("a", now: start) ?? 0) - 0.1) < 1e-9)
        #expect(limit.take("b", now: start) == nil, "another key has its own bucket")
        #expect(limit.take("a", now: start + .milliseconds(100)) == nil)
        #expect(limit.take("a", now: start + .milliseconds(100)) != nil)
        let later = (0..<4).map { _ in limit.take("a", now: start + .seconds(60)) == nil }
        #expect(later == [true, true, true, false], "a bucket never holds more than its burst")
    }

    @Test("many keys do not fill the memory, and an emptied bucket stays empty")
    func manyKeys() {
        let limit = RateLimit<Int>(rate: 1, burst: 2, mostBuckets: 100)
        let start = ContinuousClock.now
        let spent = [limit.take(-1, now: start), limit.take(-1, now: start)]
        #expect(spent == [nil, nil])
        for key in 0..<10_000 { _ = limit.take(key, now: start) }
        #expect(limit.take(-1, now: start) != nil)
    }

    @Test("held bytes are bounded, and come back")
    func held() {
        let size = HeldSize(limit: 10)
        let taken = [size.take(6), size.take(5), size.take(4)]
        #expect(taken == [true, false, true])
        size.giveBack(6)
        #expect(size.held == 4)
        #expect(size.take(6))
    }

    @Test("streams are bounded by user and in all, and a place is free again when its stream goes")
    func streams() {
        var limits = HTTPLimits()
        limits.streams = 3
        limits.userStreams = 2
        let streams = OpenStreams(limits: limits)
        var places = [StreamPlace(of: "ann", in: streams), StreamPlace(of: "ann", in: streams)]
        #expect(StreamPlace(of: "ann", in: streams) == nil)
        places.append(StreamPlace(of: "bob", in: streams))
        #expect(StreamPlace(of: "eve", in: streams) == nil)
        #expect(streams.count == 3)
        places.removeFirst()
        #expect(StreamPlace(of: "eve", in: streams) != nil)
    }

    @Test(
        "an accepted encoding is found by its name and weight",
        arguments: [
            ("gzip", "gzip"), ("deflate, gzip", "deflate"), ("br;q=1.0, gzip;q=0.8, *;q=0.1", "gzip"),
            ("gzip;q=0, deflate; q=0.5", "deflate"), ("gzip;q=0", nil), ("br", nil), (nil, nil),
        ] as [(String?, String?)])
    func accepted(header: String?, name: String?) {
        #expect(AnswerBody.compression(header)?.rawValue == name)
    }
}

@Suite("Tokens") struct TokenTests {
    @Test("a table has users and their variables")
    func table() throws {
        let table = try TokenTable(
            text: "# tokens\n\n4a1f0c3b9d5e4f7a ann team=red city=\n  0123456789abcdef\tbob\r\n")
        #expect(table.count == 2)
        let ann = SyncUser(id: "ann", variables: ["team": .string("red"), "city": .string("")])
        #expect(table.user(of: "4a1f0c3b9d5e4f7a") == ann)
        #expect(table.user(of: "0123456789abcdef") == SyncUser(id: "bob"))
        #expect(table.user(of: "") == nil)
        #expect(table.user(of: "#") == nil)
    }

    @Test(
        "a wrong line is named by its number, without the token",
        arguments: [
            "0123456789abcde ann", "0123456789abcdef", "0123456789abcdef ann\n0123456789abcdef bob",
            "0123456789abcdef ann red", "0123456789abcdef ann =red",
        ])
    func wrongLine(text: String) throws {
        let error = #expect(throws: TokenTableError.self) { _ = try TokenTable(text: text) }
        #expect(error?.line == text.split(separator: "\n").count)
        #expect(error?.description.contains("0123456789") == false)
    }

    @Test("a changed file is read again, and a wrong one leaves the old tokens in force")
    func file() async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("tokens-" + UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: url) }
        try Data("0123456789abcdef ann\n".utf8).write(to: url)
        let log = LogText()
        let file = try TokenFile(url, logger: log.logger())
        #expect(file.user(of: "0123456789abcdef")?.id == "ann")

        try Data("fedcba9876543210 bob too\n".utf8).write(to: url)
        try await Task.sleep(for: .milliseconds(1_050))
        #expect(file.user(of: "0123456789abcdef")?.id == "ann")
        #expect(log.text.contains("line 1"))

        try Data("fedcba9876543210 robert\n".utf8).write(to: url)
        try await Task.sleep(for: .milliseconds(1_050))
        #expect(file.user(of: "0123456789abcdef") == nil)
        #expect(file.user(of: "fedcba9876543210")?.id == "robert")
        #expect(!log.text.contains("fedcba"))
    }
}
