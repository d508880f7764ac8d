"""The `--writer templates` half: a grammar writes the mails, offline, from a seed.

A mail is a persona (`personas`), a layout for facts and request, and optional parts around it, in phrases of the
scenario's language (`sv`, `en`). Gold values are never read: what the grammar does not know it cannot leak.
"""

import random
import re
from collections.abc import Sequence
from itertools import pairwise

from data_build.invoices.mails.content import Content
from data_build.invoices.mails.spin import expand, fill, lower, written_date, written_identifier
from data_build.invoices.mails.validate import KIND, SUBJECT, WORDS
from data_build.invoices.scenario import Scenario

SMILEYS = (" :)", " :-)", "!", "!", "!")


def write(scenario: Scenario, rng: random.Random) -> str:
    """The mail of a scenario. A function of scenario and `rng` alone."""
    mail = _Mail(scenario, rng).text()
    # "Which product is 67484?" is how people write, and leaves open what 67484 is: some other words, then.
    while "subscription_number" in scenario.facts and not re.search(KIND["subscription_number"], mail, re.I):
        mail = _Mail(scenario, rng).text()
    return mail


class TemplateWriter:
    """`write` as a `Writer`."""

    async def write(self, scenario: Scenario, rng: random.Random, attempt: int, earlier: Sequence[str]) -> str:
        """See `write`; each attempt differs by its `rng` alone."""
        return write(scenario, rng)

    async def close(self) -> None:
        """Nothing is held open."""


class _Mail(Content):
    """The whole mail: subject, greeting, what there is to say, signature and what hangs below it."""

    def subject(self) -> str:
        if self.layout == "subject":
            text = self.terse() if self.chance(0.5) else self.say(self.about, ref=self.ref())
        elif self.mine and self.kind == "sub" and self.chance(0.5):
            text = self.say(self.grammar.MINE_SUBJECTS)
        elif self.chance(0.3):
            text = self.say(self.grammar.SUBJECTS["any"][:1] if self.mine else self.grammar.SUBJECTS["any"])
        else:
            text = self.say(self.grammar.SUBJECTS[self.kind], **self.subject_parts())
        text = text.rstrip(".")
        text = lower(text) if self.persona.lower or self.chance(0.1) else text
        prefix = self.part(self.grammar.RE.get(self.persona.name, ""))
        return f"{prefix} {text}" if prefix else text

    def subject_parts(self) -> dict[str, str]:
        if self.kind != "order":
            return {"ref": self.ref()}
        names = [c for c in self.scenario.facts if not c.startswith("period")]
        name = self.rng.choice(names)
        part = {
            "product_name": self.grammar.OF_PRODUCT,
            "subscriber_name": self.grammar.FOR_ME if self.mine else self.grammar.FOR_SUBSCRIBER,
        }.get(name)
        part = self.part(part) if part else self.ref(short=True).removeprefix(self.words["tingen"] + " ")
        return {"part": part, "part_cap": self.part(self.grammar.TERSE_REF[name])}

    def thanks(self) -> str:
        text = self.say(self.phrases(self.grammar.THANKS))
        if text and self.chance(self.persona.bang):
            text = text.rstrip(".!") + self.rng.choice(SMILEYS)
        return text

    def signature(self) -> str:
        closings = self.grammar.CLOSINGS.get(self.persona.name) or self.grammar.CLOSINGS[self.register]
        closing = expand(self.rng.choice(closings), self.rng)
        if self.persona.lower:
            closing = closing.lower()
        style = self.rng.choices(list(self.persona.signature), list(self.persona.signature.values()))[0]
        org = self.part(self.rng.choice(self.grammar.PRIVATE)) if self.mine else "<corp>"
        if self.mine and style == "full":
            style = "phone"
        title = self.words["title"]
        closing = f"{closing} " if closing in ("–", "-") else closing
        inline = closing in ("/", "//", "– ", "- ")
        name = {"first": "<first>", "name": "<sender>", "mobile": "<first>"}.get(style, "<sender>")
        head = f"{closing}{name}" if inline else "\n".join(filter(None, (closing, name)))
        rows = {
            "org": [org if self.chance(0.7) else f"({org})"],
            "full": [title, "<corp>", *self.rng.sample(["<phone>", "<mail>"], self.rng.choice((1, 2)))],
            "phone": ["<mail>" if not self.mine and self.chance(0.4) else self.part(self.grammar.PHONE_LINE)],
            "mobile": [self.part(self.grammar.MOBILE_LINE)],
        }.get(style, [])
        return "\n".join([head, *rows])

    def text(self) -> str:
        """The whole mail."""
        paragraphs = self.core()
        before = []
        if self.persona.name in self.grammar.OPENERS and self.chance(self.persona.opener):
            before.append(self.say(self.grammar.OPENERS[self.persona.name]))
        reason = self.fresh(self.reasons) if self.chance(self.persona.reason) else ""
        after = [self.fresh(self.details)] if self.chance(self.persona.detail) else []
        if reason:
            (after if self.chance(0.3) else before).append(reason)
        pool = [self.fresh(self.details), self.fresh(self.reasons), self.fresh(self.details)]
        if self.chance(self.persona.thanks):
            after.append(self.thanks())
        else:
            pool.insert(1, self.thanks())
        if self.chance(self.persona.typo):
            before, after = self.misspell(before), self.misspell(after)
        pieces = [*before, *paragraphs, *after]
        # Facts are longer than their slots, so this errs on the safe side of the least length.
        while sum(len(piece.split()) for piece in pieces) < WORDS[0] and pool:
            extra = pool.pop(0)
            if extra and extra not in pieces:
                pieces.append(extra)
        body = self.paragraphs([piece for piece in pieces if piece])
        if self.persona.lower:
            body = lower(body)
            if self.chance(0.5):
                body = re.sub(r"\.(?= [a-zåäö])", " -" if self.chance(0.5) else ",", body, count=2)
        greeting = self.greeting()
        parts = [greeting + body if greeting.endswith(" ") else f"{greeting}\n\n{body}", self.signature()]
        if self.chance(self.persona.ps):
            parts.append(self.say(self.grammar.PS))
        if self.layout in ("forward", "quote"):
            parts.append(self.forwarded())
        mail = f"{SUBJECT[self.scenario.language]}: {self.subject()}\n\n" + "\n\n".join(parts) + "\n"
        return fill(mail, self.value)

    def greeting(self) -> str:
        text = self.say(self.phrases(self.grammar.GREETINGS))
        if self.persona.lower:
            text = text.lower()
        if self.register == "terse" and self.chance(0.4) and text[-1] in ",.-–":
            return text + " "
        return text

    def paragraphs(self, pieces: list[str]) -> str:
        """Pieces set as paragraphs; a piece with line breaks always stands alone."""
        one = self.chance(self.persona.block)
        text = pieces[0]
        for previous, piece in pairwise(pieces):
            alone = "\n" in piece or "\n" in previous
            text += ("\n\n" if alone or not (one or self.chance(0.35)) else " ") + piece
        return text

    def misspell(self, pieces: list[str]) -> list[str]:
        """The pieces with two letters swapped in one longer word; never in what states a fact or asks."""
        if not pieces:
            return pieces
        n = self.rng.randrange(len(pieces))
        words = list(re.finditer(r"(?<![<\w])[a-zåäö]{7,}(?![>\w])", pieces[n]))
        if not words:
            return pieces
        word = self.rng.choice(words)
        at = word.start() + self.rng.randrange(2, len(word[0]) - 2)
        text = pieces[n]
        return [*pieces[:n], text[:at] + text[at + 1] + text[at] + text[at + 2 :], *pieces[n + 1 :]]

    def value(self, name: str) -> str:
        """What a slot becomes; an identifier may be typed differently each time."""
        value = self.scenario.facts.get(name)
        if value is None:
            return self.slots[name]
        if name in ("period_start", "period_end"):
            return written_date(value, self.date_style, self.scenario.language)
        return written_identifier(name, value, self.rng)
