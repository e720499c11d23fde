// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks of the tables of a history, as SQL: each gives 0 for valid tables.

/// The rules for the tables of a history, written by any program.
public enum HistoryCheck {
    /// Rules of changes, which hold in every file.
    public static let ofChanges = [
        "SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)",
        "SELECT count(*) FROM (SELECT 1 FROM ACHANGE GROUP BY ZTRANSACTIONID, ZENTITY, ZENTITYPK HAVING count(*) > 1)",
        "SELECT count(*) FROM ACHANGE WHERE (ZCHANGETYPE = 1) <> (ZCOLUMNS IS NOT NULL)",
        "SELECT count(*) FROM ACHANGE a JOIN ACHANGE b ON b.Z_PK = a.Z_PK + 1 AND a.ZTRANSACTIONID = b.ZTRANSACTIONID "
            + "WHERE a.ZCHANGETYPE > b.ZCHANGETYPE",
    ]

    /// Rules of transactions and of the key rows, in files that this framework made.
    public static let ofTransactions = [
        "SELECT count(*) FROM ATRANSACTION WHERE Z_PK NOT IN (SELECT ZTRANSACTIONID FROM ACHANGE)",
        "SELECT count(*) FROM ATRANSACTION a JOIN ATRANSACTION b ON b.Z_PK = a.Z_PK + 1 WHERE b.ZTIMESTAMP <= a.ZTIMESTAMP",
        "SELECT (SELECT max(Z_PK) FROM ACHANGE) <> (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16001)",
        "SELECT (SELECT max(Z_PK) FROM ATRANSACTION) <> (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002)",
    ]
}
