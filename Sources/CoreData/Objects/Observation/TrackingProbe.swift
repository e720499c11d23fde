// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Detects whether a read happens inside `withObservationTracking`.

import CRuntime
import Observation
import Synchronization

/// A registrar that does not belong to an object yet.
///
/// Swift's Observation has no API to ask whether a tracking scope is open. `ObservationRegistrar.access` does nothing
/// outside a scope. Inside one it adds the key path to a set, so it hashes the key path, and with it the argument of
/// the key path's subscript. The probe is that argument, and notices the hashing. The object that is read then takes
/// the registrar, which the scope already observes.
///
/// Observation-7, Observation-8.
final class TrackingProbe: Sendable {
    let registrar = ObservationRegistrar()
    private let subject: ProbedSubject
    private let path: PathToProbe

    /// Key paths are immutable and their argument is `Sendable`.
    private struct PathToProbe: @unchecked Sendable {
        let path: KeyPath<ProbedSubject, Bool>
    }

    init() {
        subject = ProbedSubject()
        path = PathToProbe(path: \ProbedSubject.[subject])
    }

    /// A probe for the next object.
    init(after probe: TrackingProbe) {
        subject = probe.subject
        path = probe.path
    }

    /// Whether the calling code is inside a tracking scope. If it is, the scope observes the registrar.
    @inline(__always) func isInScope() -> Bool {
        subject.wasHashed.store(false, ordering: .relaxed)
        registrar.access(subject, keyPath: path.path)
        return subject.wasHashed.load(ordering: .relaxed)
    }

    /// Makes reads use their probes from now on, if the program can open a scope. Called for each context, because code
    /// that opens scopes may be loaded after the first context was made.
    static func noticeScopes() {
        guard !areScopesNoticed.load(ordering: .relaxed), ocd_may_track_reads(),
            !areScopesNoticed.exchange(true, ordering: .relaxed)
        else { return }
        ocd_count_recorders(1)
    }

    private static let areScopesNoticed = Atomic(false)
}

/// Both the subject and the argument of a probe's key path.
private final class ProbedSubject: Observable, Hashable, Sendable {
    let wasHashed = Atomic(false)

    subscript(subject: ProbedSubject) -> Bool { false }

    static func == (left: ProbedSubject, right: ProbedSubject) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
        wasHashed.store(true, ordering: .relaxed)
        hasher.combine(ObjectIdentifier(self))
    }
}
