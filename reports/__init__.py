"""The claims ledger and the report generator."""
