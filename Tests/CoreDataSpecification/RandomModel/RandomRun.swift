// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs a sequence of random work, and where it goes wrong looks for the shortest one that does.

import CoreDataTestSupport

struct RandomRun: Sendable {
    let kind: StoreKind
    let seed: UInt64
    /// nil draws it as well.
    var length: Int?
    /// Called with each step before it is taken: the last one is to blame when the program stops.
    var trace: (@Sendable (String) -> Void)?

    /// - Returns: nil when all is well; else the way to reproduce the failure.
    func report() throws -> String? {
        var choice = OperationChoice(seed: seed)
        let settings = choice.settings()
        let length = self.length ?? choice.length()
        trace?("seed \(seed), \(kind), \(settings)")
        let work = try RandomWork(kind, settings)
        var steps: [Operation] = []
        for _ in 0..<length {
            let step = choice.next(work.references, held: work.level.held.keys.sorted())
            steps.append(step)
            trace?("\(step)")
            let findings = try self.findings(step, work)
            if !findings.isEmpty { return describe(shortened(steps, settings), settings) }
        }
        return findings(atTheEndOf: work).isEmpty ? nil : describe(shortened(steps, settings), settings)
    }

    private func describe(_ steps: [Operation], _ settings: Settings) -> String {
        let findings = replay(steps, settings)
        return """
            OCD_SEED=\(seed) on \(kind), \(settings):
            \(steps.map { "    \($0)" }.joined(separator: "\n"))
            \(findings.map { "  ! \($0)" }.joined(separator: "\n"))
            """
    }

    /// An error that is thrown is a finding like any other.
    private func findings(_ step: Operation, _ work: RandomWork) throws -> [String] {
        do { return try work.perform(step) } catch { return ["\(step) threw \(error)"] }
    }

    private func findings(atTheEndOf work: RandomWork) -> [String] {
        do { return try work.finish() } catch { return ["at the end: \(error)"] }
    }

    /// The differences when only these steps are taken.
    private func replay(_ steps: [Operation], _ settings: Settings) -> [String] {
        do {
            let work = try RandomWork(kind, settings)
            for step in steps {
                let findings = try findings(step, work)
                if !findings.isEmpty { return findings }
            }
            return findings(atTheEndOf: work)
        } catch {
            return ["\(error)"]
        }
    }

    /// Leaves out pieces, smaller and smaller, as long as something still goes wrong.
    private func shortened(_ steps: [Operation], _ settings: Settings) -> [Operation] {
        var steps = steps
        var size = max(steps.count / 2, 1)
        while true {
            var start = 0
            var isShorter = false
            while start < steps.count {
                var shorter = steps
                shorter.removeSubrange(start..<min(start + size, steps.count))
                if replay(shorter, settings).isEmpty {
                    start += size
                } else {
                    steps = shorter
                    isShorter = true
                }
            }
            if size == 1, !isShorter { return steps }
            size = max(size / 2, 1)
        }
    }
}
