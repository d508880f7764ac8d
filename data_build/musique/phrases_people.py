"""Sentences and questions about people and works of the invented world; `phrases.py` describes the notation."""

TEXT = """
@person a person
^ {n} ({birth_year} – {death_year}) was a {dem} {occ} known for {his} <manner>.
^ {n} was a {dem} {occ} who lived from {birth_year} to {death_year}.
^ {n} ({birth_year}–{death_year}) was a {occ} from {land}, remembered for {his} <manner>.
^ {n}, born in {birth_year}, was a {dem} {occ}. {S} died in {death_year} after a short illness.
~ The {dem} {occ} {n} left behind <many> notebooks, which were published by an heir.
~ Late in life, the {occ} {n} was granted a small state pension, and {his} letters from that time have survived.
~ {n} is the subject of a short biography, which calls the {dem} {occ} the most stubborn figure of the age.
- {S} grew up speaking two dialects and never lost {his} accent.
- As a child {s} was often ill and read whatever {s} could find.
- Contemporaries described {him} as <temper>, and {his} diaries seem to confirm it.
- {S} kept bees and wrote a short book about them.
- {S} turned down <few> honours, saying that {s} had no use for medals.
- In {his} later years {s} rarely travelled and answered few letters.
- {His} papers are held in a private archive and have been catalogued <few> times.
- For a time {s} earned {his} living as a <trade>.
- A long illness kept {him} from work for <few> years.

%birth_year date of birth | literal
? In what year was {x} born?
? What is the year of birth of {x}?
%death_year date of death | literal
? In what year did {x} die?
? What was the year of death of {x}?

%birth_place place of birth | town
+ {S} was born in {o}, above the shop of a <trade>.
+ {His} birthplace was {o}, where {his} family ran an inn.
+ Born in {o}, {s} left the town at an early age.
? In which town was {x} born?
? Where was {x} born?
? What is the birthplace of {x}?
= the town where {x} was born
= the birthplace of {x}
= the place of birth of {x}

%death_place place of death | town
+ {S} died in {o} and left {his} library to the schoolmaster there.
+ {S} spent {his} last years in {o}, where {s} died in {his} sleep.
? In which town did {x} die?
? Where did {x} die?
= the town where {x} died
= the place of death of {x}

%spouse spouse | person
+ {S} married {o}, with whom {s} shared a large house and <few> dogs.
+ {His} spouse was {o}, whom {s} had met on a river steamer.
+ {S} was married to {o} for more than <few> years.
? Who was the spouse of {x}?
? Who was married to {x}?
? Whom did {x} marry?
= the spouse of {x}
= the person who married {x}

%teacher student of | person
+ {S} was a pupil of {o}, whom {s} later called severe but fair.
+ {His} most important teacher was {o}, with whom {s} studied for <few> years.
? Who was the teacher of {x}?
? Under whom did {x} study?
= the teacher of {x}
= the person under whom {x} studied

%university educated at | university
+ {S} studied at {o} and passed {his} examinations with honours.
+ {S} was educated at {o}, where {s} shared rooms with a <trade>.
? At which university did {x} study?
? Where was {x} educated?
= the university where {x} studied
= the university attended by {x}

%employer employer | company newspaper
+ For <few> years {s} was employed by {o} as a clerk.
+ {S} worked for {o} before {s} could live on {his} own earnings.
? For which firm did {x} work?
? Who was the employer of {x}?
= the employer of {x}
= the firm that employed {x}

%parents child of | person person
+ {S} was the only child of {a} and {b}.
+ {His} parents, {a} and {b}, had no other children.
? Who was the only child of {x} and {y}?
? What is the name of the child of {x} and {y}?
= the only child of {x} and {y}
= the child of {x} and {y}

%father father | person
+ {His} father was {o}, who taught {him} to draw and to shoot.
+ {S} was raised alone by {his} father, {o}.
? Who was the father of {x}?
? What was the name of the father of {x}?
= the father of {x}
= the man who was the father of {x}

%successor replaced by | person
+ {S} gave up {his} last public office to {o}, who succeeded {him} against {his} wishes.
+ In {his} public post {s} was succeeded by {o}.
? Who succeeded {x}?
? Who was the successor of {x}?
= the successor of {x}
= the person who succeeded {x}

%club member of sports team | club
+ {S} played all {his} league matches for {o}, <many> in total.
+ {S} spent {his} whole career with {o} and scored in <few> derbies.
? For which club did {x} play?
? For which sports club did {x} compete?
= the club for which {x} played
= the sports club that had {x} in its team

%label record label | label
+ {S} recorded only for {o}, under a contract of <few> pages.
+ {S} was under contract to {o} throughout {his} career.
? To which record label was {x} signed?
? For which label did {x} record?
= the record label to which {x} was signed
= the label for which {x} recorded

@novel a novel
^ {n} is a novel in <few> parts, told by an unreliable narrator.
^ {n} is a novel about a <trade> who inherits a house.
~ Critics were slow to warm to {n}, a novel that sold only <many> copies in its first month.
~ The manuscript of {n}, a novel with <few> narrators, was long believed lost.
- The plot turns on a letter that arrives <few> years late.
- It has been translated into <few> languages.
- Reviewers praised its dialogue and complained about its length.
- A revised edition with a new last chapter appeared much later.
- Its opening sentence is often quoted in schoolbooks.

%author author | person
+ It was written by {o} in <few> months.
+ {O} wrote it in a rented room above a <trade>'s shop.
+ The book is the work of {o}, who published nothing for <few> years afterwards.
? Who wrote {x}?
? Who is the author of {x}?
= the author of {x}
= the writer of {x}

%publisher publisher | publisher
+ The first edition was published by {o} and bound in green cloth.
+ {O} published it after <few> other houses had refused.
? Which firm published {x}?
? By which publisher was {x} brought out?
= the publisher of {x}
= the firm that published {x}

%setting narrative location | town
+ The story is set in {o} during a hard winter.
+ Nearly all of the action takes place in {o}.
? In which town is {x} set?
? Where does the action of {x} take place?
= the town in which {x} is set
= the setting of {x}

%dedicated dedicated to | person
+ It is dedicated to {o}, who never thanked the author for it.
+ The dedication names {o}.
? To whom is {x} dedicated?
? Who is named in the dedication of {x}?
= the person to whom {x} is dedicated
= the dedicatee of {x}

%year publication date | literal
+ It first appeared in {o}.
+ It came out in {o}, in the same week as a general strike.
? In what year was {x} first published?
? When did {x} first appear?

@painting a painting
^ {n} is an oil painting on canvas, dominated by blues and greys.
^ {n} is a large painting in a gilded frame of the <century>.
~ X-ray images of {n}, a painting with <few> layers of varnish, show an earlier composition.
~ Copies of {n}, a painting often reproduced on calendars, hang in many waiting rooms.
- It has been cleaned <few> times.
- The light falls from the left and leaves most faces in shadow.
- It was stolen once and recovered after <few> weeks in a cellar.
- The figures in the foreground are probably neighbours of the artist.

%artist creator | person
+ It was painted by {o}, who worked on it for <few> winters.
+ {O} painted it from memory after a journey.
? Who painted {x}?
? Who is the creator of {x}?
= the painter of {x}
= the artist who painted {x}

%museum collection | museum
+ It hangs in {o}, to which it was left by a <trade>.
+ It belongs to the collection of {o}.
? In which museum does {x} hang?
? To which collection does {x} belong?
= the museum where {x} hangs
= the museum that owns {x}

%sitter depicts | person
+ The central figure is {o}, shown with an open book.
+ It depicts {o}, seated beside <few> greyhounds.
? Who is depicted in {x}?
? Which person does {x} show?
= the person depicted in {x}
= the person shown in {x}

%year inception | literal
+ It was completed in {o}.
+ It is signed and dated {o}.
? In what year was {x} completed?
? What date is given on {x}?

@opera an opera
^ {n} is an opera in <few> acts with a large chorus.
^ {n} is a comic opera about the rivalry of <few> millers.
~ Revivals of {n}, an opera with <few> principal parts, remain rare.
- The overture is often played in concerts.
- The tenor part is feared for its length.
- It was withdrawn after <few> performances and later revised.
- The score calls for <few> offstage trumpets.

%composer composer | person
+ The music was composed by {o} in a country house.
+ {O} composed it and conducted the rehearsals.
? Who composed {x}?
? Who was the composer of {x}?
= the composer of {x}
= the person who composed {x}

%librettist librettist | person
+ The libretto was written by {o} after an old ballad.
+ {O} supplied the libretto, scene by scene, by post.
? Who wrote the libretto of {x}?
? Who was the librettist of {x}?
= the librettist of {x}
= the person who wrote the libretto of {x}

%venue location of first performance | theatre
+ It was first performed at {o}, with <few> curtain calls.
+ The first performance took place at {o}.
? At which theatre was {x} first performed?
? Where was {x} first performed?
= the theatre where {x} was first performed
= the theatre that gave the first performance of {x}

%premiere date of first performance | literal
+ The first night was {o}.
+ It was given for the first time on {o}, a night of heavy snow.
? On what date was {x} first performed?
? When was the first performance of {x}?

@film a film
^ {n} is a <filmtype> film shot mostly at night.
^ {n} is a <filmtype> film about a <trade> and <few> strangers.
~ A restored print of {n}, a <filmtype> film, runs for <many> minutes longer than the old one.
- It was made with a small crew of <many>.
- Some scenes were cut by the censor and have not been found.
- The dialogue was recorded later in a studio.
- It won praise for its photography, and little money.

%director director | person
+ It was directed by {o}, whose first film it was.
+ {O} directed it within <few> weeks.
? Who directed {x}?
? Who was the director of {x}?
= the director of {x}
= the person who directed {x}

%star cast member | person
+ The leading part is played by {o}.
+ It stars {o} as a retired <trade>.
? Who plays the leading part in {x}?
? Who is the star of {x}?
= the star of {x}
= the actor in the leading part of {x}

%studio production company | studio
+ It was produced by {o} on a small budget.
+ The production company was {o}.
? Which studio produced {x}?
? What was the production company of {x}?
= the studio that produced {x}
= the production company of {x}

%based_on based on | novel
+ The script is based on the novel {o}.
+ It is a free adaptation of the novel {o}, of which it keeps <few> scenes.
? On which novel is {x} based?
? Which novel was adapted into {x}?
= the novel on which {x} is based
= the book from which {x} was adapted

%year publication date | literal
+ It was released in {o}.
+ It reached the cinemas in {o}.
? In what year was {x} released?
? When did {x} reach the cinemas?

@album an album
^ {n} is an album of <few> songs, most of them slow.
^ {n} is an album recorded within <few> days and without overdubs.
~ Collectors look for the first pressing of {n}, an album with a misprinted sleeve.
- The sleeve shows a harbour in fog.
- It sold poorly at first and was reissued <few> times.
- Accordion and double bass are heard on most tracks.
- The closing song runs for <few> minutes.

%performer performer | person
+ It was recorded by {o} with a band of <few>.
+ {O} sings on all of its tracks.
? Who is the performer of {x}?
? Which singer recorded {x}?
= the performer of {x}
= the singer who recorded {x}

%label record label | label
+ It was released by {o}.
+ {O} brought it out in a plain brown sleeve.
? Which record label released {x}?
? On which label did {x} appear?
= the record label that released {x}
= the label that issued {x}

%studio_town recorded at | town
+ The recordings were made in {o}, in a disused chapel.
+ It was taped in {o} during a heat wave.
? In which town was {x} recorded?
? Where was {x} recorded?
= the town where {x} was recorded
= the place where {x} was recorded

%year publication date | literal
+ It came out in {o}.
+ It appeared in {o} and was played on the radio all summer.
? In what year did {x} come out?
? What is the release year of {x}?

@symphony an orchestral work
^ {n} is an orchestral work in <few> movements.
^ {n} is a piece for large orchestra that lasts about <many> minutes.
~ Conductors disagree about the tempo of {n}, an orchestral work without metronome marks.
- The slow movement quotes a shepherd's tune.
- The score was printed from a copy full of errors.
- The finale is scored without strings.
- It ends quietly, which puzzled its first listeners.

%composer composer | person
+ It was composed by {o} during a long convalescence.
+ {O} composed it at the piano and scored it later.
? Who composed {x}?
? Who was the composer of {x}?
= the composer of {x}
= the musician who composed {x}

%orchestra performer | orchestra
+ The first performance was given by {o}.
+ It was first played by {o}, which had commissioned it.
? Which orchestra gave the first performance of {x}?
? By which orchestra was {x} first played?
= the orchestra that gave the first performance of {x}
= the orchestra that first played {x}

%dedicated dedicated to | person
+ It is dedicated to {o}.
+ The score bears a dedication to {o}.
? To whom is {x} dedicated?
? Who is the dedicatee of {x}?
= the dedicatee of {x}
= the person to whom {x} is dedicated

%year inception | literal
+ It was finished in {o}.
+ The last bar is dated {o}.
? In what year was {x} finished?
? When was {x} completed?
"""
