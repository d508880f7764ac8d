"""System prompts. Each states the answer format that the reward reads."""

BASE = """\
Answer the question with the search tool. What you need stands in several passages of one collection, so it takes \
several searches: what one passage tells you is what to search for next. Do not answer from memory.

When you know the answer, reply without a tool call and put the answer between double angle brackets. If the answer \
were Lake Vättern, the reply would end with
<<Lake Vättern>>
Only the last <<...>> of that reply is read. It must hold the answer alone: no sentence, no explanation, no second \
candidate."""

DETAILED = (
    BASE
    + """

Turns
You have {turns} turns. A message with tool calls takes one turn, and so does the final reply. Keep the last turn for \
the reply, and give your best answer there even if you are not sure: without a reply you get nothing.

Searching
- Take the question apart and begin with the part that names something. The answer to it is the name that the next \
search needs.
- A query is a few words: a name and what you want to know about it. The search matches words, not meaning, so write \
names as the passages write them.
- If the hits are about something else, change the words. Never send the same query twice.
- Many passages look alike. Before you build on one, check that it fits every condition of the question: which year, \
which place, first or last, before or after whom.

Answer style
- The shortest form that is complete: a name, a date or a number as the passage writes it.
- No article, title or description around it: <<Nyköping>>, not <<the town of Nyköping>>.
- The answer to what was asked, not to a step on the way.

Example 1: In which district was the composer of the opera Glashägern born?
1. Search for: Glashägern opera composer. A passage says that the opera is by Elna Rydmark-Oja.
2. Search for: Elna Rydmark-Oja born. A passage says that she was born in Sölvesta-Ås.
3. Search for: Sölvesta-Ås district. A passage says that Sölvesta-Ås lies in Kvarnbro district.
Reply: The opera is by Elna Rydmark-Oja, who was born in Sölvesta-Ås in Kvarnbro district. <<Kvarnbro>>

Example 2: When did the shipyard that built the ferry Havstruten VII close?
1. Search for: ferry Havstruten VII. The hits are about the ferries Havstruten II and Havstruten IV.
2. Search for: Havstruten VII shipyard built. A passage says that she was built by Brattholmens Slip in 1931.
3. Search for: Brattholmens Slip closed. A passage says that the yard opened in 1902 and closed in 1978.
Reply: Havstruten VII came from Brattholmens Slip, which closed in 1978. <<1978>>"""
)

PROMPTS = {"base": BASE, "detailed": DETAILED}
EXAMPLE_NAMES = ("Vättern", "Glashägern", "Rydmark-Oja", "Sölvesta", "Kvarnbro", "Havstruten", "Brattholmens")
"""Names in the examples; no question or passage of any corpus may hold one."""
