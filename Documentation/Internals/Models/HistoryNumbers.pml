/* Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
 * The numbers of a history under concurrent commits on PostgreSQL: PostgreSQL-H1 to H4, PostgreSQL-F3, History-7,
 * History-8.
 *
 * Code: Sources/CoreDataPostgreSQL/Writing/ServerSave.swift (the token, then the question whether the store
 * records), History/ServerHistory.swift (record), ServerHistoryTables.swift (begin, remove),
 * PostgreSQLStore+History.swift (readHistory); Sources/CoreData/Stores/Relational/History/HistoryBounds (which
 * tokens are refused).
 *
 * Savers with one transaction each, which may be rolled back; a program that begins the history, removes or renews
 * it, and begins it again; a reader that goes on from token to token; one fail-over to a standby that may lack the
 * last commits. As on the server, a commit is seen first and gives up its locks afterwards, and a statement that has
 * waited for a row reads it again.
 *
 * Left out: rows and changes (a transaction is its number), retention and named readers (a purge moves `deleted`
 * only), tenants (each has a row of its own), a server that does not give its name.
 *
 * Mutations, each with the invariant that it breaks:
 *   SEQUENCE breaks nonePassed: the number is of a sequence, without a lock
 *   EARLY_RELEASE breaks ascending: the lock ends before the commit is seen
 *   OLD_NUMBER breaks ascending: a saver that waited for the lock counts from the number that it read before
 *   TWO_SNAPSHOTS breaks nonePassed: a reader reads the last number after the transactions, in another snapshot
 *   BEGINS_AT_ONCE breaks complete: a history begins without waiting for the tokens of savers
 *   QUESTION_FIRST breaks complete: the question is answered as of a moment before the token
 *   NO_GAP breaks nonePassed: after a fail-over numbers go on where the new server is
 *   NO_NUMBER_OF_REMOVAL breaks noneHidden: a removed history leaves no number out
 *   NO_NAME breaks nonePassed: a new store does not name its server before the first transaction of a history
 *   NO_GAP_OF_BEGINNING breaks noneHidden: a history that begins on another server goes on with the numbers there
 *   NO_GAP_OF_REMOVAL breaks noneHidden: a history that is removed or renewed after a fail-over leaves one number out
 */
#ifdef LONG
#define SAVERS 3
#else
#define SAVERS 2
#endif
#define READS 3
#define GAP 6  /* more than a server can have lost */
#define NUMBERS 22
#define OWNER 9

#define max(a, b) ((a) > (b) -> (a) : (b))

/* What the server has committed: the row of ocd_history, and the numbers in ocd_history_transaction. */
typedef History { bool isOn; byte last; byte deleted; byte server; bool there[NUMBERS] };
History present;
/* The same on the standby. */
History kept;

byte server = 1;
bool hasFailed;
byte rowLock;          /* of the row of ocd_history: the saver, or OWNER */
byte tokens;           /* the savers that hold the lock of an inserted token */
bool tokensAreLocked;  /* by the program that begins the history */
byte sequence;

/* The reader: its token, the transactions that it has met, and whether the server, and the standby, have a
 * commit that is recorded nowhere, and that it has not read. */
bool hasToken;
byte token;
bool isMet[NUMBERS];
bool isUnrecorded;
bool keptUnrecorded;

/* The observers. */
bool isPassed;
bool isUnordered;
bool isMissing;
bool isHidden;

ltl nonePassed { [] (!isPassed) }
ltl ascending { [] (!isUnordered) }
ltl complete { [] (!isMissing) }
ltl noneHidden { [] (!isHidden) }

/* The transactions of a server that was left are rolled back. */
#define IS_LOST (mine != server)

inline copy(from, to) {
    to.isOn = from.isOn; to.last = from.last; to.deleted = from.deleted; to.server = from.server;
    for (i : 1 .. NUMBERS - 1) { to.there[i] = from.there[i] }
    i = 0
}

/* The numbers to go on by. */
#define IS_OTHER (present.server != 0 && present.server != server)
#define STEP (IS_OTHER -> GAP : 1)

proctype Saver(byte me) {
    byte mine, number, next;
    bool records;
    mine = server;
#ifdef QUESTION_FIRST
    records = present.isOn;
#endif
    atomic { !tokensAreLocked || IS_LOST -> tokens = (IS_LOST -> tokens : tokens + 1) };
#ifndef QUESTION_FIRST
    records = present.isOn;
#endif
    if
    :: records ->
#ifdef SEQUENCE
        atomic { sequence++; number = sequence }
#else
#ifdef OLD_NUMBER
        next = present.last + 1;
#endif
        atomic {
            rowLock == 0 || IS_LOST ->
            if
            :: IS_LOST || !present.isOn -> skip  /* removed since: it is not recorded */
            :: else ->
                rowLock = me;
#ifdef OLD_NUMBER
                number = next
#else
#ifdef NO_GAP
                number = present.last + 1
#else
                number = present.last + STEP
#endif
#endif
            fi
        };
#ifdef EARLY_RELEASE
        atomic { rowLock = (rowLock == me && !IS_LOST -> 0 : rowLock) }
#endif
#endif
    :: else -> skip
    fi;
    if
    :: atomic {  /* COMMIT: it is seen */
            !IS_LOST ->
            if
            :: number != 0 ->
                isUnordered = isUnordered || number <= present.last;
                isPassed = isPassed || (hasToken && number <= token);
                present.last = max(present.last, number);
                present.server = server;
                present.there[number] = true;
                isMet[number] = false
            :: else ->
                isMissing = isMissing || present.isOn;
                isUnrecorded = true
            fi
        }
    :: skip  /* ROLLBACK, or the server is lost */
    fi;
    atomic {
        rowLock = (rowLock == me && !IS_LOST -> 0 : rowLock);
        tokens = (IS_LOST -> tokens : tokens - 1)
    }
}

inline begin() {
    mine = server;
#ifndef BEGINS_AT_ONCE
    atomic { tokens == 0 || IS_LOST -> tokensAreLocked = !IS_LOST };
#endif
    atomic { rowLock == 0 || IS_LOST -> rowLock = (IS_LOST -> rowLock : OWNER) };
    atomic {
        if
        :: !IS_LOST ->
#ifndef NO_NAME
#ifndef NO_GAP_OF_BEGINNING
            if
            :: IS_OTHER -> present.last = present.last + GAP; present.deleted = present.last
            :: else -> skip
            fi;
#endif
            present.server = server;
#endif
            present.isOn = true
        :: else -> skip
        fi
    };
    unlock()
}

/* `remove`; and `succession`, where the history goes on, but all objects have new keys. */
inline remove() {
    mine = server;
    atomic { rowLock == 0 || IS_LOST -> rowLock = (IS_LOST -> rowLock : OWNER) };
    atomic {
        if
        :: !IS_LOST && present.isOn ->
            if
            :: present.isOn = false
            :: isUnrecorded = true
            fi;
#ifndef NO_NUMBER_OF_REMOVAL
#ifdef NO_GAP_OF_REMOVAL
            present.last = present.last + 1;
#else
            present.last = present.last + STEP;
            present.server = server;
#endif
#endif
            present.deleted = present.last;
            for (i : 1 .. NUMBERS - 1) { present.there[i] = false }
            i = 0
        :: else -> skip
        fi
    };
    unlock()
}

inline unlock() {
    atomic {
        if
        :: !IS_LOST -> rowLock = (rowLock == OWNER -> 0 : rowLock); tokensAreLocked = false
        :: else -> skip
        fi
    }
}

proctype Owner() {
    byte mine, i;
    begin();
    remove();
    begin()
}

/* Marks what a snapshot shows. */
inline meet() {
    for (i : 1 .. NUMBERS - 1) { isMet[i] = isMet[i] || present.there[i] }
    i = 0
}

inline lookBack() {
    for (i : 1 .. NUMBERS - 1) { isPassed = isPassed || (i <= token && present.there[i] && !isMet[i]) }
    i = 0
}

proctype Reader() {
    byte reads, i;
    do
    :: reads < READS ->
        atomic {
            reads++;
            if
            :: !present.isOn -> skip
            :: present.isOn && (!hasToken || token > present.last || token < present.deleted) ->
                meet();  /* refused: it reads all rows anew */
                isUnrecorded = false; keptUnrecorded = false;
                hasToken = true;
                token = present.last
            :: else ->
                isHidden = isHidden || isUnrecorded;
                meet();
#ifndef TWO_SNAPSHOTS
                token = present.last;
                lookBack()
#endif
            fi
        };
#ifdef TWO_SNAPSHOTS
        atomic { token = (hasToken -> max(token, present.last) : 0); lookBack() }
#endif
    :: else -> break
    od
}

proctype Standby() {
    byte i;
end:
    do
    :: atomic { !hasFailed -> copy(present, kept); keptUnrecorded = isUnrecorded }
    :: atomic {
            !hasFailed ->
            hasFailed = true;
            copy(kept, present); isUnrecorded = keptUnrecorded;
            server = 2; rowLock = 0; tokens = 0; tokensAreLocked = false
        }
    od
}

init {
    byte i;
    atomic {
#ifndef NO_NAME
        present.server = 1; kept.server = 1;
#endif
        for (i : 1 .. SAVERS) { run Saver(i) }
        run Owner();
        run Reader();
        run Standby();
        i = 0
    }
}
