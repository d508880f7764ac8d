"""English phrases. One a line; see `spin` for `[a|b]` and `<slot>`, and `sv` for the slots."""

from data_build.invoices.mails.spin import lines

AND = ("and", "and", "and", "and also")
THINGS = {
    "sub": (("subscription", "the subscription", "it", "subscription number"),),
    "order": (
        ("order", "the order", "it", "subscription number"),
        ("order line", "the order line", "it", "subscription number"),
        ("purchase", "the purchase", "it", "subscription number"),
    ),
    "supplier": (("supplier", "the supplier", "they", "subscription number"),),
}
ADDRESS = (("you", "you"),)

# --- What is asked for: noun, clause (indirect question), question, label ---------------------------------------------

ASK: dict[str, dict[str, str]] = {
    "product_name": {
        "noun": "[the product name|the name of the product|the exact product name]",
        "clause": "[which product [it is|it is for|it refers to|that is|is behind it]|what the product is [called|"
        "named]|which product we are talking about]",
        "question": "[Which product [is it|is it for|does it refer to|is that]?|What is the product called?|"
        "What's the name of the product?]",
        "label": "[product|product name|name of the product]",
    },
    "department_name": {
        "noun": "[the department name|the name of the department|the ordering department|the responsible department]",
        "clause": "[which department [it belongs to|it sits with|is responsible for it|ordered it|it is booked to|"
        "has it]|which of our departments [it belongs to|ordered it|is down for it]]",
        "question": "[Which department [does it belong to|is it with|ordered it|is down for it]?|"
        "And which department is it?|Which of our departments has it?]",
        "label": "[department|department name|name of the department|ordering department]",
    },
    "period": {
        "noun": "[the start and end dates of the [latest|most recent|newest] delivery period|the first and last day of "
        "the [latest|most recent] delivery period|the latest delivery period's start and end dates]",
        "clause": "[when the [latest|most recent] delivery period [starts and ends|begins and ends]|what the start and "
        "end dates of the [latest|newest] delivery period are|which start and end dates the most "
        "recent delivery period has]",
        "question": "[When does the [latest|most recent] delivery period [start and end|begin and end]?|What are the "
        "start and end dates of the latest delivery period?|From when until when does the newest delivery period run?]",
        "label": "[latest delivery period (start and end)|start and end of the newest delivery period|"
        "most recent delivery period: first and last day]",
    },
    "order_period": {
        "noun": "[the start and end dates of the delivery period|the first and last "
        "day of the delivery period|the period's start and end dates]",
        "clause": "[when the delivery period [starts and ends|begins and ends]|which delivery period it covers, start "
        "and end|what the start and end dates of the delivery period are|from when until when the delivery period "
        "runs]",
        "question": "[When does the delivery period [start and end|begin and end]?|What are the start and end dates of "
        "the delivery period?|Which delivery period does it cover, start to end?|From when until when does the period "
        "run?]",
        "label": "[delivery period (start and end)|start and end dates|first and last day of the delivery period]",
    },
    "period_start": {
        "noun": "[the start date of the latest delivery period|the first day of the latest delivery period]",
        "clause": "[when the latest delivery period [starts|begins]|what the start date of the latest period is]",
        "question": "[When does the latest delivery period [start|begin]?|What is the start date of the "
        "latest period?]",
        "label": "[start date, latest delivery period|first day of the latest period]",
    },
    "period_end": {
        "noun": "[the end date of the latest delivery period|the last day of the latest delivery period]",
        "clause": "[when the latest delivery period [ends|finishes]|what the end date of the latest period is]",
        "question": "[When does the latest delivery period [end|finish]?|What is the end date of the latest period?]",
        "label": "[end date, latest delivery period|last day of the latest period]",
    },
    "status": {
        "noun": "[the status|the current status|the present status]",
        "clause": "[what status it has[| right now| in the system]|what its status is|what the status is|which status "
        "it shows]",
        "question": "[What is the status[| right now| at the moment]?|What status does it have?|And the status?|What "
        "does the status say?]",
        "label": "[status|current status|status right now]",
    },
    "subscription_number": {
        "noun": "[the subscription number|the number of the subscription|the right subscription number]",
        "clause": "[what the subscription number is|which subscription number [it has|goes with it|belongs to it]]",
        "question": "[What is the subscription number?|Which subscription number does it have?|What's the subscription "
        "number for it?]",
        "label": "[subscription number|subscription no|number of the subscription]",
    },
    "subscriber_name": {
        "noun": "[the subscriber's name|the name of the subscriber]",
        "clause": "[who the subscriber is|who is [named|down] as subscriber|whose name it is in]",
        "question": "[Who is the subscriber?|Whose name is it in?|Who is down as the subscriber?]",
        "label": "[subscriber|subscriber's name|name of the subscriber]",
    },
    "unit_price": {
        "noun": "[the unit price|the price per unit|the price for each unit]",
        "clause": "[what the unit price is|what the price per unit is|what price per unit applies|"
        "how much each unit costs]",
        "question": "[What is the unit price?|What does one unit cost?|Which unit price applies?|How much is the price "
        "per unit?]",
        "label": "[unit price|price per unit|price each]",
    },
    "supplier_name": {
        "noun": "[the supplier's name|the name of the supplier|the supplier name]",
        "clause": "[who the supplier is|which supplier [it is|this is|is behind it]|what the supplier is called|which "
        "company it is]",
        "question": "[Who is the supplier?|Which supplier is it?|What is the supplier called?|Which company is that?]",
        "label": "[supplier|supplier name|name of the supplier]",
    },
    "iban": {
        "noun": "[the IBAN|the IBAN on file|the correct IBAN]",
        "clause": "[what their IBAN is|which IBAN [they have|they use|is registered|you hold for them]]",
        "question": "[What is their IBAN?|Which IBAN do they use?|Which IBAN do you have for them?]",
        "label": "[IBAN|IBAN on file]",
    },
    "bankgiro": {
        "noun": "[the bankgiro number|the bankgiro|the correct bankgiro]",
        "clause": "[what their bankgiro number is|which bankgiro [they have|they use|is registered]]",
        "question": "[What is their bankgiro number?|Which bankgiro do they use?|Which bankgiro number is registered?]",
        "label": "[bankgiro|bankgiro number|bankgiro no.]",
    },
    "postgiro": {
        "noun": "[the postgiro number|the plusgiro number|the postgiro|the plusgiro]",
        "clause": "[what their [postgiro|plusgiro] number is|which [postgiro|plusgiro] [they have|they use|is "
        "registered]]",
        "question": "[What is their postgiro number?|Which plusgiro do they use?|Which postgiro number is registered?]",
        "label": "[postgiro|plusgiro|postgiro number]",
    },
    "vat_number": {
        "noun": "[the VAT number|the correct VAT number|the VAT registration number]",
        "clause": "[what their VAT number is|which VAT number [they have|they use|is registered|you hold for them]]",
        "question": "[What is their VAT number?|Which VAT number is registered?|Which VAT number do you have?]",
        "label": "[VAT number|VAT no|VAT registration number]",
    },
    "email": {
        "noun": "[the e-mail address|the email address|the e-mail address on file|a working email address]",
        "clause": "[what their e-mail address is|which email address [they have|is registered|we should use]]",
        "question": "[What is their e-mail address?|Which email address do you have for them?]",
        "label": "[e-mail|email address|e-mail address]",
    },
}  # fmt: skip

# --- What is known ----------------------------------------------------------------------------------------------------

LABELS = {
    "subscription_number": "[Subscription number|Subscription no.|Subscription|Sub no]",
    "supplier_name": "[Supplier|Supplier name|Name of supplier|Vendor]",
    "iban": "[IBAN|Account (IBAN)|IBAN on the invoice]",
    "bankgiro": "[Bankgiro|Bankgiro no|Paid to bankgiro|BG]",
    "postgiro": "[Postgiro|Plusgiro|Postgiro no|Paid to plusgiro]",
    "vat_number": "[VAT no|VAT number|Seller's VAT number]",
    "product_name": "[Product|Item|Description|Product name]",
    "subscriber_name": "[Subscriber|Recipient|In the name of]",
    "period_start": "[Period from|From|Start date|Period begins]",
    "period_end": "[Period to|To|End date|Period ends]",
}
SUPPLIER_REF = {
    "supplier_name": "[<supplier_name>|the supplier <supplier_name>|our supplier <supplier_name>]",
    "iban": "[the supplier with IBAN <iban>|whoever holds IBAN <iban>|the company behind IBAN <iban>|the holder of "
    "IBAN <iban>]",
    "bankgiro": "[the supplier with bankgiro <bankgiro>|whoever is behind bankgiro <bankgiro>|the company that has "
    "bankgiro number <bankgiro>|the supplier paid through bankgiro <bankgiro>]",
    "postgiro": "[the supplier with postgiro <postgiro>|whoever is behind plusgiro <postgiro>|the company that has "
    "postgiro number <postgiro>|the supplier paid through plusgiro <postgiro>]",
    "vat_number": "[the supplier with VAT number <vat_number>|the company registered under VAT no <vat_number>|whoever "
    "uses VAT number <vat_number>]",
}
SUB_REF = (
    "[subscription <subscription_number>|subscription no. <subscription_number>|subscription number "
    "<subscription_number>|the subscription with number <subscription_number>|the subscription numbered "
    "<subscription_number>]"
)
MY_SUB_REF = "[my subscription, number <subscription_number>|my subscription <subscription_number>]"
ORDER_REF = "<tingen>"
OF_PRODUCT = "[for <product_name>|covering <product_name>]"
AT_SUPPLIER = "[with|from]"
FOR_SUBSCRIBER = (
    "[in the name of <subscriber_name>|with <subscriber_name> as subscriber|under <subscriber_name>|where "
    "<subscriber_name> is the subscriber]"
)
FOR_ME = (
    "[in my name (<subscriber_name>)|where I, <subscriber_name>, am the subscriber|in my own name (<subscriber_name>)]"
)
STATE_ME = lines("""
[My name is|I am the subscriber,|It is in my own name,] <subscriber_name>.
""")
IN_PERIOD = (
    "[for the period <period_start> to <period_end>|for the delivery period <period_start> – <period_end>|"
    "delivered from <period_start> to <period_end>|running from <period_start> until <period_end>]"
)

STATE_SUB = lines("""
[This is about|It concerns|I am writing about|My question is about|It's about] <ref>.
[The number is|The number I have is|Our number for it is|The only number I can find is] <subscription_number>.
[The invoice|The invoice line|The paperwork|Our list|The delivery note] [only says|just gives|shows nothing but|\
mentions] [number |subscription |subscription no. |]<subscription_number>.
[All I have to go on|The only thing we know|The one thing that is printed] is [subscription|the subscription number] \
<subscription_number>.
[I have|We have] [an invoice|a line in the ledger|a cost line] [here |in front of me |]that [refers to|points to|\
carries] <ref>.
[In our records|In our system|On our list] there is [a|an old] subscription numbered <subscription_number>.
Subscription <subscription_number> [is the one in question|came up in our review|is the one I'm stuck on].
""")
STATE_SUB_MINE = lines("""
[It is about|I am writing about|This concerns|It's] my subscription, number <subscription_number>.
[My number is|My subscription number is|The number I was given is] <subscription_number>.
[The label|The letter|The envelope|The card that came with it] [says|has] [number|subscription number] \
<subscription_number>.
I [get|have|receive] a subscription [through|by way of|via] <corp>, [number|its number is|it has number] \
<subscription_number>.
I can read <subscription_number> [on the label|at the top of the last letter|on the back], which I think is the \
subscription number.
""")
STATE_SUPPLIER = {
    "supplier_name": lines("""
    [It concerns|This is about|I am asking about|The one in question is] [the supplier |]<supplier_name>.
    [The supplier is called|The company's name is|Their name is] <supplier_name>[| and they should be in your \
    records].
    [We have [an invoice|a bill] [here |]|[I have|There is] [an invoice|a bill|a letter] [here |on my desk |]]from \
    <supplier_name>.
    We [buy|order] [a few things |some of our services |]from <supplier_name>[| and have done so for years].
    [The name is all I have|I only have the name]: <supplier_name>.
    """),
    "iban": lines("""
    [The invoice|The payment file|The statement|Our bank] [only shows|gives nothing but|just has] an IBAN: <iban>.
    [We have|I have] [an IBAN|an account number (IBAN)], <iban>, [but no name|and that is all|and nothing else].
    [The payment|The money] [went|has gone|is meant to go] to IBAN <iban>.
    [The only thing on the statement is|All I have to go on is|The account is given as] IBAN <iban>.
    [The receiving account|The account] has IBAN <iban>.
    """),
    "bankgiro": lines("""
    [The invoice|The payment slip|The paperwork|The bottom of the invoice] [only shows|gives nothing but|just has] \
    bankgiro <bankgiro>.
    [We have|I have] [only |just |]a bankgiro number, <bankgiro>, [but no name|and no sender|and nothing else].
    [The payment|The money] [went|has gone|is meant to go] to bankgiro <bankgiro>.
    [The bankgiro is|The bankgiro number I have is|The bankgiro given is] <bankgiro>.
    [We paid|They want to be paid] [through|via] bankgiro <bankgiro>.
    """),
    "postgiro": lines("""
    [The invoice|The payment slip|The paperwork|The bottom of the invoice] [only shows|gives nothing but|just has] \
    [postgiro|plusgiro] <postgiro>.
    [We have|I have] [only |just |]a [postgiro|plusgiro] number, <postgiro>, [but no name|and no sender|and nothing \
    else].
    [The payment|The money] [went|has gone|is meant to go] to [postgiro|plusgiro] <postgiro>.
    [The postgiro is|The plusgiro number I have is|The postgiro given is] <postgiro>.
    [We paid|They want to be paid] [through|via] plusgiro <postgiro>.
    """),
    "vat_number": lines("""
    [The invoice|The paperwork|The VAT return] [only shows|gives nothing but|just has] VAT number <vat_number>.
    [We have|I have] [only |just |]a VAT number, <vat_number>, [but no name|and no sender|and nothing else].
    [The seller|The sender] [gives|states] VAT no <vat_number>.
    [The VAT number is|The VAT number I have is|The VAT number printed is] <vat_number>.
    """),
}
STATE_ORDER = {
    "order": lines("""
    [This is about|It concerns|I am writing about|My question is about|We are looking at] <ref>.
    [We have|I have in front of me|Our list has|I'm looking at] <ref>.
    [I am trying to trace|We are looking for details of|I'm trying to make sense of] <ref>.
    """),
    "product_name": lines("""
    [The product is|The product is called|It is for|What was ordered is|The item is] <product_name>.
    [What we buy is|What we get from them is|They supply us with] <product_name>.
    [The line covers|The line reads|It is about] <product_name>.
    """),
    "subscriber_name": lines("""
    [The subscriber is|The name on it is|The recipient is|It is registered to] <subscriber_name>.
    [It is in the name of|It was set up for|It runs under the name of] <subscriber_name>.
    <subscriber_name> [is the subscriber|is the one it was ordered for|is named as subscriber].
    """),
    "period": lines("""
    [The period is|The delivery period is|It covers|The delivery period we're looking at is] <period_start> to \
    <period_end>.
    [It runs|The delivery runs|The period runs] from <period_start> to <period_end>.
    [Delivery starts|The period starts|It begins] on <period_start> and ends on <period_end>.
    """),
}
TERSE_REF = {
    "subscription_number": "[Sub|Subscription|Sub no|Subscription no.] <subscription_number>",
    "supplier_name": "<supplier_name>", "iban": "IBAN <iban>", "bankgiro": "[BG|Bankgiro] <bankgiro>",
    "postgiro": "[Postgiro|Plusgiro] <postgiro>", "vat_number": "[VAT|VAT no] <vat_number>",
    "product_name": "<product_name>", "subscriber_name": "<subscriber_name>",
    "period_start": "from <period_start>", "period_end": "to <period_end>",
}  # fmt: skip

# --- How it is asked --------------------------------------------------------------------------------------------------

NOUN_ASK = {
    "formal": lines("""
    [We kindly request|We would like to request|We hereby request] <nouns> [for|in respect of|relating to] <ref>.
    [Please|Kindly] [confirm|state|provide|let us have] <nouns> [for|in respect of|relating to] <ref>.
    Would you be so kind as to [send us|provide|confirm] <nouns> [for|with regard to] <ref>?
    For our [records|files|reconciliation] we require <nouns> [for|relating to] <ref>.
    I should be [grateful|obliged] if you would [send|let us have|confirm] <nouns> for <ref>.
    We write to [enquire after|ask for] <nouns> [for|in respect of] <ref>.
    """),
    "plain": lines("""
    [Could|Can|Would] you [send me|send us|look up|find|give me|help us with] <nouns> for <ref>[, please|]?
    [I need|We need|I would need|We could do with] <nouns> for <ref>.
    [I am looking for|We are missing|I can't find|We don't have] <nouns> for <ref>. [Can you help?|Do you have it on \
    file?|Could you fill that in?|]
    Do you have <nouns> [on file |]for <ref>?
    As for <ref>, [I need|we still need|what I'm missing is] <nouns>.
    [Is it possible to get|Would it be possible to get|May I have] <nouns> for <ref>?
    [Please send|Please look up|Please let me know] <nouns> for <ref>.
    [Is there someone there who can|Are you the right people to] [tell me|look up|check] <nouns> for <ref>?
    """),
    "casual": lines("""
    [Could|Can] you [dig out|have a quick look at|fish out|ping me] <nouns> for <ref>?
    [Any chance you have|Do you happen to have|Would you know] <nouns> for <ref>?
    [Just after|I'm just after|Only need] <nouns> for <ref>, [nothing else|that's all|nothing fancy].
    [What I'm after is|All I'm after is|The thing I need is] <nouns> for <ref>.
    [Mind sending|Can I get|Could I grab] <nouns> for <ref>?
    """),
}
CLAUSE_ASK = {
    "formal": lines("""
    [We would like to know|We ask you to confirm|Please confirm|Kindly state] <clauses>.
    [My question is|Our question is|The question is therefore] <clauses>.
    [I should be grateful to learn|We would appreciate confirmation of] <clauses>.
    Our procedures require us to record <clauses>. [Please reply with these details.|We ask you to supply this.|]
    Would you please [clarify|confirm|advise] <clauses>?
    """),
    "plain": lines("""
    [Could|Can] you [tell me|tell us|check|find out|let me know] <clauses>?
    [I need to know|We need to know|I would like to know|We'd like to know|I have to find out] <clauses>.
    [I wonder|I was wondering|We are wondering|So I wonder] <clauses>.
    [I can't see|It doesn't say|We cannot tell|There is nothing that says] <clauses>. [Can you help?|Can you see it \
    on your side?|Do you have that?|Could you look it up?]
    [What we want to know is|What I need answered is|The missing bit is] <clauses>.
    [Does your system show|Can you see in your records|Do your records say] <clauses>?
    [Please help us understand|Please tell me] <clauses>.
    [Nobody here|No one in our team|Neither I nor my colleagues] [knows|remembers|can say] <clauses>, [so I'm asking \
    you|which is why I write|hence this e-mail].
    """),
    "casual": lines("""
    [Any idea|Do you happen to know|Would you know] <clauses>?
    [I have no clue|I've completely lost track of|I honestly can't work out|I keep forgetting] <clauses>. [Help!|Can \
    you check?|Can you help a poor soul out?|Do you know?]
    [Can|Could] you [check|have a peek|double-check] <clauses>?
    [Just wondering|Just curious|Only wondering] <clauses>.
    [Tell me|Drop me a line about|Let me know] <clauses> [and I'm happy|when you get a sec|, would you].
    """),
}
BULLET_INTRO = {
    "formal": lines("""
    [We request the following details|The following is required|Please supply the following|We lack the following]:
    For our [records|files] we need:
    """),
    "plain": lines("""
    [This is what I need|This is what we need|We need|I am missing|What is missing|What I would like to know]:
    [Could you fill in|Could you answer|Can you find]:
    """),
    "casual": lines("""
    [My wish list|What I'm after|The gaps|So I need]:
    """),
}
BLOCK_INTRO = lines("""
[What we know|Details|What I have|What we have so far|Our side of it|This is how it looks here|Known so far|From the \
invoice]:
""")
QUESTION_LINK = lines("""
[So|Now for the question|My questions|What I'd like to know|A quick question|In short]: <questions>
<questions>
<questions>
<questions> [That is all I need.|That's everything.|I don't need more than that.|]
""")
TERSE_ASK = lines("""
<terse>: <labels>?
<terse> – <labels>?
<terse>. [Need|Missing|Looking for] <labels>.
[Need|Missing|Looking for] <labels> for <terse>.
[Re|About|Question on] <terse>. [Need|Want|Missing] <labels>.
<terse>. <questions>
""")
SUBJECT_FACT = lines("""
[See|The number is in|The details are in] the subject line.
[It's about|I mean] the one in the subject line.
""")

# --- The rest of a mail -----------------------------------------------------------------------------------------------

SUBJECTS = {
    "sub": lines("""
    [Question about|Query re|Regarding|Re|About|] <ref>
    [Subscription|Sub no|Subscription no.] <subscription_number>[| - question|, details missing|, need help]
    [Missing details for|Completing|Checking|Review of] subscription <subscription_number>
    """),
    "supplier": lines("""
    [Supplier details|Supplier information|Checking a supplier|Supplier record|Supplier master data|Vendor query]
    [Question about|Query re|Regarding|About|Checking] <ref>
    [Payment details|Bank details|Invoice details|Registration details][| missing|, to be checked| of a supplier]
    """),
    "order": lines("""
    [Question about|Query re|Regarding|About|] <tingen> <part>
    [Order details|Information on an order|Order line|Completing an order] <part>
    <part_cap>[| - question|, details missing| - what applies?]
    """),
    "any": lines("""
    [Quick question|A question|Question|Small query|Help with a detail|Need some help|Something I can't find|Can you \
    look this up?]
    [Missing paperwork|Unclear invoice line|Details for the books|Before we reconcile|Coding an invoice|Gap in our \
    records]
    """),
}
MINE_SUBJECTS = lines("""
[My subscription|Question about my subscription|A question from a subscriber|Subscription through <corp>|About my \
deliveries|Could you check something for me]
[My subscription|A subscription] with you[|, a question]
""")
GREETINGS = {
    "formal": lines("""
    [To whom it may concern,|Dear Sir or Madam,|Dear team,|Dear colleagues,|Good day,]
    [Good morning,|Good afternoon,|Dear all,|Dear Sir/Madam,]
    """),
    "plain": lines("""
    [Hello,|Hi,|Hello there,|Hi again,|Good morning,|Hi all,|Hello all,|Hi team,]
    [Hello|Hi|Hello!|Good afternoon|Hi everyone,]
    """),
    "casual": lines("""
    [Hiya,|Hey,|Hi there!|Hey there|Morning!|Hello hello,|Hi folks,|Hey team,|Hi lovely people,|Afternoon all,]
    """),
    "terse": lines("""
    [Hi,|Hello,|Hi.|Hi -]
    """),
}
OPENERS = {
    "chatty": lines("""
    [Hope|I hope] [you are all well|you had a good [weekend|start to the week]|the sun is out where you are|your \
    coffee is better than ours].
    [Over here|In our office] [it is raining sideways|it's all hands on deck as usual|half the floor is down with a \
    cold|the trains are late again|somebody has brought cake].
    [What a week!|Goodness, what a day.|It has been a long morning.] [The printer is on strike|The coffee machine has \
    died|The phone won't stop], [but now I finally have a quiet moment|so I'll get this done before lunch|but this \
    has to be sorted today].
    Thanks for [your help last time|being so quick last time|the reply the other day], [it all worked out|much \
    appreciated|my boss was delighted].
    [We have just moved offices|I'm just back from leave|We are clearing out old folders] and [nothing is where it \
    used to be|I can't find a thing|all sorts of things turn up].
    I [promised|have promised] [my colleague <colleague>|<colleague>] [I'd sort this out|to get in touch with you] \
    [before the weekend|today|before we go home].
    [The dog ate my notes|My sticky note has vanished], [so I have to ask instead|true story|so I'm starting over].
    """),
    "letter": lines("""
    [I do hope it is all right to write like this|Forgive me for troubling you|I am sorry to bother you], [but I do \
    not know whom else to ask|I am not very used to computers|but my grandson said an e-mail would be easiest].
    I have had this arrangement for many years [and am very pleased with it|and would like to go on with it|, and it \
    has always worked well].
    [First of all, thank you for|Let me begin by thanking you for] [the kind help on the telephone|your kind help \
    last time|always answering].
    [I tried to telephone|I sat in the telephone queue for quite a while], but [could not get through|gave up in the \
    end|the line went dead], [so I am writing instead|hence this letter].
    """),
    "new": lines("""
    I'm [new here|new in the job|new at <corp>|brand new in this role] and [don't know all the terms yet|sorry if \
    this is a silly question|still learning the ropes].
    I have [just|recently] taken over [from <colleague>|this from <colleague>|a folder from <colleague>] and [am \
    trying to make sense of it|am going through everything from scratch|don't understand all of it yet].
    [It's my first week here|First week in the new job], so [please bear with me|tell me if this is the wrong address|\
    correct me if I use the wrong words].
    """),
    "annoyed": lines("""
    [This is the second time I write|I wrote about this a while ago|I have asked once before] [and have had no reply|\
    but nobody has come back to me|without hearing anything].
    [A reminder of|Another go at] [my question|my earlier e-mail], [since no answer has arrived|which seems to have \
    got stuck somewhere].
    [We really must get to the bottom of this|This has dragged on a bit], [and I hope for a straight answer|so I hope \
    this reaches the right person].
    """),
    "simple": lines("""
    [Excuse my English|English is not my first language], [I hope you understand|I write as clearly as I can].
    I [work|am working] [at|for] <corp>. [I have a question.|I want to ask one thing.|I need some help.]
    """),
    "hurried": lines("""
    [Writing between meetings|On the train|Quickly from my phone|Have a couple of minutes].
    [In a rush|Bit pushed for time|Short on time], [excuse the style|so I'll keep it brief].
    """),
    "lister": lines("""
    [I am putting together|We are going through|I'm reconciling] [our records|the list of open items|the register] \
    and [there is a gap|one item lacks its details].
    """),
}
REASONS = {
    "sub": lines("""
    [We are|I am] [reconciling|reviewing|going through] [our costs|our subscriptions|the invoices|old contracts][| \
    and got stuck on one line| and one item doesn't add up].
    [The invoice|An invoice] [went to the wrong person|has to be coded|is waiting for approval], [and the paperwork \
    isn't enough|but the text says nothing|but I don't know where it belongs].
    [The auditor|Our auditor|My boss] [has asked|wonders|wants to know] [what we are paying for|about this item|about \
    it], [and I want to get it right|and I have no good answer|hence my question].
    [We are about to|I have to] [decide whether to keep it|split the cost|update our list|tidy the register] [and|\
    but] [need a bit more information|the details are missing here].
    [Nobody here recognises it|No one wants to own the cost|We can't remember who ordered it].
    [The colleague who handled this has left|<colleague>, who used to look after this, has retired|The person who \
    ordered it is on parental leave], [and the papers are gone|so the knowledge is gone|and we find no notes].
    [We are switching systems|We're setting up a new register|We are scanning our old folders], [so every line has to \
    be complete|and gaps must be filled].
    """),
    "sub_mine": lines("""
    [I'd like to know where I stand|I just want to be sure|I got a bit unsure] [before I ring my employer|before the \
    summer|since nothing has arrived for a while].
    [It is paid by <corp>, not by me|The bill goes to <corp>, not to me|<corp> pays for it on my behalf].
    [I am moving|I have changed address|I'm filling in a form] and [need the right details|they ask for this].
    [My employer|<corp>] [asked me [the other day|last week]|wants to know this], [and I couldn't answer|but I had no \
    answer].
    I [can't find|have mislaid] [the old letter|the papers|the confirmation][, I'm afraid|, silly me|].
    """),
    "supplier": lines("""
    [We are adding|I'm adding|We are updating] [the supplier|their details|the record] in [our new system|the payment \
    system|the register][| and half the fields are empty].
    [Before we pay|Before the payment goes out|Before I approve it] [I want to|we need to] [check the details|be sure \
    of the payee|check against your records].
    [The bank|Our bank] [returned the money|stopped the payment|rejected the payment], [so something is wrong on our \
    side|and I'm now checking the details].
    [We have had several fake invoices|There are fake invoices about] [lately|in our trade], [so we check everything \
    twice|so I want to be careful].
    [The details in our register|Our details] [are old|look odd|are incomplete] [and|so] [I'm updating them|we need \
    the right ones].
    [There are empty lines in the form|We are filling in a form for the tax office|Our buyer asked for complete \
    details].
    """),
    "order": lines("""
    [We are checking|I'm checking|We are going through] [the orders|the order lines|this year's purchases|the \
    deliveries] [against the invoices|against our register], [and one line is unclear|and here I'm stuck|but one item \
    lacks its details].
    [The cost has to be split|The line has to be coded|The item has to be rebooked], [but the paperwork is thin|but \
    we lack the details].
    [I am trying to match|We're trying to pair] [an invoice with an order|the payment with the right order][|, which \
    isn't easy|, without much luck].
    [My boss|Our auditor|The controller] [has asked about|wants an answer on] [this item|it][| before month-end].
    [The order was placed before my time|The person who ordered has left|<colleague> placed the order but is away], \
    [and I find no papers|so we don't know more].
    [We are considering|We are thinking of] [ordering more|extending it|changing supplier] and would like to [know \
    what applies first|have the facts on the table].
    """),
    "order_mine": lines("""
    [My employer|<corp>] [pays for it|covers the cost], [but I like to keep track myself|but now asks me for the \
    details].
    [I had a question about this from <corp>|Someone at <corp> rang me] [and I couldn't answer|and I got unsure].
    [I have no papers left|I didn't keep the confirmation], [so I have to ask you|I'm afraid].
    """),
}
DETAILS = lines("""
[I have searched [my inbox|the folders|the system]|We have looked through [the folders|the system|old invoices]] [but \
found nothing|without getting any wiser].
[If I've got the wrong address|If this is not for you], [please pass it on|tell me and I'll ask someone else].
[A short answer will do|One line is enough|A simple reply to this e-mail is fine][|, no attachments needed].
[Please reply to this address|Please reply to me directly|Feel free to copy in <other>].
[We want what your system says|It's the registered data I'm after], [not an estimate|not what someone thinks|plain \
and simple].
[I asked <other>|<other> had a guess|The colleague next to me guessed], but [that led nowhere|I don't trust guesses|\
all I got was a laugh].
[I'm not attaching anything|No attachment this time], [all I know is in here|there is nothing more to show].
[We used to get this on paper|It used to be printed on the invoice], [but not any more|which was handy].
[You may hear the same from <other>|If <other> gets in touch too], [it's the same matter|that is the same question].
""")
GOODS_DETAILS = lines("""
[I don't need copies|No copy of the invoice is needed|I don't need the contract itself], [just the details above|only \
what I asked for].
[There is nothing wrong with the deliveries|The deliveries are fine], [it's only the paperwork|it is just the paper \
side of it].
[It may be in some old contract|It might be in an old e-mail], but [I don't have that|I can't find it].
[The order is an old one|It has been running for years], so [nobody remembers the details|the papers may be archived].
[We don't want to change anything|Nothing is to be changed], [we just want tidy papers|I only want to know how things \
stand].
""")
SUPPLIER_DETAILS = lines("""
[I tried to find their website, but no luck|Their switchboard does not answer, so I am trying you instead].
[Please write the details exactly as you hold them|Exactly as registered, please], [the digits have to be right|so \
that nothing goes wrong].
[We will enter them as soon as we hear from you|The payment goes out as soon as we have the answer].
[Two pairs of eyes have to check it|<other> and I both check it], [that is our routine|those are the rules here].
""")
THANKS = {
    "formal": lines("""
    [Thank you in advance|Thanking you in advance] [for your reply|for your assistance|].
    [We look forward to|I look forward to|We await] your reply[| at your earliest convenience| in due course].
    [Should anything be unclear, I can be reached|For any questions, I am available] [by telephone|by e-mail|most \
    easily by phone].
    """),
    "plain": lines("""
    [Thanks in advance|Thanks for your help|Thank you so much|Many thanks|Grateful for an answer|Thanks for looking \
    into this][!|.]
    [It would be good to|I'd appreciate it if I could|We'd be glad to] [have an answer|hear back] [this week|when you \
    have a moment|before the weekend|soon].
    [No rush|It isn't urgent], [but this week would be nice|whenever you get to it|but before month-end would be \
    good].
    [Let me know|Just say] if [anything is unclear|you need more|I should explain better].
    """),
    "casual": lines("""
    [Thanks a million|Cheers|Ta|Thanks a bunch|Big thanks][!| in advance!| for this!]
    [A gold star to whoever answers|You lot are the best|You're stars|I owe you a coffee]!
    [Promise not to bother you again today|I'll be quiet after this|That's it from me].
    """),
    "terse": lines("""
    [Thanks.|Thanks!|Cheers.|Quick reply appreciated.|]
    """),
}
CLOSINGS = {
    "formal": lines("[Yours faithfully,|Yours sincerely,|Kind regards,|Respectfully,|With kind regards,]"),
    "letter": lines("[Yours sincerely,|With warm wishes,|With many thanks and kind regards,|Yours truly,|Warmly,]"),
    "plain": lines("[Regards,|Kind regards,|Best,|Best regards,|Best wishes,|Many thanks,|All the best,|Thanks,]"),
    "casual": lines("[Cheers,|Take care,|Bye for now,|Best,|xx|Have a good one!|Ta,|All the best|Speak soon,]"),
    "terse": lines("[Rgds,|Regards|Best|-|–|]"),
}
TITLES = lines("""
Office Manager
Bookkeeper
Controller
Coordinator
Administrator
Finance Assistant
Project Assistant
Executive Assistant
Accountant
Case Officer
Team Assistant
Office Clerk
Assistant Controller
Ledger Clerk
Operations Assistant
""")
FORWARD_HEAD = lines("""
----- [Forwarded message|Original message] -----
Forwarded from <colleague>:
<colleague> wrote:
[On Tuesday|Yesterday|This morning|On Thursday|The other day] <colleague> wrote:
From <colleague_gen> e-mail:
""")
FORWARD_BODY = lines("""
Hi [<first>|there], [I find nothing on <known>. [Can you take it?|Yours?|Do you know more?]|do you know anything \
about <known>?|can you sort out <known>?|does this ring a bell: <known>?] /<colleague_first>
[One for you|This one is yours]: <known>. [I'm stuck.|Ring them or e-mail them.|Can you deal with it?]
[This was in my inbox|Found this on my desk|Got landed with this]: <known>. [Don't know whose it is.|Not my table.|\
Shall we ask?]
[Reminder|Open item|To do]: <known>. [Details missing.|Has to be sorted.|Who takes it?]
""")
FORWARD_INTRO = lines("""
[See below|See the e-mail below|Passing this on|I got this from <colleague>|The question below landed with me].
[My colleague <colleague>|<colleague>] [got in touch|wrote to me] [about this|and asked for help], see [below|the end \
of this mail].
[The background is in the e-mail below|The facts are in the forwarded message].
""")
PS = lines("""
PS [I'm away on Friday|I am on a course tomorrow], [so call <other> then|<other> will answer for me].
PS [The new form works much better|Your new website is really clear|Nice that you answer even at lunch]!
PS [Say hello|Do give my regards] to [whoever answered last time|the others].
P.S. [The autoreply came twice|Your autoreply arrived twice] [last time|the other day], [just so you know|maybe worth \
a look].
PS: [Plain text is best, I read this on my phone|No attachments please, our server blocks them].
""")
PRIVATE = lines("""
[subscriber through|employed at|I work at] <corp>
""")
RE = {"annoyed": "[RE: |Re: |Reminder: ||]", "forwarder": "[FW: |Fwd: |Fw: ||]"}
PHONE_LINE = "[Tel|Phone|T|Direct]: <phone>"
MOBILE_LINE = "[Sent from my phone|Sent on the go|Sent from my mobile|From my phone]"
