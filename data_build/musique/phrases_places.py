"""Sentences and questions about places of the invented world; `phrases.py` describes the notation."""

TEXT = """
@country a country
^ {n} is a country <coast>, made up of <few> regions and <few> smaller dependencies.
^ {n} is a sovereign state <coast>. It is known for its <goods> and for a long tradition of <craft>.
~ Few states have written as much about their own past as {n}, whose archives fill <few> buildings.
~ In the view of most historians, {n} owes its borders to the dynastic marriages of the <century>.
- The economy rests on <goods>, <goods2> and, more recently, on tourism.
- {His} parliament sits in two chambers, of which the upper is elected every <few> years.
- Winters are long in the interior, while the coast has a mild and rainy climate.
- The flag shows <few> white stars on a field of green.
- Schooling is compulsory up to the age of fifteen, and literacy is close to complete.

%capital capital | town
+ {His} capital is {o}, where the parliament and the supreme court have their seats.
+ The government sits in {o}, which was made the capital when the older one burned down.
? What is the capital of {x}?
? Which city serves as the capital of {x}?
= the capital of {x}
= the town that is the capital of {x}

%currency currency | literal
+ The currency is the {o}, which is divided into <many> smaller coins.
+ Payments are made in the {o}, a currency that replaced the old silver coinage.
? What is the currency of {x}?
? What is the name of the money used in {x}?

%independent year of independence | literal
+ {S} became independent in {o} after a conference of <few> powers.
+ Independence was proclaimed in {o} and recognised by the neighbours within <few> years.
? In what year did {x} become independent?
? When did {x} gain its independence?

%first_president first head of state | person
+ The first president was {o}, who took the oath in a riding school.
+ When the monarchy ended, {o} was elected the first president.
? Who was the first president of {x}?
? Which politician was the first head of state of {x}?
= the first president of {x}
= the first head of state of {x}

%anthem anthem composer | person
+ The melody of the national anthem was composed by {o} for a competition with <few> entries.
+ {His} national anthem, first sung at a harvest festival, was set to music by {o}.
? Who composed the national anthem of {x}?
? Who wrote the melody of the anthem of {x}?
= the composer of the national anthem of {x}
= the person who composed the anthem of {x}

%highest highest point | mountain
+ {His} highest point is {o}, which is snow-covered for most of the year.
+ No summit in the country is higher than {o}.
? What is the highest mountain of {x}?
? Which mountain is the highest point of {x}?
= the highest mountain of {x}
= the highest point of {x}

@region a region
^ {n} is a <rural> region with <few> towns of more than ten thousand inhabitants.
^ {n} is an administrative region known for its <goods>.
~ The dialect spoken in {n} keeps <few> vowels that have vanished elsewhere.
~ Folk costumes from {n} are easily told by their red sleeves and by <few> rows of buttons.
- Its farms grow mostly rye, flax and hops, and <goods> has been made here since the <century>.
- A network of canals, now used by pleasure boats, was dug in the <century>.
- Roughly a third of the land is covered by forest.
- The regional museum keeps a collection of <goods2> and old maps.

%country country | country
+ {S} is one of the regions of {o} and elects <few> members of its parliament.
+ {S} belongs to {o}, to which it was joined by treaty in the <century>.
? In which country is {x}?
? To which country does {x} belong?
= the country containing {x}
= the country to which {x} belongs

%seat administrative seat | town
+ {His} administrative seat is {o}, although the court of appeal sits elsewhere.
+ The regional council meets in {o}, the administrative seat.
? What is the administrative seat of {x}?
? In which town does the regional council of {x} meet?
= the administrative seat of {x}
= the town where the regional council of {x} meets

%governor head of government | person
+ The first governor, {o}, drained the marshes and built <few> schools.
+ {O} was appointed the first governor and stayed in office for <few> years.
? Who was the first governor of {x}?
? Which person was appointed the first governor of {x}?
= the first governor of {x}
= the person appointed first governor of {x}

%area area | literal
+ {S} covers an area of {o}, more than half of it pasture.
+ With an area of {o}, {s} is of middling size among the regions.
? What is the area of {x}?
? How large is the area covered by {x}?

%peak highest point | mountain
+ The highest point is {o}, a popular goal of hikers.
+ Towards the border the land rises to {o}, the highest point of the region.
? What is the highest point in {x}?
? Which mountain is the highest in {x}?
= the highest mountain in {x}
= the highest point of {x}

@town a town
^ {n} is a <rural> town with a railway station and <few> churches.
^ {n} is a town known for its <goods>.
^ {n} is a market town whose square is lined with <many> lime trees.
~ The history of {n} as a trading place goes back to the <century>, when a toll was first levied there.
~ A fire in the <century> destroyed most of {n}, and <many> houses had to be rebuilt in stone.
- The annual fair in <season> draws visitors from the surrounding villages.
- The parish church has a wooden tower and <few> bells cast from old cannon.
- The local industry once produced <goods> and <goods2>.
- A narrow-gauge railway carried timber to the harbour until it was closed.
- {His} coat of arms shows a heron above <few> waves.
- The old town hall, a brick building with a stepped gable, now houses the library.
- Mills and tanneries shaped the lower quarter, which was flooded <few> times.

%region located in the administrative territorial entity | region
+ {S} is situated in {o} and is the market for <few> neighbouring parishes.
+ Administratively, {s} is part of {o}.
+ {S} lies in the hilly part of {o}.
? In which region is {x}?
? In which administrative region does {x} lie?
? Which region is {x} part of?
= the region containing {x}
= the region that includes {x}

%river located on terrain feature | river
+ {S} stands on {o}, which is crossed here by <few> footbridges.
+ The town grew up along {o}, whose water drove the first mills.
? On which river does {x} stand?
? Which river flows through {x}?
= the river that flows through {x}
= the river running through {x}

%founder founded by | person
+ {S} was founded by {o}, who granted plots to <many> families of weavers.
+ According to its charter, {s} was founded by {o} on the site of an abandoned fort.
? Who founded {x}?
? By whom was {x} founded?
= the founder of {x}
= the person who founded {x}

%mayor head of government | person
+ {His} first mayor was {o}, who paved the streets and brought in gas lighting.
+ {O} became the first mayor when the council was set up.
? Who was the first mayor of {x}?
? Who became the first mayor of {x}?
= the first mayor of {x}
= the person who was first mayor of {x}

%population population | literal
+ At the last census {s} had a population of {o}.
+ {S} has {o} inhabitants, slightly fewer than a generation ago.
? What is the population of {x}?
? How many inhabitants does {x} have?

%twin twinned administrative body | town
+ {S} has been twinned with {o} since a visit of its choir.
+ {His} twin town is {o}, with which it exchanges apprentices every <season>.
? With which town is {x} twinned?
? What is the twin town of {x}?
= the twin town of {x}
= the town twinned with {x}

@river a river
^ {N} is a river known for its trout and for <few> old weirs.
^ {N} is a slow, winding river, navigable for barges in its lower reaches.
~ Timber rafting on {n} ended after <few> generations, when the last sawmill closed.
~ Poets of the <century> liked to compare {n} to a sleeping animal.
- In spring the meltwater often covers the meadows on both banks.
- Otters returned after the paper mills were shut down.
- {His} upper valley is narrow and wooded, the lower one broad and farmed.
- There are <few> locks, all of them built by hand.
- A small power station uses a drop of <few> metres.

%mouth mouth of the watercourse | river lake sea
+ {S} flows into {o} below a ruined abbey.
+ After passing <few> gorges, {s} empties into {o}.
+ {S} ends in {o}, where it has built up a reedy delta.
? Into which body of water does {x} flow?
? What is the mouth of {x}?
= the body of water into which {x} flows
= the mouth of {x}

%source origin of the watercourse | mountain
+ {S} rises on the slopes of {o} from a cluster of springs.
+ {His} source lies on {o}, close to a shepherd's hut.
? On which mountain does {x} rise?
? On the slopes of which mountain is the source of {x}?
= the mountain that is the source of {x}
= the mountain where {x} has its source

%length length | literal
+ {S} is {o} long, if its upper branch is counted.
+ Over its length of {o} it drops by more than a hundred metres.
? How long is {x}?
? What is the length of {x}?

@lake a lake
^ {n} is a lake known for its clear water and <few> wooded islands.
^ {n} is a glacial lake surrounded by pine forest.
~ Fishing rights on {n} were disputed for most of the <century>.
~ Steamers have plied {n} since the <century>, stopping at <few> landing stages.
- Its whitefish is smoked and sold at markets.
- In cold winters the ice bears horse sledges.
- Cottages stand along the southern shore.
- A regatta of old sailing boats is held every <season>.

%depth depth | literal
+ The greatest depth, {o}, was measured by <few> students with a lead line.
+ {S} reaches a depth of {o} near its western end.
? What is the greatest depth of {x}?
? How deep is {x}?

%shore_town located next to | town
+ The largest town on its shore is {o}, which has a bathing beach.
+ On its shore stands {o}, by far the largest of <few> lakeside towns.
? What is the largest town on the shore of {x}?
? Which town is the largest on {x}?
= the largest town on the shore of {x}
= the largest town beside {x}

%surveyor discoverer or inventor | person
+ {S} was first surveyed by {o}, who spent <few> summers in a tent on the bank.
+ The first map was drawn by {o}, who surveyed the whole of its shore on foot.
? Who first surveyed {x}?
? Who drew the first map of {x}?
= the person who first surveyed {x}
= the surveyor who first mapped {x}

@mountain a mountain
^ {n} is a mountain with a flat, stony summit.
^ {n} is a mountain whose northern face keeps <few> small glaciers.
~ Legends about {n} tell of <few> giants who were turned to stone.
~ A weather station on {n} was staffed all year round until it was automated.
- A marked path leads to the top in about <few> hours.
- Its lower slopes are grazed by sheep.
- Slate was quarried on the eastern side.
- The hut below the ridge sleeps <many> walkers.

%height elevation above sea level | literal
+ {S} rises to {o} above sea level.
+ {His} summit has an elevation of {o}.
? How high is {x}?
? What is the elevation of {x}?

%climber first ascent by | person
+ The first ascent was made by {o} with <few> guides and a mule.
+ {O} was the first to climb it, by way of the long western ridge.
? Who first climbed {x}?
? Who made the first ascent of {x}?
= the person who first climbed {x}
= the climber who made the first ascent of {x}

%region located in the administrative territorial entity | region
+ {S} stands in {o}, far from any large town.
+ The whole massif lies in {o}.
? In which region does {x} stand?
? In which region is {x} situated?
= the region containing {x}
= the region where {x} rises

@line a railway line
^ {n} is a railway line with <few> tunnels and <many> bridges.
~ Enthusiasts regard {n} as the finest mountain railway of its time.
- The trains were first drawn by tank engines painted dark green.
- Passenger traffic was suspended for <few> years and then resumed.
- Its stations were built of local sandstone, to a common plan.

%ends terminus | town town
+ It connects {a} with {b}, and no other line runs between the two.
+ It was built to link {a} and {b}, which had been joined only by a post road.
? Which railway line connects {x} and {y}?
? What is the name of the railway between {x} and {y}?
= the railway line that connects {x} with {y}
= the railway line between {x} and {y}

%engineer designed by | person
+ The route was laid out by {o}, an engineer with a dislike of steep grades.
+ {O} was the engineer in charge and lived in a carriage during the works.
? Who was the engineer of {x}?
? Which engineer laid out {x}?
= the engineer of {x}
= the engineer who laid out {x}

%opened year of opening | literal
+ The first train ran in {o}, with <few> ministers on board.
+ It was opened to traffic in {o}.
? In what year was {x} opened?
? When did the first train run on {x}?

%length length | literal
+ The track is {o} long and single for most of the way.
+ Its total length is {o}.
? How long is {x}?
? What is the total length of {x}?

@treaty a treaty
^ {n} was an agreement that ended <few> years of border disputes.
~ Schoolchildren learn {n} by a rhyme of <few> lines.
- The text was written in two languages, and <few> clauses remained secret.
- A copy on vellum is shown to visitors on request.
- Its provisions on fishing and grazing are still quoted in court.

%parties participant | region region
+ It was concluded between {a} and {b}, which had each raised a militia.
+ The parties were {a} and {b}.
? Which treaty was concluded between {x} and {y}?
? What treaty did {x} and {y} conclude with each other?
= the treaty concluded between {x} and {y}
= the agreement made between {x} and {y}

%signed_at location | town
+ It was signed in {o}, in the hall of the clothiers' guild.
+ The delegates met and signed in {o} after <few> weeks of talks.
? In which town was {x} signed?
? Where was {x} signed?
= the town where {x} was signed
= the place where {x} was signed

%signed point in time | literal
+ The signatures were set on {o}, during a thunderstorm.
+ It is dated {o}.
? On what date was {x} signed?
? When was {x} signed?

%negotiator participant | person
+ The chief negotiator was {o}, who drafted most of it overnight.
+ {O} led the negotiations and kept the only full record of them.
? Who was the chief negotiator of {x}?
? Who led the negotiations for {x}?
= the chief negotiator of {x}
= the person who negotiated {x}
"""
