// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs a sequence of random work, and searches the shortest part of it that fails.

import CoreDataTestSupport

struct RandomRun: Sendable {
    let kind: StoreKind
    let seed: UInt64
    /// nil draws this as well.
    var length: Int?
    /// Called before each step, so that the last one is known if the program traps.
    var trace: (@Sendable (String) -> Void)?

    /// - Returns: nil for a run without findings; else the way to reproduce the failure.
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
            if !findings.isEmpty { return describe(steps, settings) }
        }
        return findings(atTheEndOf: work).isEmpty ? nil : describe(steps, settings)
    }

    private func describe(_ steps: [Operation], _ settings: Settings) -> String {
        let steps = steps.shortened { !replay($0, settings).isEmpty }
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

    /// The differences after only these steps.
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
}
