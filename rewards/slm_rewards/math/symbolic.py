r"""math-verify on two formulas, with what it accepts wrongly taken back; runs in a worker only.

Its own timeouts use signals and cannot stop a big-integer power, so they are off: the pool's deadline kills the worker.
"""

import cmath
import logging
import re
import warnings

from latex2sympy2_extended.latex2sympy2 import NormalizationConfig
from math_verify import LatexExtractionConfig, parse, verify
from math_verify.errors import TimeoutException
from sympy import Basic, Expr, Float, MatrixBase, Rational, UnevaluatedExpr

# Units and short operators are mended in `canonical` and `units`: math-verify's own rules take a trailing `c` or
# `m` for a unit and tear `\frac{x^{2}3}{4}` apart.
_NORMALISATION = NormalizationConfig(basic_latex=True, units=False, malformed_operators=False, nits=False, boxed="last")
_CONFIG = (LatexExtractionConfig(boxed_match_priority=0, normalization_config=_NORMALISATION),)
_ENERGY = re.compile(r"(?<![\\A-Za-z])E(?=_)")
"""`E` is Euler's number to its parser, which then fails on the subscript."""
_POWERS = re.compile(r"(\d+)\s*\^\s*\{?\s*(\d+)\s*(?:\^\s*\{?\s*(\d+)\s*(\^)?)?")
_FACTORIAL = re.compile(r"(\d+)\s*\}?\s*!(?:\s*\)?\s*!)?")
_MAX_EXPONENT = 1_000_000
logging.getLogger("math_verify").setLevel(logging.ERROR)  # it warns that its timeouts are off
_DIGITS = 30
_ROUNDED = 1e-6
_CLEARLY = 1e-3


class Timeout(Exception):
    """math-verify gave up by itself."""


def equal(gold: str, answer: str) -> bool:
    """Whether math-verify holds the answer formula equal to the gold formula (both cleaned LaTeX).

    Raises Timeout, MemoryError and RecursionError for what the pool counts; any other fault is False.
    """
    if gold == answer:
        return readable(gold)
    if enormous(gold) or enormous(answer):
        return False  # never computed: such a number equals another only where both are written alike
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            gold_forms, answer_forms = _formulas(gold), _formulas(answer)
            if not gold_forms or not answer_forms:
                return False
            if _clearly_different(gold_forms[0], answer_forms[0]):
                return False
            if not verify(gold_forms, answer_forms, timeout_seconds=None):
                return False
            return not _far_apart(gold_forms[0], answer_forms[0])
    except TimeoutException as error:  # a BaseException, which would end the worker
        raise Timeout from error
    except (MemoryError, RecursionError):
        raise
    except Exception:
        return False


def readable(formula: str) -> bool:
    """Whether math-verify reads the formula at all."""
    if enormous(formula):
        return True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return bool(_formulas(formula))
        except (TimeoutException, Exception):
            return False


def enormous(formula: str) -> bool:
    """Whether the formula has a power or factorial of plain numbers that no memory holds."""
    for base, exponent, second, third in _POWERS.findall(formula):
        if len(exponent) > 7 or len(second) > 7 or (int(base) > 1 and int(exponent) > _MAX_EXPONENT):
            return True
        if second and int(exponent) > 1 and (third or len(exponent) * int(second) > 7):
            return True
    return any(len(number) > 5 for number in _FACTORIAL.findall(formula))


def _formulas(formula: str) -> list[Basic | MatrixBase | str]:
    formula = _ENERGY.sub(r"\\Xi", formula)
    found = parse(rf"\boxed{{{formula}}}", _CONFIG, fallback_mode="no_fallback", parsing_timeout=0)
    return [form for form in found if not isinstance(form, str)]


def _clearly_different(gold: object, answer: object) -> bool:
    """Whether two expressions in the same variables differ widely at a point; spares math-verify its slow simplify."""
    if not isinstance(gold, Expr) or not isinstance(answer, Expr) or gold.free_symbols != answer.free_symbols:
        return False
    if gold.is_Matrix or answer.is_Matrix or gold.has(UnevaluatedExpr) or answer.has(UnevaluatedExpr):
        return False
    symbols = sorted(gold.free_symbols, key=str)
    point = [(symbol, Rational(7 + 3 * place, 11 + 2 * place)) for place, symbol in enumerate(symbols)]
    try:
        values = [complex(form.subs(point).evalf(15)) for form in (gold, answer)]
    except Exception:
        return False
    return all(map(cmath.isfinite, values)) and abs(values[0] - values[1]) > _CLEARLY * max(map(abs, values))


def _far_apart(gold: object, answer: object) -> bool:
    """Whether two values that math-verify equates differ by more than rounding.

    It compares decimals and differences after rounding to a fixed place, so that `1/2^90` equals `1/2^91`.
    """
    if not isinstance(gold, Expr) or not isinstance(answer, Expr) or gold.free_symbols or answer.free_symbols:
        return False
    try:
        gold_value, answer_value = gold.doit().evalf(_DIGITS), answer.doit().evalf(_DIGITS)
        size = max(abs(gold_value), abs(answer_value))
        if not size.is_number or size == 0:
            return False
        rounded = gold.has(Float) or answer.has(Float)
        return bool(abs(gold_value - answer_value) > size * (_ROUNDED if rounded else Rational(1, 10**12)))
    except Exception:
        return False
