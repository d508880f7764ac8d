"""Sentences without a fact that several kinds share; `phrases.py` describes the notation."""

TEXT = {
    "company publisher label studio newspaper": """
The staff elected a speaker who sat on the board without a vote.
For years the only decoration in the boardroom was a stuffed heron.
A history of the house was printed for its jubilee in <many> numbered copies.
The books were kept in a shorthand that only <few> clerks could read.
During a shortage of coal the offices were heated with old ledgers.
The firm took part in <few> exhibitions of <craft>.
A canteen and a small library were set up for the employees.
Its letterhead, a crane holding a key, has hardly changed.
Apprentices were given a pair of boots and <few> days of leave every <season>.
""",
    "university orchestra club museum theatre stadium": """
A lottery held in <season> once saved it from closing.
Its friends' association has about <many> members and meets on Thursdays.
The caretaker's lodge has become a small café.
A strike of the ticket sellers lasted <few> weeks.
The oldest document in its archive is a bill for <goods>.
For some time it shared its premises with a makers' guild for <goods2>.
It has appeared on <few> postage stamps.
A clock in the foyer has run <few> minutes slow since anyone can remember.
Plans to move it to a larger site were dropped after a public meeting.
""",
    "bridge award ship line treaty final": """
<many> letters about it are kept in a provincial archive.
A folk song of <few> verses tells the story with some freedom.
It has appeared on <few> postage stamps.
A plaque of cast iron recalls the event.
A short documentary about it is shown in schools every <season>.
Newspapers of the time devoted <few> columns to it.
A jubilee was marked with a concert and a display of <goods>.
A collector of <goods2> gathered everything that was ever printed about it.
The costs were higher than planned and were met by a tax on <goods2>.
""",
    "novel painting opera film album symphony": """
An essay on it fills <few> issues of a learned journal.
Its reputation grew only after <few> decades of neglect.
A parody of it appeared within a year.
The work owes its fame largely to a lucky coincidence.
Scholars have found echoes of <few> older works in it.
It has been the subject of <few> dissertations.
Its mood has been compared to a rainy Sunday in <season>.
A rival claimed in court to have had the idea first, and lost.
In polls it is regularly named among the best works of its generation.
""",
    "country region town": """
Clay from local pits was used for <goods> until the supply gave out.
Beekeeping and the growing of plums are widespread.
Travellers of the <century> complained about the inns and praised the bread.
A song festival is held every <few> years.
Storks nest on many of the chimneys.
The making of <goods2> is still taught in a small school.
Stone walls divide the fields, some of them dating from the <century>.
""",
    "river lake mountain": """
A legend tells of a bell that sank here and is heard in <season>.
Botanists have counted <few> rare kinds of orchid in the surroundings.
An inn nearby, built in the <century>, serves as a base for walkers.
Wolves were last seen here <few> generations ago.
A nature reserve was set up despite the protests of <few> landowners.
Painters have come here for the light since the <century>.
The name is thought to come from an old word for <goods2>.
""",
    "person": """
{S} was fond of <goods> and owned a large collection.
Friends recalled that {s} could recite <few> long ballads by heart.
{S} played the cello in a quartet of amateurs.
A lifelong interest in <craft> led {him} to join <few> learned societies.
{His} handwriting was so poor that <few> secretaries resigned.
{S} was known for long walks at night and for a dislike of <goods2>.
A portrait medal of {him} was struck in <many> copies.
{S} once lost a fortune by investing in <goods2>.
""",
}
