// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Files, texts and names as an attacker would write them: each gives an error or an answer, in time and in bounds.

import CFaults
import CoreData
import CoreDataFoundation
import CoreDataModelFiles
import CoreDataTestSupport
import Foundation
import SQLiteDriver

/// A job is a reader; a case is one input that a seed and a number determine.
enum Hostile: Harness {
    static let name = "hostile"

    fileprivate enum Reader: String, CaseIterable {
        case corpus, fuzzed, statements, names, predicates, metadata, cache, archives, source, xml, binary, pages, log
    }

    static func jobs(_ options: Options) -> [String] {
        options.isPlanted ? ["predicates"] : Reader.allCases.map(\.rawValue)
    }

    static func work(_ job: String, _ options: Options, _ report: Report) {
        guard let reader = Reader(rawValue: job) else { return report.finding("no such job: \(job)") }
        do {
            let inputs = try HostileInputs(seed: options.seed)
            let limit = options.cases(short: reader.shortCount, long: 5_000_000)
            let cases = try reader.cases(inputs)
            let fixedCount = cases?.count ?? inputs.fixedCount(job)
            let count = fixedCount ?? limit
            for number in 1...max(count, 1) {
                guard number >= options.first, options.only == nil || number == options.only else { continue }
                if !options.isLong || options.only != nil || number % 64 == 1 || reader.isSlow
                    || fixedCount != nil
                {
                    report.begin(number, job)
                }
                let start = Bounds.processorSeconds()
                let place = try Place()
                ocd_watch(place.folder.path)
                if let cases { try cases[number - 1](place) } else { try run(reader, number, inputs, place) }
                if let path = ocd_outside() { report.finding("\(number) wrote at \(String(cString: path))") }
                ocd_watch(nil)
                let seconds = Bounds.processorSeconds() - start
                if seconds > Bounds.mostSeconds { report.finding("input \(number) took \(seconds) s") }
                if options.isPlanted { report.finding("planted") }
            }
            report.count("inputs of \(job)", max(count, 1))
            let most = Bounds.peakMegabytes()
            report.measure("most megabytes", most)
            if most > Bounds.mostMegabytes { report.finding("\(most) MB") }
        } catch {
            report.finding("\(error)")
        }
        report.done()
    }

    private static func run(_ reader: Reader, _ number: Int, _ inputs: HostileInputs, _ place: Place) throws {
        switch reader {
        case .corpus, .fuzzed: break
        case .statements:
            try inputs.write(inputs.sqlite, to: place.store)
            let connection = try Connection(url: place.store)
            for statement in inputs.statements[number - 1] { try? connection.execute(statement) }
            try connection.close()
            StoreUse.run(.walNormal, place)
        case .names:
            let url = place.folder.appendingPathComponent(inputs.names[number - 1])
            StoreUse.run(.walNormal, place, url)
        case .predicates:
            let text = String(decoding: inputs.predicate(number), as: UTF8.self)
            if let predicate = try? NSPredicate.parsing(text, arguments: []) {
                _ = predicate.description
            }
        case .metadata: try StoreTarget.metadata.feed(Data(inputs.mutated(inputs.metadata, number)), inputs, place)
        case .cache:
            try inputs.write(inputs.sqlite, to: place.store)
            let connection = try Connection(url: place.store)
            let cache = Data(inputs.mutated(inputs.cache, number))
            try connection.run("UPDATE Z_MODELCACHE SET Z_CONTENT = ?", [.blob(cache)])
            try connection.close()
            StoreUse.run(.walNormal, place)
        case .archives:
            let bytes = Data(inputs.mutated(inputs.archive, number))
            _ = try? ArchivedValue.decode(bytes)
            _ = try? KeyedModelReader.read(bytes)
            _ = try? ModelDocument(modelFile: bytes)
            _ = try? PropertyListBounds.values(of: bytes)
        case .source: _ = try? ModelDocument(modelFile: Data(inputs.mutated(inputs.source, number)))
        case .xml:
            try inputs.write(inputs.mutated(inputs.xml, number), to: place.store)
            StoreUse.run(.xml, place)
        case .binary:
            let damaged = inputs.mutated(inputs.binary, number)
            precondition(SealedBinary.sealed(inputs.binary) == inputs.binary, "the head or the checksum differs")
            // The checksum excludes nearly every damaged file, so most inputs get a valid one.
            try inputs.write(number.isMultiple(of: 4) ? damaged : SealedBinary.sealed(damaged), to: place.store)
            StoreUse.run(.binary, place)
        case .pages:
            try inputs.write(inputs.mutated(inputs.sqlite, number), to: place.store)
            StoreUse.run(.walNormal, place)
        case .log:
            try inputs.write(inputs.sqlite, to: place.store)
            try inputs.write(inputs.mutated(inputs.walLog, number), to: URL(filePath: place.store.path + "-wal"))
            StoreUse.run(.walNormal, place)
        }
    }
}

extension Hostile.Reader {
    fileprivate var isSlow: Bool { ![.predicates, .archives, .source].contains(self) }
    /// Inputs that are not derived from a number; nil for others.
    fileprivate func cases(_ inputs: HostileInputs) throws -> [(Place) throws -> Void]? {
        switch self {
        case .corpus: inputs.corpus
        case .fuzzed: try KeptInputs.cases(inputs)
        default: nil
        }
    }
    fileprivate var shortCount: Int { isSlow ? 120 : 4_000 }
}
