"""Claims: which words of an answer a citation covers, and whether the cited place holds them.

Floor 1. Takes clean text and the places of markers; knows no marker syntax, parts or streams.
"""

from citestream.claims.checking import SMALL, Check, Place, check, find_items
from citestream.claims.tracker import Claim, ClaimTracker

__all__ = ["SMALL", "Check", "Claim", "ClaimTracker", "Place", "check", "find_items"]
