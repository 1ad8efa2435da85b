"""Numbers that are typed: each is refused in the same words by every verb."""

from gelu_verify.errors import InputError


def check_range(option: str, value: int, least: int, most: int) -> None:
    """Refuse a whole number out of range.

    Raises:
        InputError: with the range.
    """
    if not least <= value <= most:
        raise InputError(f"{option} {value} is out of range; it must be from {least} to {most}")


def check_seconds(value: float, most: int) -> None:
    """Refuse a time limit that is none.

    Raises:
        InputError: it is not a number, not above 0, or longer than anybody waits.
    """
    if not 0 < value <= most:
        raise InputError(f"--timeout {value:g} must be a number of seconds above 0, at most {most}")


def check_workers(value: int | None) -> None:
    """Refuse a number of processes below one; None is one for each processor.

    Raises:
        InputError: it is below one.
    """
    if value is not None and value < 1:
        raise InputError(f"--workers {value} is no number of processes; give at least 1")
