// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The types of a fetch's results.

public import Foundation

/// The possible results of a fetch request: managed objects, their ids, dictionaries or numbers.
public protocol NSFetchRequestResult: NSObjectProtocol {}

extension NSManagedObjectID: NSFetchRequestResult {}
extension NSManagedObject: NSFetchRequestResult {}
extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}
