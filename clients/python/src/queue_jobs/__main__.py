"""`python -m queue_jobs work module:name`: workers from the command line."""

import sys

from ._cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
