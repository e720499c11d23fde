// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The modules that come with `import SwiftData`, and the folders of this module.

// # The folders
//     Models     a model and the managed object that backs it
//     Values     how Swift's types become attributes
//     Schema     descriptions of classes, and the model for the engine that is made of them
//     Container  files, and opening them
//     Context    changes, and saving them
//     Fetching   descriptors, and typed predicates
//     Identity   names of records
//     Actors     contexts of actors
//     Versions   migration
//     History    earlier saves
//     Results    results that follow the store
//     Stores     custom stores
//     CoreData   bridges between both interfaces
//     Unsafe     code that the compiler does not check

@_exported public import CoreDataFoundation
@_exported public import Foundation
@_exported public import Observation
