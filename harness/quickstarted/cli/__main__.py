"""`python -m quickstarted.cli`."""

from quickstarted.cli import main

if __name__ == "__main__":
    main()
