"""Facts about the machine on which a report was made; nothing in the other sections depends on them."""

import os
import platform
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from gelu_verify.reports.pipeline import Context

PACKAGES = ("numpy", "scipy", "sympy", "mpmath", "python-flint", "jinja2", "ml_dtypes", "torch", "jax", "onnxruntime")


def host(context: Context) -> dict[str, Any]:
    """Return the facts."""
    return {
        "made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "python": sys.version.split()[0],
        "system": f"{platform.system()} {platform.machine()}",
        "processor": processor(),
        "processors": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "packages": {name: found for name in PACKAGES if (found := installed(name)) is not None},
    }


def host_key() -> str:
    """Return what results on this machine depend on."""
    return "|".join([processor(), platform.platform(), sys.version, *(f"{n}={installed(n)}" for n in PACKAGES)])


def processor() -> str:
    """Return the processor's name as the system tells it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:  # noqa: PTH123 (a system file, read once)
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def installed(package: str) -> str | None:
    """Return the version of an installed package, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
