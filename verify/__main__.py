"""`python -m gelu_verify` is the command line."""

import sys

from gelu_verify.cli import main

sys.exit(main())
