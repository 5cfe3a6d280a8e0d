"""`python -m cowscore.cli`."""

from cowscore.cli import main

if __name__ == "__main__":
    main()
