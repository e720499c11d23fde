// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Says which modules come along with `import CoreData`, and gives the tour of the rooms.

@_exported public import CoreDataFoundation
@_exported public import Foundation

// Foundation has classes of these names that cannot be used, and both modules come along with this one: without a declaration
// of its own `CoreData.NSExpression` would be ambiguous, in the very place where programs say which one they mean.

/// An expression: a constant, a key path, a function and the like.
public typealias NSExpression = CoreDataFoundation.NSExpression
/// A predicate that compares what two expressions give.
public typealias NSComparisonPredicate = CoreDataFoundation.NSComparisonPredicate
