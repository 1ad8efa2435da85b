"""Claims: sentences with numbers in them, read from TOML, each judged to its printed digits."""

from gelu_verify.reports.claims.judging import judge, judge_all
from gelu_verify.reports.claims.reading import parse_claims, read_claims
from gelu_verify.reports.claims.record import Claim, JudgedClaim, Limits, Outcome

__all__ = ["Claim", "JudgedClaim", "Limits", "Outcome", "judge", "judge_all", "parse_claims", "read_claims"]
