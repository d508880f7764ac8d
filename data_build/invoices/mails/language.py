"""Which language a mail is in: the share of function words, names left out."""

import re
from collections.abc import Iterator

from data_build.invoices.scenario import Language, Scenario

FUNCTION_WORDS: dict[Language, frozenset[str]] = {
    "sv": frozenset(
        "och att det är jag inte på för med har som av till vi ni kan du om från eller den ett vilken vilket vilka hur "
        "när mig oss er din ert skulle behöver gärna tack hej hälsningar vad ska bara också så vår vårt våra där här "
        "hos eftersom mitt mina dig ingen något någon varit blev finns samt då hade nu redan ej nås "
        "följande saknar står gäller önskar behövs anger".split()),
    "en": frozenset(
        "the and of is are you we that this with from have has would could please thanks which what for our your my me "
        "us they when there can will or if at by know does need hello regards was were been its it's i'm i've i'd "
        "but because who where any some".split()),
}  # fmt: skip


def language_counts(text: str) -> dict[Language, int]:
    """How many function words of each language the text has."""
    words = re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)?", text.lower())
    return {language: sum(word in known for word in words) for language, known in FUNCTION_WORDS.items()}


def wrong_language(mail: str, scenario: Scenario) -> Iterator[str]:
    """What is not in the scenario's language: the mail as a whole, or one of its sentences."""
    # Names are no evidence: "The Northern Company" may be a customer of a Swedish writer.
    for value in sorted({*scenario.facts.values(), scenario.sender_name, scenario.corporation}, key=len, reverse=True):
        mail = mail.replace(value, " ")
    right, wrong = scenario.language, "en" if scenario.language == "sv" else "sv"
    counts = language_counts(mail)
    if counts[right] < 4 or counts[right] < 9 * counts[wrong]:
        yield f"not in {right}: {counts[right]} function words against {counts[wrong]}"
        return
    for sentence in re.split(r"(?<=[.!?])\s+|\n+", mail):
        counts = language_counts(sentence)
        if counts[wrong] >= 3 and counts[wrong] > counts[right]:
            yield f"a sentence not in {right}: {sentence.strip()[:60]!r}"
