"""How one series of times stands to another."""

from __future__ import annotations

from typing import NamedTuple

from spmv_dist.schema import median, median_place

_OUTSIDE = 0.025  # on either side of the interval


class MedianRatio(NamedTuple):
    """Median of the one over median of the other, with a 95 % confidence interval."""

    ratio: float
    low: float
    high: float


def median_weights(count: int):
    """With which probability each of `count` sorted values is the median of a sample of `count` drawn from them.

    The place k of the median among uniform numbers is distributed as Beta(k, n - k + 1), which is how order statistics
    of a binomial are: value number i is at least the median where at least k of n draws are among the first i.
    """
    import numpy
    from scipy.stats import binom

    place = median_place(count)
    shares = numpy.arange(count + 1) / count
    return numpy.diff(binom.sf(place, count, shares))


def median_ratio(a: list[float], b: list[float]) -> MedianRatio:
    """median(a) over median(b), with the percentile interval of the bootstrap [Efron, Tibshirani 1993, chapter 13].

    Not by drawing samples: the distribution of both medians is known, so all their ratios are taken, each with its
    probability. Both have FEWEST_SAMPLES times or more, all larger than 0.
    """
    import numpy

    ratios, weights = _all_ratios(*_likely_medians(a), *_likely_medians(b))
    order = numpy.argsort(ratios, kind="stable")
    below = numpy.cumsum(weights[order])
    low, high = (numpy.searchsorted(below, q * below[-1]) for q in (_OUTSIDE, 1 - _OUTSIDE))
    return MedianRatio(median(a) / median(b), float(ratios[order[low]]), float(ratios[order[high]]))


def _likely_medians(sample: list[float]):
    """The values that the median of a drawn sample may have, and their probabilities; the least likely left out."""
    import numpy

    weights = median_weights(len(sample))
    likely = weights > 1e-9
    return numpy.sort(sample)[likely], weights[likely]


def _all_ratios(a, of_a, b, of_b):
    import numpy

    return numpy.divide.outer(a, b).ravel(), numpy.multiply.outer(of_a, of_b).ravel()
