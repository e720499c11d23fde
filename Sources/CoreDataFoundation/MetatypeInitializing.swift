// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Gives classes the initializers that are called through a metatype, without `required` in subclasses.

/// Gives classes initializers that can be called through a metatype, as in `T(context: context)` or `Self(managedObjectModel: model)`.
///
/// Swift calls only `required` initializers of a class through a metatype, and every subclass would have to repeat the word.
/// Apple's classes are exempt, because Objective-C finds initializers at run time. The initializers of a protocol are exempt as
/// well, and a subclass may declare one with the same name. Do not conform to it, nor name it.
public protocol MetatypeInitializing: AnyObject {}
