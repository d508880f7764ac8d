"""Facts and request of a template mail: what is known, what is asked for, and how the two are put together."""

import random
import re
from collections.abc import Sequence
from types import ModuleType

from data_build.invoices.mails import en, sv
from data_build.invoices.mails.personas import PERSONAS, Persona, address, colleague, phone
from data_build.invoices.mails.spin import DATE_STYLES, capital, pick
from data_build.invoices.scenario import Scenario

GRAMMARS: dict[str, ModuleType] = {"sv": sv, "en": en}
PLURAL = re.compile(r"\b(?:vårt?|våra|vi|oss|our|we|us)\b", re.I)
IDENTIFIERS = ("iban", "bankgiro", "postgiro", "vat_number")


class Content:
    """What one mail has to say, in its persona's words. Every choice is drawn from `rng` in a fixed order."""

    def __init__(self, scenario: Scenario, rng: random.Random) -> None:
        self.scenario, self.rng = scenario, rng
        self.grammar = GRAMMARS[scenario.language]
        self.mine = scenario.sender == "customer"
        self.kind = {"subscription": "sub", "supplier": "supplier", "orders": "order"}[
            scenario.question_type.split("_")[0]
        ]
        able = [p for p in PERSONAS if scenario.sender in p.senders]
        self.persona: Persona = rng.choices(able, [p.weight for p in able])[0]
        self.register = rng.choice(self.persona.registers)
        self.layout = rng.choices(list(self.persona.layouts), list(self.persona.layouts.values()))[0]
        if self.layout == "subject" and self.kind == "order":
            self.layout = "noun"
        self.about = [phrase for phrase in self.grammar.SUBJECTS[self.kind] if "<ref>" in phrase]
        details = self.grammar.SUPPLIER_DETAILS if self.kind == "supplier" else self.grammar.GOODS_DETAILS
        self.details = [*self.grammar.DETAILS, *details]
        self.reasons = [*self.grammar.REASONS[f"{self.kind}_mine" if self.mine else self.kind]]
        self.supplier_key = next((c for c in ("supplier_name", *IDENTIFIERS) if c in scenario.facts), "")
        ting, tingen, den, tingnr = rng.choice(self.grammar.THINGS[self.kind])
        ni, er = rng.choice(self.grammar.ADDRESS)
        first, last = colleague(scenario.language, rng)
        other = colleague(scenario.language, rng)
        sender = scenario.sender_name
        self.date_style = rng.choice(DATE_STYLES[scenario.language])
        # Words belong to the sentence: they are put in at once, and lower-cased with it where a writer does that.
        self.words = {
            "ting": ting, "tingen": tingen, "tingens": tingen + "s", "den": den, "tingnr": tingnr,
            "tingnr_cap": capital(tingnr), "ni": ni, "er": er, "ert": {"ni": "ert", "du": "ditt"}.get(ni, "your"),
            "en": "ett" if den == "det" else "en", "min": "mitt" if den == "det" else "min",
            "title": rng.choice(self.grammar.TITLES),
        }  # fmt: skip
        # Slots are names and numbers: they are filled last and stay as they are.
        self.slots = {
            "sender": sender, "first": sender.split()[0], "corp": scenario.corporation,
            "colleague": f"{first} {last}", "colleague_first": first, "other": " ".join(other),
            "colleague_gen": f"{first} {last}" + ("s" if scenario.language == "sv" else "'s"),
            "phone": phone(scenario.language, rng), "mail": address(sender, scenario.corporation),
        }  # fmt: skip

    # --- small helpers

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def draw(self, phrases: Sequence[str], **macros: str) -> str:
        """One phrase; a private person's without "we" and "our", as far as the list has one."""
        for _ in range(12):
            text = pick(phrases, self.rng, **self.words, **macros)
            if not (self.mine and PLURAL.search(text)):
                break
        return text

    def say(self, phrases: Sequence[str], **macros: str) -> str:
        return capital(self.draw(phrases, **macros))

    def part(self, phrase: str) -> str:
        return self.draw([phrase])

    def fresh(self, phrases: list[str]) -> str:
        """One of the phrases, which the list then no longer has: nothing is said twice in a mail."""
        phrase = self.rng.choice(phrases)
        phrases.remove(phrase)
        return self.say([phrase])

    def phrases(self, table: dict[str, Sequence[str]]) -> Sequence[str]:
        """The list of this register; the terse ask in plain words where there is no terse list."""
        return table.get(self.register) or table["plain"]

    def join(self, items: list[str]) -> str:
        if len(items) == 1:
            return items[0]
        return f"{', '.join(items[:-1])} {self.rng.choice(self.grammar.AND)} {items[-1]}"

    # --- what is asked for

    def fields(self) -> list[str]:
        """Asked columns; a start and an end that stand together are mostly asked for as one period."""
        asked = list(self.scenario.asked)
        if "period_start" in asked and "period_end" in asked and (self.kind == "order" or self.chance(0.75)):
            asked[asked.index("period_start")] = "period"
            asked.remove("period_end")
        return asked

    def asked(self, form: str) -> list[str]:
        return [self.ask(name, form) for name in self.fields()]

    def ask(self, name: str, form: str) -> str:
        """One asked field, in the words for this kind of mail where it has its own (an order has no newest period)."""
        return self.part((self.grammar.ASK.get(f"{self.kind}_{name}") or self.grammar.ASK[name])[form])

    def questions(self) -> str:
        names = self.fields()
        out = [self.ask(name, "question") for name in names]
        while out[0].startswith(("Och ", "And ")):
            out[0] = self.ask(names[0], "question")
        return " ".join(out)

    # --- what is known

    def ref(self, short: bool = False) -> str:
        """The thing the mail is about, every fact included (`short`: an order by its supplier alone)."""
        if self.kind == "sub":
            return self.part(self.grammar.MY_SUB_REF if self.mine and self.chance(0.6) else self.grammar.SUB_REF)
        supplier = self.part(self.grammar.SUPPLIER_REF[self.supplier_key])
        if self.kind == "supplier":
            return supplier
        parts = [self.part(self.grammar.ORDER_REF)]
        at = f"{self.part(self.grammar.AT_SUPPLIER)} {supplier}"
        if short:
            return f"{parts[0]} {at}"
        facts = self.scenario.facts
        if "product_name" in facts:
            parts.append(self.part(self.grammar.OF_PRODUCT))
        parts.append(at)
        if "subscriber_name" in facts:
            parts.append(self.part(self.grammar.FOR_ME if self.mine else self.grammar.FOR_SUBSCRIBER))
        if "period_start" in facts:
            parts.append(self.part(self.grammar.IN_PERIOD))
        return " ".join(parts)

    def statement(self) -> str:
        """Sentences that give every fact."""
        if self.kind == "sub":
            lists = self.grammar.STATE_SUB_MINE if self.mine else self.grammar.STATE_SUB
            return self.say(lists, ref=self.ref())
        supplier = self.grammar.STATE_SUPPLIER[self.supplier_key]
        if self.kind == "supplier":
            return self.say(supplier)
        if self.chance(0.45):
            return self.say(self.grammar.STATE_ORDER["order"], ref=self.ref())
        others = [c for c in ("product_name", "subscriber_name", "period_start") if c in self.scenario.facts]
        self.rng.shuffle(others)
        if self.mine or self.chance(0.5):
            out = [self.say(self.grammar.STATE_ORDER["order"], ref=self.ref(short=True))]
        else:
            out = [self.say(supplier)]
        for name in others:
            mine = name == "subscriber_name" and self.mine
            phrases = (
                self.grammar.STATE_ME
                if mine
                else self.grammar.STATE_ORDER["period" if name == "period_start" else name]
            )
            sentence = self.say(phrases)
            # Right after a sentence about the supplier there is no order yet for the pronoun to stand for.
            while len(out) == 1 and re.match(r"(?:Den|It) ", sentence):
                sentence = self.say(phrases)
            out.append(sentence)
        return " ".join(out)

    def terse(self) -> str:
        facts = self.scenario.facts
        # The period last, its two ends together.
        names = [*sorted(facts, key=lambda c: (c.startswith("period"), c == "period_end"))]
        return ", ".join(self.part(self.grammar.TERSE_REF[name]) for name in names)

    def block(self) -> str:
        """The facts as labelled lines."""
        mark, sep = self.rng.choice(("", "", "- ", "* ", "• ")), self.rng.choice((": ", ": ", " = ", " - "))
        rows = [f"{mark}{self.part(self.grammar.LABELS[name])}{sep}<{name}>" for name in self.scenario.facts]
        # A single row without its own line above would run into the text around it.
        if len(rows) == 1 or self.chance(0.6):
            return f"{self.say(self.grammar.BLOCK_INTRO)}\n" + "\n".join(rows)
        return "\n".join(rows)

    # --- facts and request together

    def clause_ask(self) -> str:
        return self.say(self.phrases(self.grammar.CLAUSE_ASK), clauses=self.join(self.asked("clause")))

    def noun_ask(self, ref: str) -> str:
        return self.say(self.phrases(self.grammar.NOUN_ASK), nouns=self.join(self.asked("noun")), ref=ref)

    def question_ask(self) -> str:
        text = self.say(self.grammar.QUESTION_LINK, questions=self.questions())
        return re.sub(r": ([A-ZÅÄÖ])", lambda m: f": {m[1].lower()}", text, count=1) if self.chance(0.85) else text

    def bullet_ask(self, marks: Sequence[str]) -> str:
        labels = self.asked("label")
        if self.chance(0.6):
            labels = [capital(label) for label in labels]
        rows = [f"{mark} {label}" for mark, label in zip(marks, labels, strict=False)]
        return f"{self.say(self.phrases(self.grammar.BULLET_INTRO))}\n" + "\n".join(rows)

    def any_ask(self) -> str:
        return self.clause_ask() if self.chance(0.6) else self.question_ask()

    def core(self) -> list[str]:
        """Paragraphs that state every fact and ask for everything; a paragraph with line breaks stays whole."""
        match self.layout:
            case "noun":
                return [self.noun_ask(self.ref())]
            case "clause":
                return [f"{self.statement()} {self.clause_ask()}"]
            case "clause_first":
                return [f"{self.clause_ask()} {self.statement()}"]
            case "questions":
                return [f"{self.statement()} {self.question_ask()}"]
            case "terse":
                return [
                    self.say(
                        self.grammar.TERSE_ASK,
                        terse=self.terse(),
                        labels=self.join(self.asked("label")),
                        questions=self.questions(),
                    )
                ]
            case "subject":
                return [f"{self.say(self.grammar.SUBJECT_FACT)} {self.any_ask()}"]
            case "bullets":
                return [self.statement(), self.bullet_ask([self.rng.choice("-*•")] * 9)]
            case "letters":
                return [self.statement(), self.bullet_ask(["a)", "b)", "c)", "d)", "e)", "f)"])]
            case "both":
                return [self.block(), self.bullet_ask([self.rng.choice("-*•")] * 9)]
            case "block":
                parts = [self.any_ask(), self.block()]
                return parts if self.chance(0.5) else parts[::-1]
            case "forward" | "quote":
                return [f"{self.say(self.grammar.FORWARD_INTRO)} {self.any_ask()}"]
        raise ValueError(f"no layout {self.layout!r}")

    def forwarded(self) -> str:
        body = self.say(self.grammar.FORWARD_BODY, known=self.ref())
        if self.layout == "quote":
            body = "\n".join(f"> {line}" for line in re.sub(r"(?<=[.?!]) (?=[A-ZÅÄÖ/])", "\n", body).split("\n"))
        head = pick(self.grammar.FORWARD_HEAD, self.rng)
        return f"{head}\n{body}"
