// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One fault that makes a model unusable.

import Foundation

/// The place and the cause of a fault in a model.
package struct ModelFault: Equatable, CustomStringConvertible {
    /// The cause, as a sentence.
    package struct Cause: Equatable {
        package let sentence: String
        package init(_ sentence: String) { self.sentence = sentence }
    }

    /// nil for a fault of the model as a whole.
    package let entity: String?
    /// nil for a fault of the entity as a whole.
    package let property: String?
    package let cause: Cause

    package init(entity: String?, property: String? = nil, _ cause: Cause) {
        self.entity = entity
        self.property = property
        self.cause = cause
    }

    package init(entity: String?, property: String? = nil, _ sentence: String) {
        self.init(entity: entity, property: property, Cause(sentence))
    }

    package var description: String {
        switch (entity, property) {
        case (let entity?, let property?): "\(entity).\(property): \(cause.sentence)"
        case (let entity?, nil): "\(entity): \(cause.sentence)"
        case (nil, _): cause.sentence
        }
    }
}
