// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Says which modules come along with `import CoreData`, and gives the tour of the rooms.

@_exported public import CoreDataFoundation
@_exported public import Foundation
