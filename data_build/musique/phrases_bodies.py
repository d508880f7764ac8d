"""Sentences and questions about organisations, buildings and things; `phrases.py` describes the notation."""

_FOUNDED = """
%founder founded by | person
+ It was founded by {o} with a loan from <few> relatives.
+ {O} founded it in the back room of a <trade>'s shop.
+ Its founder was {o}, who led it for <few> years.
? Who founded {x}?
? By whom was {x} founded?
= the founder of {x}
= the person who founded {x}

%hq headquarters location | town
+ Its headquarters are in {o}, in a former grain store.
+ It has its head office in {o} and <few> branches elsewhere.
+ It is based in {o}.
? In which town are the headquarters of {x}?
? Where is {x} based?
= the town where {x} is based
= the town where {x} has its headquarters

%founded inception | literal
+ It was established in {o}.
+ Its history begins in {o}, when it was entered in the register.
? In what year was {x} established?
? When was {x} established?
"""
_OWNED = """
%parent parent organization | company
+ It is a subsidiary of {o}.
+ It was bought by {o}, its present owner, after <few> loss-making years.
? What is the parent company of {x}?
? Which company owns {x}?
= the owner of {x}
= the company that owns {x}
"""
_TOWN = """
%town location | town
+ It stands in {o}, a short walk from the station.
+ It is located in {o}, on a square planted with chestnuts.
? In which town is {x}?
? Where is {x} located?
= the town that is home to {x}
= the town where {x} is located
"""
_ARCHITECT = """
%architect architect | person
+ It was designed by {o}, who never saw it finished.
+ The architect was {o}, chosen from <few> candidates.
? Who designed {x}?
? Who was the architect of {x}?
= the architect of {x}
= the person who designed {x}
"""
_OPENED = """
%opened date of official opening | literal
+ It was opened on {o} in pouring rain.
+ The opening took place on {o}.
? On what date was {x} opened?
? When was {x} opened?
"""
_NAMED = """
%named_after named after | person
+ It is named after {o}, whose bust stands in the entrance.
+ It bears the name chosen in honour of {o}.
? After whom is {x} named?
? In whose honour is {x} named?
= the person after whom {x} is named
= the namesake of {x}
"""

TEXT = (
    """
@company a company
^ {n} is a company that makes <goods> and <goods2>.
^ {n} is a manufacturer of <goods> with <many> employees.
~ The archives of {n}, a maker of <goods>, were damaged by a burst pipe.
~ Workers at {n} went on strike <few> times in the <century>, each time over the length of the working day.
- Its products won medals at <few> trade fairs.
- A brass band of its employees still plays on holidays.
- The company introduced a pension fund early on.
- Most of its output is exported.
"""
    + _FOUNDED
    + _OWNED
    + """
%director chief executive officer | person
+ The first managing director was {o}, who knew every worker by name.
+ {O} was appointed its first managing director.
? Who was the first managing director of {x}?
? Who was appointed first managing director of {x}?
= the first managing director of {x}
= the person appointed first managing director of {x}

%merger merged from | company company
+ It was formed by the merger of {a} and {b}.
+ It came into being when {a} merged with {b}.
? Which company was formed by the merger of {x} and {y}?
? What company resulted when {x} and {y} merged?
= the company formed by the merger of {x} and {y}
= the company created when {x} and {y} merged

@publisher a publishing house
^ {n} is a publishing house with a list of fiction and schoolbooks.
~ A catalogue of {n}, the publishing house, lists <many> titles in print.
- Its paperbacks are recognised by their yellow spines.
- It lost most of its stock in a warehouse fire.
- For a time it also ran <few> bookshops.
"""
    + _FOUNDED
    + """
@label a record label
^ {n} is a record label devoted to folk and dance music.
~ Early discs of {n}, the record label, are brittle and hard to find.
- Its first studio had room for <few> musicians.
- The label was known for its careful pressings.
- It also issued spoken-word recordings for schools.
"""
    + _FOUNDED
    + _OWNED
    + """
@studio a film studio
^ {n} is a film studio that made comedies and newsreels.
~ The back lot of {n}, the film studio, was sold for housing.
- It owned <few> sound stages and a laboratory.
- A fire destroyed many of its negatives.
- Its trademark, a lamp on a rock, opened every picture.
"""
    + _FOUNDED
    + """
@newspaper a newspaper
^ {N} is a daily newspaper with a large foreign section.
^ {N} is a newspaper printed <few> times a week.
~ Readers of {n}, a newspaper of liberal views, voted for a smaller format.
- Its crossword has been set by the same family for years.
- During the war it appeared on a single sheet.
- It prints letters from readers on its front page.
"""
    + _FOUNDED
    + _OWNED
    + """
%editor editor | person
+ The first editor was {o}, who wrote most of it alone.
+ {O} was its first editor.
? Who was the first editor of {x}?
? Which person was the first editor of {x}?
= the first editor of {x}
= the person who first edited {x}

@university a university
^ {N} is a university with <few> faculties and about <many> hundred students.
^ {N} is a university known for its observatory.
~ Students of {n} wear a grey cap, a custom from the <century>.
~ The library of {n} holds <many> thousand volumes and a globe of the <century>.
- Its medical school trained most country doctors.
- The main building has <few> towers.
- Women were admitted after a long debate.
- Lectures were once announced by a drummer.

%town location | town
+ It is in {o}, spread over <few> sites.
+ It has its campus in {o}.
? In which town is {x}?
? Where is {x} located?
= the town where {x} is located
= the town that is home to {x}

%rector director | person
+ Its first rector was {o}, who lectured in a church.
+ {O} was elected its first rector.
? Who was the first rector of {x}?
? Who was elected first rector of {x}?
= the first rector of {x}
= the person elected first rector of {x}

%founded inception | literal
+ It was founded in {o}.
+ Its charter was granted in {o}.
? In what year was {x} founded?
? When was {x} founded?
"""
    + _NAMED
    + """
@orchestra an orchestra
^ {N} is an orchestra of <many> players.
~ Broadcasts by {n} made the orchestra known abroad.
- It gives <many> concerts in a season.
- It rehearsed for years in a school gymnasium.
- Its archive of parts is lent to other ensembles.

%town location | town
+ It is based in {o}.
+ Its home is {o}, where it plays in the assembly rooms.
? In which town is {x} based?
? Where does {x} have its home?
= the town where {x} is based
= the home town of {x}

%conductor conductor | person
+ Its first chief conductor was {o}.
+ {O} was appointed its first chief conductor.
? Who was the first chief conductor of {x}?
? Who first served as chief conductor of {x}?
= the first chief conductor of {x}
= the person who was first chief conductor of {x}

%founded inception | literal
+ It was founded in {o}.
+ It gave its first concert in {o}.
? In what year was {x} founded?
? When was {x} founded?

@club a football club
^ {n} is a football club that plays in green and white.
^ {n} is a football club with <many> hundred members.
~ Supporters of {n}, the football club, publish a magazine of their own.
- It has won the league <few> times.
- Its youth teams train behind the gasworks.
- A section for rowing was dissolved.

%town headquarters location | town
+ The club comes from {o}.
+ It is based in {o}, where matches are played on Sundays.
? In which town is {x} based?
? From which town does {x} come?
= the town from which {x} comes
= the home town of {x}

%stadium home venue | stadium
+ It plays its home matches at {o}.
+ Its home ground is {o}.
? At which stadium does {x} play its home matches?
? What is the home ground of {x}?
= the home ground of {x}
= the stadium where {x} plays its home matches

%coach head coach | person
+ Its first coach was {o}, who paid for the ball.
+ {O} was the first to coach the team.
? Who was the first coach of {x}?
? Who first coached {x}?
= the first coach of {x}
= the person who first coached {x}

%founded inception | literal
+ It was founded in {o}.
+ It was formed in {o} by <many> apprentices.
? In what year was {x} founded?
? When was {x} formed?

@final a football match
^ {n} was a football match decided after extra time.
^ {n} was a football match watched by a record crowd.
~ A newsreel of {n}, a football match played in the mud, was shown in <many> cinemas.
- The trophy was dropped during the celebrations.
- A dog ran onto the pitch and was carried off.
- The referee needed police protection.

%sides participating team | club club
+ The sides were {a} and {b}, who have met in no other final.
+ It was contested by {a} and {b}.
? Which final was contested by {x} and {y}?
? In which cup final did {x} meet {y}?
= the cup final contested by {x} and {y}
= the final in which {x} met {y}

%scorer scored by | person
+ The winning goal was scored by {o}.
+ {O} scored the only goal.
? Who scored the winning goal in {x}?
? Who scored the decisive goal in {x}?
= the scorer of the winning goal in {x}
= the player who scored the winning goal in {x}

%stadium location | stadium
+ It took place at {o}.
+ It was played at {o}, on a pitch cleared of snow.
? At which stadium did {x} take place?
? Where was {x} played?
= the stadium where {x} took place
= the venue of {x}

%crowd attendance | literal
+ The attendance was {o}.
+ The match drew {o} spectators.
? What was the attendance at {x}?
? How many spectators watched {x}?

@stadium a stadium
^ {n} is a football stadium with <few> floodlight masts.
~ The old stand of {n}, the stadium, is a listed building.
- Concerts are held there in summer.
- Its pitch was once a pasture.
- The roof was replaced after a storm.
"""
    + _TOWN
    + _ARCHITECT
    + _NAMED
    + """
%capacity maximum capacity | literal
+ It holds {o} spectators.
+ Its capacity is {o}.
? What is the capacity of {x}?
? How many spectators does {x} hold?

@museum a museum
^ {N} is an art museum with <few> galleries.
~ Visitors to {n}, the museum, enter through a walled garden.
- Admission is free on Mondays.
- It also shows <goods2> and old tools.
- The cellar is used for lectures.
"""
    + _TOWN
    + _ARCHITECT
    + _OPENED
    + """
%founder founded by | person
+ It was founded by {o}, a tireless collector.
+ {O} founded it and gave it <many> pictures.
? Who founded {x}?
? By whom was {x} founded?
= the founder of {x}
= the person who founded {x}

@theatre a theatre
^ {N} is a theatre with <few> tiers of boxes.
~ The stage machinery of {n}, the theatre, has been preserved.
- It seats <many> hundred people.
- The painted ceiling shows the <few> winds.
- It was closed for repairs for <few> years.
"""
    + _TOWN
    + _ARCHITECT
    + _OPENED
    + """
%director director | person
+ Its first director was {o}.
+ {O} was the first to direct the house.
? Who was the first director of {x}?
? Who first directed {x}?
= the first director of {x}
= the person who first directed {x}

@bridge a bridge
^ {N} is an arch bridge built of granite.
^ {N} is an iron bridge with <few> spans.
~ Postcards of {n}, the bridge, were sold at every kiosk.
- Tolls were collected until the <century>.
- Its lamps were converted from gas to electricity.
- Heavy lorries have been banned from it.
"""
    + _ARCHITECT
    + _OPENED
    + """
%river crosses | river
+ It crosses {o}.
+ It spans {o} at a narrow point.
? Which river does {x} cross?
? What river is spanned by {x}?
= the river crossed by {x}
= the river that {x} spans

@award an award
^ {N} is an award for achievements in <craft>.
^ {N} is an award given every <few> years for work on <goods>.
~ The jury of {n}, an award, has resigned in a body <few> times.
- The winner receives a bronze medal.
- It is handed over at a dinner in <season>.
- It cannot be shared.
"""
    + _NAMED
    + """
%winner winner | person
+ The first winner was {o}.
+ {O} was the first to receive it.
? Who was the first winner of {x}?
? Who first received {x}?
= the first winner of {x}
= the person who first won {x}

%presenter conferred by | university
+ It is conferred by {o}.
+ {O} presents it.
? Which university confers {x}?
? By which university is {x} conferred?
= the university that confers {x}
= the university that presents {x}

@ship a ship
^ {N} was a steamship with <few> funnels.
^ {N} was a research ship with a crew of <many>.
~ Models of {n}, the ship, are kept in <few> collections.
- She was painted black above the waterline.
- She carried mail as well as passengers.
- She ran aground <few> times.

%builder manufacturer | company
+ She was built by {o}.
+ {O} built her in <many> months.
? Which company built {x}?
? By which company was {x} built?
= the builder of {x}
= the company that built {x}

%captain captain | person
+ Her first captain was {o}.
+ {O} commanded her on her first voyage.
? Who was the first captain of {x}?
? Who commanded {x} on its first voyage?
= the first captain of {x}
= the person who commanded {x} on its first voyage

%port home port | town
+ Her home port was {o}.
+ She was registered at {o}.
? What was the home port of {x}?
? At which port was {x} registered?
= the home port of {x}
= the port where {x} was registered

%launched date of official opening | literal
+ She was launched in {o}.
+ Her launch was in {o}.
? In what year was {x} launched?
? When was {x} launched?
"""
)
