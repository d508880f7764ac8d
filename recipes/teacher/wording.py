"""Replies in several wordings. They are short: the student pays for every token."""

import random

NAMES = {
    "en": {
        "product_name": "product",
        "department_name": "department",
        "period_start": "start date",
        "period_end": "end date",
        "status": "status",
        "supplier_name": "supplier",
        "iban": "IBAN",
        "bankgiro": "bankgiro number",
        "postgiro": "postgiro number",
        "vat_number": "VAT number",
        "email": "email address",
        "subscriber_name": "subscriber",
        "subscription_number": "subscription number",
        "unit_price": "unit price",
    },
    "sv": {
        "product_name": "produkten",
        "department_name": "avdelningen",
        "period_start": "startdatumet",
        "period_end": "slutdatumet",
        "status": "statusen",
        "supplier_name": "leverantören",
        "iban": "IBAN-numret",
        "bankgiro": "bankgironumret",
        "postgiro": "postgironumret",
        "vat_number": "momsnumret",
        "email": "e-postadressen",
        "subscriber_name": "prenumeranten",
        "subscription_number": "prenumerationsnumret",
        "unit_price": "styckpriset",
    },
}
"""What a column is called within a sentence."""

GREETINGS = {"en": ("", "", "Hi!\n\n", "Hello,\n\n"), "sv": ("", "", "Hej!\n\n", "Hej,\n\n")}
ENDS = {
    "en": ("", "", "\n\nKind regards", "\n\nBest regards"),
    "sv": ("", "", "\n\nVänliga hälsningar", "\n\nMed vänlig hälsning"),
}
MISSING = {
    "en": ("I could not find this in our records.", "Sorry, our records do not show it."),
    "sv": ("Jag hittar tyvärr inte det i vårt register.", "Uppgiften finns tyvärr inte hos oss."),
}
UNANSWERED = ("I could not find the answer.", "The searches did not bring up the answer.")
ANSWERS = ("The answer is\n<<{}>>", "So the answer is\n<<{}>>", "It is\n<<{}>>", "<<{}>>")


def stated(values: dict[str, str], language: str, rng: random.Random) -> str:
    """A reply that states each value once under its column's name, in the order of `values`."""
    names = NAMES[language]
    pairs = [(names[column], value) for column, value in values.items()]
    style = rng.choice(("lines", "list", "sentence", "sentence"))
    if style == "sentence":
        verb, conjunction = ("is", "and") if language == "en" else ("är", "och")
        article = "the " if language == "en" else ""
        parts = [f"{article}{name} {verb} {value}" for name, value in pairs]
        body = f" {conjunction} ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
        body = body[0].upper() + body[1:] + "."
    else:
        mark = "- " if style == "list" else ""
        body = "\n".join(f"{mark}{name[0].upper()}{name[1:]}: {value}" for name, value in pairs)
    return rng.choice(GREETINGS[language]) + body + rng.choice(ENDS[language])


def not_found(language: str, rng: random.Random) -> str:
    return rng.choice(MISSING[language])


def answered(findings: list[str], rng: random.Random) -> str:
    """A reply that ends with the last finding in a `<<...>>` block, sometimes with the way there."""
    way = ""
    if len(findings) > 1 and rng.random() < 0.5:
        way = rng.choice(("First {}, then {}. ", "{} leads to {}. ")).format(
            ", then ".join(findings[:-1]), findings[-1]
        )
    return way + rng.choice(ANSWERS).format(findings[-1])
