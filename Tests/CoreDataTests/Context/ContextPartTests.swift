// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Parts of a context, each tested separately.

import Foundation
import Testing

@testable import CoreData

/// Proves: Contexts-1
@Suite("Parts of a context, each on its own") struct ContextPartTests {
    private struct Failure: Error {}

    @Test("a save inside a save is refused; one inside an announcement is not") func saves() throws {
        let progress = SaveProgress()
        try progress.begin()
        #expect(throws: (any Error).self) { try progress.begin() }
        var inner: Result<Void, any Error>?
        progress.announce { inner = Result { try progress.begin() } }
        try inner?.get()
        progress.end()
        #expect(!progress.isSaving)
    }

    @Test("announcements nest fifty saves and no more") func nested() {
        let progress = SaveProgress()
        func depth(_ known: Int) -> Int {
            guard (try? progress.begin()) != nil else { return known }
            var result = 0
            progress.announce { result = depth(known + 1) }
            return result
        }
        #expect(depth(0) == 50)
    }

    @Test("reads of a separate body do not fail the next save") func separateReads() {
        let failures = ReadFailures()
        let failure = failures.separating { failures.note(Failure()) }
        #expect(failure?.error is Failure)
        #expect(failures.current == nil)
    }

    @Test("an earlier failure survives a separate body") func earlierFailure() {
        let failures = ReadFailures()
        failures.note(Failure())
        let failure = failures.separating {}
        #expect(failure == nil)
        #expect(failures.current?.error is Failure)
        #expect(throws: Never.self) { try failures.throwing {} }
        #expect(failures.current?.error is Failure)
    }

    @Test("the failed reads of a body that throws them are forgotten") func thrownReads() {
        let failures = ReadFailures()
        #expect(throws: Failure.self) { try failures.throwing { failures.note(Failure()) } }
        #expect(failures.current == nil)
    }

    @Test("messages arrive once, in order; the first of them calls the receiver") func messages() {
        let queue = MessageQueue<Int>()
        #expect(queue.isEmpty)
        let first = queue.post(1)
        let second = queue.post(2)
        #expect(first && !second)
        #expect(queue.take() == [1, 2])
        #expect(queue.isEmpty)
        #expect(queue.take().isEmpty)
    }

    @Test("without a token a scope is not pinned, and each restart counts") func scope() {
        let scope = ReadScope()
        #expect(!scope.readsGeneration)
        let epoch = scope.epoch
        scope.restart()
        scope.advanceAfterSave()
        #expect(scope.epoch == epoch + 2)
        scope.token = .current
        scope.advanceBeforeMerge()
        #expect(scope.readsGeneration)
        #expect(scope.token === NSQueryGenerationToken.current)
    }
}
