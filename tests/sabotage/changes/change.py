"""What a wrong change is, and the tests that several of them name."""

from dataclasses import dataclass
from typing import List, Tuple


@dataclass(frozen=True)
class Change:
    name: str  # short, of its own
    file: str  # from the root of the repository
    old: str
    new: str
    tests: List[Tuple]  # of which one must fail: see unit(), mpi(), lib() and ctest()


def unit(gtest_filter):
    """The serial tests that a filter of googletest selects."""
    return ("unit", gtest_filter)


def mpi(ranks, gtest_filter):
    """Tests of tests/mpi on so many ranks."""
    return ("mpi", ranks, gtest_filter)


def lib(ranks, gtest_filter):
    """Tests of the library on so many ranks."""
    return ("lib", ranks, gtest_filter)


def ctest(regex):
    """Entries of ctest, by a regular expression of their names: for what only scripts can see."""
    return ("ctest", regex)


OVERLAP = mpi(3, "Overlap.ChainedProductsAreExact")
PRODUCTS = mpi(3, "Products/1.*")
LAYOUTS = unit("LayoutsByHand.*")
EXCHANGE = mpi(3, "Exchange.EveryTransportBringsEveryElementToItsPlace")
LARGE = mpi(3, "Exchange.LargeHalosInPieces")
MANY = mpi(3, "Exchange.ManyWithoutWaitingBetweenThem")
PEERS = unit("EveryMemory/PeerExchangeIn.*")
FORMATS = unit("Formats/1.BatteryOnHost")
CHOICE = mpi(2, "ChooseTransport.*")
