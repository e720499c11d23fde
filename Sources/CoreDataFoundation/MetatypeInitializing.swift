// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Gives classes initializers that can be called through a metatype, without `required` in subclasses.

/// The base protocol of initializers called through a metatype, as in `T(context: context)` or
/// `Self(managedObjectModel: model)`.
///
/// Through a metatype Swift calls only `required` initializers of a class, which every subclass would have to repeat.
/// Apple's classes are exempt, because Objective-C finds initializers at run time. Initializers of a protocol are
/// exempt as well, and a subclass may declare one with the same name. Programs neither conform to this protocol nor
/// use its name.
public protocol MetatypeInitializing: AnyObject {}
