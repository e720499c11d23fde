/* Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
 * The floor of reads on standbys: PostgreSQL-R1 to R9.
 *
 * Code: Sources/CoreDataPostgreSQL/Sessions/ReadPosition.swift, Standbys.swift, Standby.swift; OpenServer.read,
 * OpenServer.readPrimary; ServerSave.commit. The inline definitions below have the names of the methods. Each step
 * is one section under a lock of the code, or one answer of a server.
 *
 * One store, two threads with two operations and one (LONG: two each), two standbys, another program that writes. A
 * standby may start again once, and then has replayed less; a connection may be cut once.
 *
 * A read is too old if it lacks some commit that it must show. The model follows one commit, any one: a position is
 * true if it is at or behind that commit. All other commits only move positions that the model does not compare.
 *
 * Left out: a fail-over of the primary (PostgreSQL-F2), a primary that cannot be reached, the 15 ms of waiting (a
 * read asks a standby once), rows (a read is one statement), several stores with one floor.
 *
 * Mutations, each with the invariant that it breaks:
 *   NO_FORGET_WITHOUT_ANSWER breaks ownSaves: a COMMIT without an answer leaves the floor as it is
 *   OLD_START breaks neverBack: the position of an earlier start of a standby counts for the next start
 *   LATE_ANSWER breaks ownSaves: a position asked for before the floor was forgotten makes it known again
 *   KEEPS_RESULT breaks neverBack: a read that ends after its standby was left only makes the floor unknown
 *   TWO_STEPS breaks neverBack: the choice of a standby ends before its state does
 *   NO_POSITION_OF_SAVE breaks ownSaves: a save does not raise the floor
 *   POSITION_BEFORE_COMMIT breaks ownSaves: a save reads the position before its COMMIT
 *   NO_POSITION_OF_READ breaks neverBack: a read on the primary does not raise the floor
 *   NO_FORGET_AT_CHOICE breaks neverBack: another standby is read with the floor of the one before
 *   CURRENT_ONLY breaks neverBack (LONG): a standby that was left and chosen again counts as not left
 */
#ifdef LONG
#define OPERATIONS 2
#endif
#define THREADS 2
#define STANDBYS 2
#define RESTARTS 1  /* of all standbys */
#define CUTS 1      /* lost connections besides those to an earlier start */

#ifdef OLD_START
#define IS_OF_START true
#else
#define IS_OF_START (mark[s] == connection)
#endif
#ifdef CURRENT_ONLY
#define OPERATIONS 2
#define IS_CHOSEN (current == s)
#else
#define IS_CHOSEN (!isLeft[me])
#endif
#ifndef OPERATIONS
#define OPERATIONS 1
#endif
#ifdef LATE_ANSWER
#define COUNTS true
#else
#define COUNTS (!isLate[me])
#endif

/* The servers: whether each has the commit; the starts of the standbys. */
bool written;
bool replayed[STANDBYS + 1];
byte started[STANDBYS + 1];
byte restarts;
byte cuts;

/* `Standbys`: the standby that is read, 0 for none. Instead of the number of each choice, a bit of each thread that
 * says whether the choice has ended since the thread read it. */
byte current;
bool isLeft[THREADS];

/* `ReadPosition`. Instead of a count in tickets, a bit of each thread that says whether the floor became unknown
 * since. */
bool floor;
bool isKnown;
bool isLate[THREADS];

/* `Standby`: a position of the start `mark`; 0 for no start. */
bool position[STANDBYS + 1];
byte mark[STANDBYS + 1];
bool leftOut[STANDBYS + 1];

/* The observers: whether a finished save has made the commit, whether a finished read has shown it. */
bool saved;
bool seen;
bool missesSave;
bool goesBack;

ltl ownSaves { [] (!missesSave) }
ltl neverBack { [] (!goesBack) }
ltl floorIsReal { [] (!floor || written) }

inline forget() { d_step { isKnown = false; isLate[0] = true; isLate[1] = true } }

inline raise(value) {
    d_step {
        if
        :: COUNTS -> floor = floor || value; isKnown = true
        :: else -> skip
        fi
    }
}

/* The ticket is taken before the question. If the floor became unknown between the two, the answer would not count. */
inline ask() { d_step { isLate[me] = false; answer = written } }

inline choose() {
    d_step {
        if
        :: current != 0 && !leftOut[current] -> s = current
        :: else ->
            if
            :: !leftOut[1] -> s = 1
            :: else -> s = (leftOut[2] -> 0 : 2)
            fi;
            if
            :: s != 0 ->
#ifndef NO_FORGET_AT_CHOICE
                isKnown = false; isLate[0] = true; isLate[1] = true;
#endif
                current = s; isLeft[0] = true; isLeft[1] = true
            :: else -> skip
            fi
        fi;
        isLeft[me] = false
    }
}

/* The choice ends in one step with the state of the standby. */
inline leave(isLost) {
    atomic {
        if
        :: current == s -> current = 0; isLeft[0] = true; isLeft[1] = true
        :: else -> skip
        fi;
#ifdef TWO_STEPS
    };
    d_step {
#endif
        leftOut[s] = true;
        position[s] = position[s] && !isLost;
        mark[s] = (isLost -> 0 : mark[s])
    };
    forget()
}

inline readPrimary() {
    saw = written;
#ifndef NO_POSITION_OF_READ
    ask();
    raise(answer);
#endif
}

/* The observers at the beginning and the end of a read. */
inline begins() { d_step { mustShowSave = saved; mustShow = seen } }

proctype Program(byte me; byte operations) {
    byte s, connection;
    bool limit, answer, saw, mustShowSave, mustShow;
    do
    :: operations > 0 ->
        operations--;
        if
        :: d_step {  /* a save, with the position in the same round trip */
                !written;
#ifdef POSITION_BEFORE_COMMIT
                isLate[me] = false; answer = written; written = true
#else
                isLate[me] = false; written = true; answer = written
#endif
            }
#ifndef NO_POSITION_OF_SAVE
            raise(answer);
#endif
            d_step { saved = true; answer = false }
        :: d_step { !written; written = true };  /* a save without an answer, which its token has decided */
#ifndef NO_FORGET_WITHOUT_ANSWER
            forget();
#endif
            saved = true
        :: begins();  /* a read of the history, the start of a generation, a save of other rows */
            readPrimary();
            goto ended
        :: begins();
            choose();
            if
            :: s == 0 -> goto primary
            :: else -> skip
            fi;
            if
            :: d_step { isKnown -> limit = floor }
            :: ask();  /* the floor is unknown, or too old */
                raise(answer);
                limit = answer
            fi;
            atomic {  /* a connection; an earlier one of the same start would do as well */
                connection = started[s];
                if
                :: mark[s] == 0 -> mark[s] = connection
                :: mark[s] == connection -> skip
                :: else -> goto lost
                fi
            };
            if
            :: IS_OF_START && (position[s] || !limit) -> goto body
            :: else -> skip
            fi;
            if
            :: atomic { started[s] != connection -> goto lost }
            :: atomic { started[s] == connection -> answer = replayed[s] }
            fi;
            atomic {
                if
                :: IS_OF_START -> position[s] = position[s] || answer
                :: else -> skip
                fi;
                if
                :: answer || !limit -> goto body
                :: else -> skip
                fi
            };
            leave(false);  /* it lags */
            goto primary;
lost:       leave(true);
            goto primary;
body:       if
            :: atomic { started[s] != connection -> goto lost }
            :: atomic { cuts < CUTS -> cuts++; goto lost }
            :: d_step { started[s] == connection -> saw = replayed[s] }
            fi;
            if
            :: IS_CHOSEN -> goto ended
            :: else -> skip
            fi;
#ifdef KEEPS_RESULT
            forget();
            goto ended;
#endif
primary:    readPrimary();
ended:      atomic {
                missesSave = missesSave || (mustShowSave && !saw);
                goesBack = goesBack || (mustShow && !saw);
                seen = seen || saw;
                saw = false; answer = false; s = 0; limit = false; connection = 0;
                mustShowSave = false; mustShow = false
            }
        fi
    :: else -> break
    od
}

proctype Others() { written = true }

proctype Replay(byte s) {
end:
    do
    :: d_step { written && !replayed[s] -> replayed[s] = true }
    :: d_step { restarts < RESTARTS && replayed[s] -> restarts++; started[s]++; replayed[s] = false }
    :: d_step { leftOut[s] -> leftOut[s] = false }
    od
}

init {
    byte i;
    atomic {
        for (i : 1 .. STANDBYS) { started[i] = 1; run Replay(i) }
        run Program(0, 2);
        run Program(1, OPERATIONS);
        run Others();
        i = 0
    }
}
