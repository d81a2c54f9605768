"""Whole-process measurements of openmarket beside its peers. Standard library only; started by ../run.sh."""
