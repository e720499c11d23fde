// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The permission of a user to work with an inferred model, with the corrections that the user knows.

import CoreDataModelFiles
package import Foundation

/// Lets commands that need a model take the inferred one of a store that keeps none.
///
/// Such a store opens for reading only: a save by guessed rules could lose values that the true model keeps.
package struct ModelInference: Sendable {
    /// A file of corrections (`ModelOverlay`); nil for none.
    package var overlay: URL?

    package init(overlay: URL? = nil) { self.overlay = overlay }

    /// The inferred model with the corrections.
    ///
    /// - Throws: `ToolError` with the place in the overlay.
    package func corrected(_ inferred: InferredModel) throws -> InferredModel {
        guard let overlay else { return inferred }
        return try ModelOverlay(overlay).applied(to: inferred)
    }
}

extension InferredModel {
    /// The model of a store of any kind that keeps none.
    ///
    /// - Throws: `ToolError` for a store that keeps its model, and for places of the overlay that do not fit.
    package init(store url: URL, overlay: URL? = nil) throws {
        let opened = try OpenedStore(url, inference: ModelInference(overlay: overlay))
        guard opened.origin != .cache else {
            throw ToolError("\(url.shownPlace) keeps its model: `decompile` writes it.")
        }
        self.init(document: opened.document, notes: opened.notes)
    }
}
