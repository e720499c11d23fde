// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The step of the running save, which decides whether another save is refused or nested.

/// # States
///     idle ──begin──▶ saving ──written──▶ announcing ──▶ idle
/// In `saving` another save is refused. In `announcing` another one may begin, nested up to `mostNested` levels.
final class SaveProgress {
    private static let mostNested = 50

    @exclusivity(unchecked) private(set) var isSaving = false
    @exclusivity(unchecked) private var announcing = 0

    /// - Throws: 134060 if a save cannot begin.
    func begin() throws {
        if isSaving {
            throw CoreDataError.general(
                "`save()` was called while the context is saving: in `willSave`, in a validation, or by an observer of the will-save "
                    + "notification. The save that runs has the changes that were made there.")
        }
        if announcing == Self.mostNested {
            throw CoreDataError.general(
                "`didSave`, or an observer of a did-save notification, saved again \(Self.mostNested) times, one save inside the "
                    + "other: let it save only what differs.")
        }
        isSaving = true
    }

    func end() { isSaving = false }

    /// Everything is written: the body may save again.
    func announce(_ body: () -> Void) {
        isSaving = false
        announcing += 1
        defer { announcing -= 1 }
        body()
    }
}
