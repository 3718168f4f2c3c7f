"""PostgreSQL's errors as Glymph's, translated once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors as pg
from psycopg_pool import PoolClosed, PoolTimeout

from glymph import errors

BUSY_SECONDS = 30.0
REACH_SECONDS = 10.0  # that a server may be away, say while it starts anew, before a call fails

_REFUSAL = re.compile(r"glymph:(\w+):(.*)", re.DOTALL)
_GONE = (
    "Check host, user, password and database of the URL; if the server was away, repeat the call "
    "when it is back."
)


@contextmanager
def translate_errors(name: str) -> Iterator[None]:
    """Turns the driver's errors into Glymph's, once, keeping the original as the cause."""
    try:
        yield
    except pg.RaiseException as error:
        raise _refusal(str(error.diag.message_primary)) from error
    except pg.InsufficientPrivilege as error:
        if "row-level security" in str(error):
            raise errors.Isolated(
                "this row belongs to another space than the operation."
            ) from error
        raise errors.StoreError(
            f"{name} refuses this user ({_first_line(error)}). Ask its administrator to GRANT what "
            "is missing."
        ) from error
    except (pg.IntegrityError, pg.NumericValueOutOfRange, pg.InvalidTextRepresentation) as error:
        raise errors.Refused(
            f"The store refused the change ({_first_line(error)}); nothing was written."
        ) from error
    except (pg.UntranslatableCharacter, pg.CharacterNotInRepertoire, UnicodeEncodeError) as error:
        raise errors.InvalidInput(
            "text", "holds a NUL or half a surrogate pair, which no store keeps. Remove it."
        ) from error
    except (pg.LockNotAvailable, pg.DeadlockDetected, pg.SerializationFailure) as error:
        raise errors.StoreBusy(name, BUSY_SECONDS) from error
    except PoolTimeout as error:
        raise errors.StoreError(
            f"{name} cannot be reached, or all its connections here are busy, for "
            f"{REACH_SECONDS:g} s. {_GONE}"
        ) from error
    except pg.DiskFull as error:
        raise errors.StoreFull(name) from error
    except pg.ReadOnlySqlTransaction as error:
        raise errors.ReadOnlyStore(name) from error
    except (pg.DataCorrupted, pg.IndexCorrupted) as error:
        raise errors.CorruptStore(name, _first_line(error)) from error
    except pg.ProgramLimitExceeded as error:
        raise errors.InvalidInput(
            "text", f"is longer than {name} keeps ({_first_line(error)}). Shorten it."
        ) from error
    except PoolClosed as error:
        raise errors.StoreError(
            f"This handle on {name} is closed. Open it again with Glymph.open()."
        ) from error
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise errors.StoreAway(
            f"{name} cannot be reached, or went away ({_first_line(error)}). {_GONE}"
        ) from error
    except psycopg.Error as error:
        raise errors.StoreError(
            f"{name} refused a statement ({_first_line(error)}); nothing was written. Run `glymph "
            "doctor`."
        ) from error


def _first_line(error: psycopg.Error) -> str:
    """Returns the first line of the server's message; never a row of it."""
    return (error.diag.message_primary or str(error)).strip().split("\n")[0]


def _refusal(message: str) -> errors.GlymphError:
    found = _REFUSAL.search(message)
    if found is None:
        return errors.Refused(f"The store refused the change ({message}); nothing was written.")
    kind: type[errors.GlymphError] = getattr(errors, found[1])
    return kind(found[2])
