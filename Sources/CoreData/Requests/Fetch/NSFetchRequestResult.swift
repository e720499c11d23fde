// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The kinds of results of a fetch.

public import Foundation

/// What a fetch request's results may be: managed objects, their ids, dictionaries or numbers.
public protocol NSFetchRequestResult: NSObjectProtocol {}

extension NSManagedObjectID: NSFetchRequestResult {}
extension NSManagedObject: NSFetchRequestResult {}
extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}
