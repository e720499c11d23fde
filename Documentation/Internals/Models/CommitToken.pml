/* Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
 * A commit without an answer, and its token, on PostgreSQL: PostgreSQL-S1 to S3, PostgreSQL-T1 to T4, PostgreSQL-F1.
 *
 * Code: Sources/CoreDataPostgreSQL/Writing/ServerSave.swift (transaction, commit, end), TokenDecision.swift (run,
 * ask, endHolder), OpenServer.settleIndeterminate;
 * Sources/CoreData/Stores/Relational/Transactions/RelationalSave.swift.
 *
 * A program has one record to insert, and saves until a save succeeds or it gives up. Each attempt is a transaction
 * of its own. A COMMIT may arrive late or never; its answer may be lost; a deadlock or a dead process may end any
 * transaction. The primary has a synchronous standby, which may stand still for a while, and which replaces it once.
 *
 * Left out: conflicts with other programs (IndeterminateCommits-D7), batch requests (D5), the number of attempts
 * within one save, an asynchronous standby (PostgreSQL-F2: there acknowledged saves may be lost).
 *
 * Mutations, each with the invariant that it breaks:
 *   NO_VOID breaks once: the check is a query for the token, which does not wait for a transaction that holds it
 *   NO_SETTLE breaks once: the next save does not look up the token of the one before
 *   REPEATED breaks once: a save whose COMMIT was sent is repeated like one before COMMIT
 *   NO_COMMAND breaks kept: a COMMIT that the server answers with ROLLBACK counts as done
 *   CHECK_READS breaks kept: the check only reads a token that is there, and does not wait for the standby
 *   REFUSAL_IS_DONE breaks kept: an unknown end counts as done
 */
#ifdef LONG
#define ATTEMPTS 4
#else
#define ATTEMPTS 3
#endif
#define CHECKS 2  /* within the time of one decision */
#define NO_ONE 255

mtype = { none, open, refused, waiting, committed, aborted };
mtype = { unknown, done, undone };

/* Each attempt on the server: its transaction, which holds its token; its COMMIT, on the way; its connection. */
mtype transaction[ATTEMPTS];
bool isSent[ATTEMPTS];
bool isCut[ATTEMPTS];
/* The answer to COMMIT. */
bool isAnswered[ATTEMPTS];
bool isCommit[ATTEMPTS];
/* A token that a check has inserted, and whether the standby has it. */
bool isVoid[ATTEMPTS];
bool voidIsKept[ATTEMPTS];
/* The standby: the transactions that it has, and whether it replaces the primary. */
bool isKept[ATTEMPTS];
bool isPromoted;

/* The observers. */
byte rows;
bool isAcknowledged;

ltl once { [] (rows <= 1) }
ltl kept { [] (!isAcknowledged || rows >= 1) }

/* A backend of the server. */
proctype Backend(byte n) {
end:
    do
    :: atomic { transaction[n] == open -> transaction[n] = refused }  /* a failed statement */
    :: atomic { transaction[n] == open || transaction[n] == refused -> transaction[n] = aborted; isCut[n] = true }
    :: atomic {  /* COMMIT arrives */
            isSent[n] ->
            isSent[n] = false;
            if
            :: transaction[n] == open -> transaction[n] = waiting
            :: transaction[n] == refused ->
                transaction[n] = aborted;
                isAnswered[n] = !isCut[n]
            :: else -> skip
            fi
        }
    :: atomic {  /* the standby has it, so it is seen, and answered */
            transaction[n] == waiting && (isKept[n] || isPromoted) ->
            transaction[n] = committed;
            rows++;
            isAnswered[n] = !isCut[n];
            isCommit[n] = true
        }
    od
}

proctype Standby() {
    byte i;
end:
    do
    :: atomic {  /* it gets all there is; or stands still */
            !isPromoted ->
            for (i : 0 .. ATTEMPTS - 1) {
                isKept[i] = isKept[i] || transaction[i] == waiting || transaction[i] == committed;
                voidIsKept[i] = voidIsKept[i] || isVoid[i]
            }
            i = 0
        }
    :: atomic {
            !isPromoted ->
            isPromoted = true;
            rows = 0;
            for (i : 0 .. ATTEMPTS - 1) {
                if
                :: transaction[i] == none -> skip
                :: transaction[i] != none && isKept[i] -> transaction[i] = committed; rows++
                :: else -> transaction[i] = aborted
                fi;
                isVoid[i] = voidIsKept[i];
                isCut[i] = isCut[i] || transaction[i] != none;
                isSent[i] = false
            }
            i = 0
        }
    od
}

#define HOLDS(n) (transaction[n] == open || transaction[n] == refused || transaction[n] == waiting)

#ifdef NO_VOID
#define BLOCKS(n) false
#else
#define BLOCKS(n) HOLDS(n)
#endif

/* `TokenDecision.run`: `answer` for the transaction `n`. */
inline decide(n) {
    answer = unknown;
    checks = 0;
    do
    :: answer == unknown && checks < CHECKS ->
        checks++;
        if
        :: skip  /* no connection, or its answer is lost */
        :: atomic {
                !BLOCKS(n) ->
                isOfNew = isPromoted;
                if
                :: transaction[n] == committed ->
#ifndef CHECK_READS
                    isAwaited = true;
#endif
                    answer = done
                :: else ->
#ifndef NO_VOID
                    isVoid[n] = true; isAwaited = true;
#endif
                    answer = undone
                fi
            };
            if  /* the check is a write: its answer comes when the standby has it */
            :: atomic { !isAwaited || isOfNew || (answer == done -> isKept[n] : voidIsKept[n]) -> isAwaited = false }
            :: atomic { isAwaited -> isAwaited = false; answer = unknown }
            fi
        :: atomic {  /* the wait was too long: `endHolder` */
                HOLDS(n) ->
                if
                :: transaction[n] == waiting -> transaction[n] = committed; rows++
                :: else -> transaction[n] = aborted
                fi;
                isCut[n] = true
            }
        fi
    :: else -> break
    od
}

proctype Program() {
    byte attempt, checks, doubt = NO_ONE, present;
    bool isAwaited, isOfNew;
    mtype answer = unknown;

    do
    :: !isAcknowledged && attempt < ATTEMPTS ->
        /* a save, or one more attempt of it */
#ifndef NO_SETTLE
        if
        :: doubt != NO_ONE ->
            decide(doubt);
            if
            :: answer == unknown -> attempt++; goto thrown
            :: answer == done -> isAcknowledged = true; goto thrown  /* it goes on from its rows */
            :: answer == undone -> doubt = NO_ONE
            fi
        :: else -> skip
        fi;
#endif
        atomic { present = attempt; attempt++; transaction[present] = open };
        if
        :: isCut[present] -> goto thrown  /* repeated: nothing of it can be durable */
        :: atomic { isSent[present] = true }
        fi;
        if
        :: atomic {
                isAnswered[present] ->
#ifdef NO_COMMAND
                isAcknowledged = true
#else
                isAcknowledged = isCommit[present]
#endif
            }
        :: atomic {  /* a cut, or too long a silence */
                isCut[present] = true
            };
#ifndef REPEATED
            decide(present);
            if
            :: answer == done -> isAcknowledged = true
            :: answer == undone -> skip
            :: answer == unknown ->
#ifdef REFUSAL_IS_DONE
                isAcknowledged = true;
#endif
                doubt = present
            fi
#endif
        fi;
thrown: skip
    :: else -> break
    od
}

init {
    byte i;
    atomic {
        for (i : 0 .. ATTEMPTS - 1) { transaction[i] = none; run Backend(i) }
        run Standby();
        run Program();
        i = 0
    }
}
