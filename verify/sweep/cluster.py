"""Tasks on an existing Dask cluster: the same blocks as on one machine, and the same outcomes.

Dask moves Python objects as pickles, which can run any code where they are read: give only the address of a cluster
whose scheduler and workers you trust with this machine, and that trust you.

A worker that dies costs nothing but time: Dask runs its tasks again elsewhere, and a task gives the same whenever and
wherever it is run, as long as the implementation does. (One that calls the processor's own tanh does not, on machines
that differ.) At most two tasks for each thread of the cluster are under way, so neither the scheduler nor this process
holds the rest. Dask's nannies tell numerical libraries to use one thread; targets started here are told the same.
"""

import logging
import os
import time
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from importlib import metadata
from queue import Empty, SimpleQueue
from threading import Lock, Timer
from typing import Any

from gelu_verify import __version__
from gelu_verify.errors import IncompleteError, InputError
from gelu_verify.sweep.workers import THREADS, Asked, Found, Runs, Work

_ANSWER = 10.0  # seconds in which a scheduler must answer
_FIRST = 30.0  # seconds in which it must have a worker
_LOOK = 2.0  # seconds without an outcome after which to look whether the cluster is still there
_ALONE = 60.0  # seconds for which a cluster may be without workers before it is given up
_AHEAD = 2  # tasks under way for each thread: one runs, one waits
_IDLE = 10.0  # seconds for which a worker keeps what it has prepared for a sweep
_NOISY = ("distributed", "tornado", "asyncio")


def run_on_cluster(
    job: Work[Asked, Found], tasks: Sequence[Asked], address: str
) -> Generator[tuple[Asked, Found], None, None]:
    """Run tasks on the workers of a Dask cluster, and yield what they found in the order in which they finish.

    Arguments:
        address: that of the scheduler, for example `tcp://10.0.0.1:8786`. It must be one that you trust.

    Raises:
        InputError: Dask is not installed, the address is none, the workers have another version of this program or
            cannot load the implementation, or the implementation failed or is not what it should be.
        IncompleteError: the cluster cannot be reached, has no workers or has lost them.
    """
    with ExitStack() as stack:
        stack.enter_context(_without_noise())
        client = stack.enter_context(_connected(address))
        packed = _packed(job)
        finished: SimpleQueue[Any] = SimpleQueue()
        waiting, under_way = list(reversed(tasks)), set[Any]()
        try:
            while waiting or under_way:
                for task in _taken(waiting, _room(client, address) - len(under_way)):
                    future = client.submit(_work, packed, task, pure=False)
                    under_way.add(future)
                    future.add_done_callback(finished.put)
                future = _next(finished, client, address)
                under_way.discard(future)
                yield _outcome(future, client, address)
        finally:
            with suppress(Exception):  # a cluster that is gone needs no telling
                client.cancel(list(under_way), force=True)


def _dask() -> Any:
    """Return the package `distributed`, which is loaded only when a cluster is wanted."""
    try:
        import distributed
    except ImportError:
        raise InputError("a cluster needs the package distributed: pip install 'gelu-verify[distributed]'") from None
    return distributed


@contextmanager
def _without_noise() -> Iterator[None]:
    """Keep Dask's loggers silent: whatever concerns the person is told in one line."""
    _dask()  # its loggers exist from here on
    loggers = [logging.getLogger(name) for name in logging.root.manager.loggerDict if name.split(".")[0] in _NOISY]
    talking = [logger for logger in loggers if not logger.disabled]
    for logger in talking:
        logger.disabled = True
    try:
        yield
    finally:
        for logger in talking:
            logger.disabled = False


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    try:
        client = _dask().Client(address, timeout=_ANSWER, set_as_default=False)
    except ValueError as error:
        raise InputError(
            f"{address!r} is no address of a scheduler ({error}); write for example tcp://host:8786"
        ) from None
    except OSError:
        raise IncompleteError(f"no scheduler answers at {address} within {_ANSWER:g} s") from None
    try:
        _require_this_version(client, address)
        yield client
    finally:
        with suppress(Exception):
            client.close()


def _require_this_version(client: Any, address: str) -> None:
    """Ask all workers for their version of this program: another may count otherwise, and none cannot load a task."""
    try:
        client.wait_for_workers(1, timeout=_FIRST)
    except TimeoutError:
        raise IncompleteError(f"the cluster at {address} has no workers") from None
    for worker, version in client.run(metadata.version, "gelu-verify", on_error="return").items():
        if isinstance(version, metadata.PackageNotFoundError):
            raise InputError(f"the worker {worker} has no gelu-verify; install {__version__} there, which runs here")
        if isinstance(version, str) and version != __version__:  # otherwise an error: it has just died
            raise InputError(
                f"the worker {worker} has gelu-verify {version}; install {__version__} there, which runs here"
            )


def _packed(job: Work[Any, Any]) -> bytes:
    """Return the job as bytes: a worker that cannot read them fails in a task, and not in its line to the scheduler."""
    try:
        return bytes(_dask().protocol.serialize_bytes(job, on_error="raise"))
    except Exception as error:
        reason = (str(error).splitlines() or [""])[0]
        raise InputError(f"the implementation cannot be sent to a cluster: {reason}") from error


def _taken(waiting: list[Asked], room: int) -> list[Asked]:
    """Remove as many of the waiting tasks as there is room for."""
    return [waiting.pop() for _ in range(min(room, len(waiting)))]


def _room(client: Any, address: str) -> int:
    """Return how many tasks may be under way: the cluster may have grown or shrunk."""
    return max(_AHEAD * sum(_threads(client, address).values()), 1)


def _threads(client: Any, address: str) -> dict[str, int]:
    """Return how many threads each worker has."""
    try:
        threads: dict[str, int] = client.nthreads()
    except (OSError, TimeoutError, CancelledError):
        raise _lost(address) from None
    if client.status != "running":
        raise _lost(address)
    return threads


def _lost(address: str) -> IncompleteError:
    return IncompleteError(f"the connection to the scheduler at {address} is lost")


def _next(finished: "SimpleQueue[Any]", client: Any, address: str) -> Any:
    """Wait for a future that has finished, as long as there is somebody to wait for."""
    alone = 0.0
    while True:
        began = time.monotonic()
        with suppress(Empty):
            return finished.get(timeout=_LOOK)
        alone = 0.0 if _threads(client, address) else alone + time.monotonic() - began
        if alone > _ALONE:
            raise IncompleteError(f"the cluster at {address} has had no worker for {_ALONE:g} s")


def _outcome(future: Any, client: Any, address: str) -> Any:
    while True:
        try:
            return future.result(timeout=_LOOK)
        except TimeoutError:  # the worker that held it died, and it is computed again
            _threads(client, address)
        except (InputError, IncompleteError, ArithmeticError) as error:
            raise type(error)(str(error)) from None
        except CancelledError:
            raise _lost(address) from None
        except _dask().KilledWorker:
            raise IncompleteError(
                "a task ended every worker that ran it; the implementation may have crashed it"
            ) from None
        except Exception as error:  # noqa: BLE001 (whatever happened out there is told in one line)
            reason = (str(error).splitlines() or [""])[0]
            raise IncompleteError(f"the cluster at {address} failed: {type(error).__name__}: {reason}") from None


@dataclass(slots=True)
class _Seat:
    """What a worker has prepared for a sweep; used by one thread at a time, and closed when nobody wants it."""

    job: Work[Any, Any]
    runner: Runs[Any, Any]
    closing: Timer | None = None

    def close(self) -> None:
        self.job.close()


@dataclass(slots=True)
class _Seats:
    """The idle seats of this process, by the packed job."""

    idle: dict[bytes, list[_Seat]] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def take(self, packed: bytes) -> _Seat:
        """Return a seat for a job, which nobody else has."""
        with self.lock:
            seats = self.idle.get(packed)
            if seats:
                seat = seats.pop()
                if seat.closing is not None:
                    seat.closing.cancel()
                return seat
        job = _unpacked(packed)
        return _Seat(job, job.runner())

    def give_back(self, packed: bytes, seat: _Seat) -> None:
        """Keep a seat for the next task, and close it if none comes: the client may be gone, and cannot say so."""
        with self.lock:
            self.idle.setdefault(packed, []).append(seat)
            seat.closing = Timer(_IDLE, self._close, (packed, seat))
            seat.closing.daemon = True
            seat.closing.start()

    def _close(self, packed: bytes, seat: _Seat) -> None:
        with self.lock:
            seats = self.idle.get(packed, [])
            if not any(idle is seat for idle in seats):  # taken in the last moment
                return
            self.idle[packed] = [idle for idle in seats if idle is not seat]
            if not self.idle[packed]:
                del self.idle[packed]
        seat.close()


_SEATS = _Seats()


def _work(packed: bytes, task: Asked) -> tuple[Asked, Any]:
    """Run a task; called by Dask in a thread of a worker."""
    for name in THREADS:
        os.environ.setdefault(name, "1")  # for the target's process
    seat = _SEATS.take(packed)
    try:
        return task, seat.runner.run(task)
    finally:
        _SEATS.give_back(packed, seat)


def _unpacked(packed: bytes) -> Work[Any, Any]:
    try:
        job: Work[Any, Any] = _dask().protocol.deserialize_bytes(packed)
    except Exception as error:  # noqa: BLE001 (importing a stranger's module may raise anything)
        reason = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
        raise InputError(f"the workers cannot load the implementation ({reason}); install it there") from None
    return job
