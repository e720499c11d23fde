// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Defects that the simulation plants in a server, to prove that its checks find them.

package enum ServerFault: String, CaseIterable, Sendable {
    /// The numbers of batches and the clocks of counters are not remembered (Y1).
    case forgetsNumbers
    /// The change that arrives last wins, whatever its stamp (Y2).
    case ignoresStamps
    /// Each change of a group is applied or refused alone (Y3).
    case splitsGroups
    /// An inserted record with the unique values of another takes them away from it (Y6).
    case replacesUnique
    /// Records of hidden entities are sent (Y10).
    case revealsHidden
    /// Records outside of a device's shapes are sent, and links to them (Y10).
    case revealsForeign
    /// Records that leave a scope are not noted (Y10).
    case keepsLeft
    /// Records outside of a user's shapes may be changed (Y10).
    case writesForeign
    /// Former names of renamed properties are not translated (Y5).
    case forgetsNames
    /// The first page of a pull is called the last one (Y2).
    case skipsMoved
    /// Deletions are forgotten that a replica has not applied (Y2).
    case forgetsUnseen
    /// Tags of members are collected that a replica has not seen (Y2).
    case settlesUnseen
    /// A record keeps its origin when another device changes it (Y4).
    case keepsOrigin
    /// The form of a changed record is not made again, and counts for its new revision (Y2).
    case keepsForm
    /// Only the first batch of a shared save is applied, and all are answered (Y5).
    case dropsShared
    /// A batch is taken without the bytes of its large values (Y5).
    case takesMissing
    /// Bytes that do not have their hash are kept (Y2).
    case keepsDamaged
    /// The bytes of records outside of a user's shapes are given (Y10).
    case givesForeign
    /// A link that follows from another record's change has the newest stamp of the batch (Y2).
    case stampsLinksLate
}
