"""`python -m quickstarted`."""

from quickstarted.cli import main

if __name__ == "__main__":
    main()
