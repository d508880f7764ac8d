"""Swedish phrases. One a line; see `spin` for `[a|b]` and `<slot>`.

Slots common to both languages: facts by column, `<sender>`, `<first>`, `<corp>`, `<colleague>`, `<phone>`, `<mail>`,
`<title>`. Swedish ones: `<ni>`/`<er>` (how the reader is addressed), `<ting>`, `<tingen>`, `<den>`, `<tingnr>` (the
subscription or order, its definite form, pronoun and number).
"""

from data_build.invoices.mails.spin import lines

AND = ("och", "och", "och", "samt")
THINGS = {
    "sub": (
        ("prenumeration", "prenumerationen", "den", "prenumerationsnummer"),
        ("abonnemang", "abonnemanget", "det", "abonnemangsnummer"),
    ),
    "order": (
        ("beställning", "beställningen", "den", "prenumerationsnummer"),
        ("order", "ordern", "den", "prenumerationsnummer"),
        ("orderrad", "orderraden", "den", "prenumerationsnummer"),
    ),
    "supplier": (("leverantör", "leverantören", "de", "prenumerationsnummer"),),
}
ADDRESS = (("ni", "er"), ("ni", "er"), ("du", "dig"))

# --- What is asked for: noun, clause (indirect question), question, label ---------------------------------------------

ASK: dict[str, dict[str, str]] = {
    "product_name": {
        "noun": "[produktnamnet|namnet på produkten|produktens namn]",
        "clause": "[vilken produkt [det gäller|det handlar om|det rör sig om|som avses]|vad produkten heter|"
        "vilken produkt som [ligger bakom|döljer sig bakom] numret]",
        "question": "[Vilken produkt [är det|gäller det|handlar det om|rör det sig om]?|Vad heter produkten?]",
        "label": "[produkt|produktnamn|produktens namn]",
    },
    "department_name": {
        "noun": "[avdelningen|namnet på avdelningen|ansvarig avdelning|avdelningens namn|beställande avdelning]",
        "clause": "[vilken avdelning <den> [hör till|ligger på|är kopplad till|tillhör]|vilken avdelning som [har "
        "<den>|står för <den>|står som beställare|ska belastas]|hos vilken avdelning <den> [ligger|hör hemma]]",
        "question": "[Vilken avdelning [hör <den> till|ligger <den> på|är det som har beställt]?|"
        "Hos vilken avdelning ligger <den>?|Och avdelningen, vilken är det?]",
        "label": "[avdelning|avdelningsnamn|avdelningens namn|beställande avdelning]",
    },
    "period": {
        "noun": "[start- och slutdatum för [den senaste|senaste] leveransperioden|den senaste leveransperiodens "
        "[start och slut|första och sista dag]|senaste leveransperioden med start- och slutdatum]",
        "clause": "[när den senaste leveransperioden [börjar och slutar|startar och tar slut]|vilka datum den senaste "
        "leveransperioden [löper mellan|börjar och slutar]|från och med vilket datum till och med vilket datum den "
        "senaste leveransperioden [löper|sträcker sig]]",
        "question": "[När börjar och slutar den senaste leveransperioden[| egentligen]?|När startar den senaste "
        "leveransperioden och när tar den slut?|Mellan vilka "
        "datum löper den senaste leveransperioden, alltså start och slut?|Vilka är start- och slutdatumen för senaste "
        "leveransperioden?]",
        "label": "[senaste leveransperiod (start och slut)|start- och slutdatum för senaste perioden|"
        "senaste leveransperioden: första och sista dag]",
    },
    "order_product_name": {
        "noun": "[produktnamnet|namnet på produkten|produktens namn]",
        "clause": "[vilken produkt [det gäller|det handlar om|det rör sig om|<den> avser|som är beställd]|vad "
        "produkten heter]",
        "question": "[Vilken produkt [är det|gäller det|handlar det om|avser <den>]?|Vad heter produkten?|"
        "Vilken produkt är beställd?]",
        "label": "[produkt|produktnamn|produktens namn|beställd produkt]",
    },
    "period_start": {
        "noun": "[startdatumet för senaste leveransperioden|senaste leveransperiodens första dag|periodens startdatum]",
        "clause": "[när den senaste leveransperioden [börjar|startar]|vilket datum senaste leveransperioden [börjar|"
        "startar]]",
        "question": "[När börjar den senaste leveransperioden?|Vilket startdatum har senaste leveransperioden?]",
        "label": "[startdatum, senaste leveransperioden|senaste periodens första dag|periodens start]",
    },
    "period_end": {
        "noun": "[slutdatumet för senaste leveransperioden|senaste leveransperiodens sista dag|periodens slutdatum]",
        "clause": "[när den senaste leveransperioden [tar slut|slutar]|till och med vilket datum senaste "
        "leveransperioden [löper|gäller]]",
        "question": "[När tar den senaste leveransperioden slut?|Till och med vilket datum gäller den "
        "senaste perioden?]",
        "label": "[slutdatum, senaste leveransperioden|senaste periodens sista dag|periodens slut]",
    },
    "order_period": {
        "noun": "[leveransperioden med start och slut|start- och slutdatum för leveransen|leveransperiodens [start och "
        "slut|första och sista dag]|periodens start- och slutdatum]",
        "clause": "[när leveransperioden [börjar och slutar|startar och tar slut]|vilken leveransperiod <den> avser, "
        "[alltså start och slut|med start- och slutdatum|både start och slut]|mellan vilka datum leveransen löper, "
        "start och slut]",
        "question": "[När börjar och slutar leveransperioden?|Vilken leveransperiod gäller, start och slut?|Vilka är "
        "periodens start- och slutdatum?|Från när till när löper leveransperioden?]",
        "label": "[leveransperiod (start och slut)|start- och slutdatum|leveransperiodens första och sista dag]",
    },
    "status": {
        "noun": "[statusen|nuvarande status|aktuell status]",
        "clause": "[vilken status <den> har[| just nu| i systemet]|vad statusen är|i vilket läge <den> befinner sig|"
        "vad som står som status]",
        "question": "[Vilken status har <den>[| just nu]?|Vad är det för status på <den>?|Vad är statusen?]",
        "label": "[status|nuvarande status|status just nu]",
    },
    "subscription_number": {
        "noun": "[prenumerationsnumret|numret på prenumerationen|prenumerationsnummer]",
        "clause": "[vilket prenumerationsnummer <den> har|vad prenumerationsnumret är|vilket prenumerationsnummer som "
        "[hör till|gäller]]",
        "question": "[Vilket prenumerationsnummer har <den>?|Vad är prenumerationsnumret?|Vilket är "
        "prenumerationsnumret?]",
        "label": "[prenumerationsnummer|prenumerationsnr|numret på prenumerationen]",
    },
    "subscriber_name": {
        "noun": "[prenumerantens namn|namnet på prenumeranten|uppgiften om prenumerant]",
        "clause": "[vem som [är|står som] prenumerant|vem prenumeranten är|vad prenumeranten heter]",
        "question": "[Vem [är|står som] prenumerant?|Vad heter prenumeranten?]",
        "label": "[prenumerant|prenumerantens namn|mottagare (prenumerant)]",
    },
    "unit_price": {
        "noun": "[styckpriset|priset per styck|à-priset]",
        "clause": "[vad styckpriset är|vad [den|en] kostar per styck|vilket pris per styck [som gäller|vi betalar]]",
        "question": "[Vad är styckpriset?|Vad kostar den per styck?|Vilket pris per styck gäller?]",
        "label": "[styckpris|pris per styck|à-pris]",
    },
    "supplier_name": {
        "noun": "[leverantörens namn|namnet på leverantören|leverantörsnamnet]",
        "clause": "[vem leverantören är|vad leverantören heter|vilken leverantör [det är|som [står|döljer sig] "
        "bakom]|vilket företag det är]",
        "question": "[Vem är leverantören?|Vilken leverantör är det?|Vad heter leverantören?|Vilket företag är det?]",
        "label": "[leverantör|leverantörens namn|leverantörsnamn]",
    },
    "iban": {
        "noun": "[IBAN|IBAN-numret|rätt IBAN]",
        "clause": "[vilket IBAN [de har|som gäller|som är registrerat]|vad deras IBAN är]",
        "question": "[Vilket IBAN har de?|Vad är deras IBAN?|Vilket IBAN-nummer gäller?]",
        "label": "[IBAN|IBAN-nummer]",
    },
    "bankgiro": {
        "noun": "[bankgironumret|bankgirot|bankgiro|rätt bankgiro]",
        "clause": "[vilket bankgiro [de har|som gäller|som är registrerat]|vad deras bankgironummer är]",
        "question": "[Vilket bankgiro har de?|Vad är deras bankgironummer?|Vilket bankgiro gäller?]",
        "label": "[bankgiro|bankgironummer]",
    },
    "postgiro": {
        "noun": "[plusgironumret|plusgirot|postgirot|rätt plusgiro]",
        "clause": "[vilket [plusgiro|postgiro] [de har|som gäller|som är registrerat]|vad deras plusgironummer är]",
        "question": "[Vilket plusgiro har de?|Vad är deras postgironummer?|Vilket plusgiro gäller?]",
        "label": "[plusgiro|postgiro|plusgironummer]",
    },
    "vat_number": {
        "noun": "[momsregistreringsnumret|momsnumret|VAT-numret|momsreg.nr]",
        "clause": "[vilket [momsnummer|momsregistreringsnummer|VAT-nummer] [de har|som gäller|som är registrerat]]",
        "question": "[Vilket momsnummer har de?|Vad är deras VAT-nummer?|Vilket momsregistreringsnummer gäller?]",
        "label": "[momsnummer|momsreg.nr|VAT-nummer]",
    },
    "email": {
        "noun": "[e-postadressen|mejladressen|rätt e-postadress|en fungerande mejladress]",
        "clause": "[vilken [e-postadress|mejladress] [de har|som gäller|som är registrerad]|på vilken "
        "mejladress vi når dem]",
        "question": "[Vilken [e-postadress|mejladress] har de?|Vad har de för e-post?|Vilken e-postadress gäller?]",
        "label": "[e-post|e-postadress|mejladress]",
    },
}  # fmt: skip

# --- What is known ----------------------------------------------------------------------------------------------------

LABELS = {
    "subscription_number": "[Prenumerationsnummer|Pren.nr|Prenumeration|Prenumerationsnr]",
    "supplier_name": "[Leverantör|Leverantörens namn|Leverantörsnamn]",
    "iban": "[IBAN|IBAN-nummer|Konto (IBAN)]",
    "bankgiro": "[Bankgiro|BG|Bankgironr|Betalas till bankgiro]",
    "postgiro": "[Plusgiro|Postgiro|PG|Plusgironr]",
    "vat_number": "[Momsnummer|Momsreg.nr|VAT-nr|Säljarens momsnummer]",
    "product_name": "[Produkt|Artikel|Benämning|Produktnamn]",
    "subscriber_name": "[Prenumerant|Mottagare|Namn på prenumeranten]",
    "period_start": "[Period från|Från och med|Periodens start|Startdatum]",
    "period_end": "[Period till|Till och med|Periodens slut|Slutdatum]",
}
SUPPLIER_REF = {
    "supplier_name": "[<supplier_name>|leverantören <supplier_name>|vår leverantör <supplier_name>]",
    "iban": "[leverantören med IBAN <iban>|den som har IBAN <iban>|kontoinnehavaren bakom IBAN <iban>]",
    "bankgiro": "[leverantören med bankgiro <bankgiro>|den som har bankgiro <bankgiro>|företaget bakom bankgiro "
    "<bankgiro>]",
    "postgiro": "[leverantören med plusgiro <postgiro>|den som har postgiro <postgiro>|företaget bakom plusgiro "
    "<postgiro>]",
    "vat_number": "[leverantören med momsnummer <vat_number>|företaget med VAT-nummer <vat_number>|den som har "
    "momsreg.nr <vat_number>]",
}
SUB_REF = (
    "[<ting> <subscription_number>|<ting> nr <subscription_number>|<ting> nummer <subscription_number>|<tingen> med "
    "nummer <subscription_number>|nummer <subscription_number>|<tingnr> <subscription_number>]"
)
MY_SUB_REF = "[<min> <ting> <subscription_number>|<min> <ting> med nummer <subscription_number>]"
ORDER_REF = "<tingen>"
OF_PRODUCT = "[på <product_name>|avseende <product_name>]"
AT_SUPPLIER = "[hos|från]"
FOR_SUBSCRIBER = (
    "[till <subscriber_name>|med <subscriber_name> som prenumerant|åt <subscriber_name>|där "
    "<subscriber_name> står som prenumerant]"
)
FOR_ME = "[i mitt namn (<subscriber_name>)|där jag, <subscriber_name>, är prenumerant|på mig (<subscriber_name>)]"
STATE_ME = lines("""
[Jag heter|Mitt namn är|Den står på mig,|Prenumerant är jag själv,] <subscriber_name>.
""")
IN_PERIOD = (
    "[för perioden <period_start> – <period_end>|för leveransperioden <period_start> till <period_end>|med "
    "leverans <period_start> till och med <period_end>|under perioden <period_start> till <period_end>]"
)

STATE_SUB = lines("""
[Det gäller|Ärendet gäller|Jag skriver om|Det handlar om|Det rör] <ref>.
[Numret är|Numret på <tingen> är|Det nummer jag har är|Vårt nummer är] <subscription_number>.
[På fakturan|På fakturaraden|I underlaget|I vår lista|På följesedeln] står [det bara |][nummer|<ting>|<tingnr>] \
<subscription_number>.
[Allt jag har att gå på är|Den enda uppgift jag har är|Det enda som framgår är] <tingnr> <subscription_number>.
[Jag sitter|Vi sitter] [här med|med] [en faktura|en rad i bokföringen|ett underlag] [för|som hänvisar till] <ref>.
[I vårt system|I vårt register|I reskontran] [ligger|finns] <ting> <subscription_number>.
<tingnr_cap> <subscription_number> [är det som [det gäller|frågan gäller|spökar]|dök upp i vår avstämning].
""")
STATE_SUB_MINE = lines("""
[Det gäller|Jag skriver om|Det handlar om] <min> <ting>, nummer <subscription_number>.
[Mitt nummer är|Mitt <tingnr> är|Jag har nummer] <subscription_number>.
[På brevet|På etiketten|På omslaget|På adresslappen] står [nummer|<tingnr>] <subscription_number>.
Jag [läser|hittar] nummer <subscription_number> på [etiketten|det senaste brevet|kuvertet|baksidan].
[Jag får|Jag har] <en> <ting> genom <corp>, [nummer|<den> har nummer|med nummer] <subscription_number>.
""")
STATE_SUPPLIER = {
    "supplier_name": lines("""
    [Det gäller|Det handlar om|Frågan gäller|Det rör] [leverantören |]<supplier_name>.
    [Leverantören heter|Leverantören i fråga är|Företaget heter] <supplier_name>[| och finns redan i ert register].
    [Vi har fått|Det har kommit|Jag har framför mig] [en faktura|ett underlag|en räkning] från <supplier_name>.
    Vi [handlar|köper] [en del |]av <supplier_name>[| sedan länge].
    [Namnet är allt jag har|Jag har bara namnet]: <supplier_name>.
    """),
    "iban": lines("""
    [På fakturan|I betalfilen|På underlaget|I banken] [står|ser jag] [bara|enbart] [ett IBAN|IBAN]: <iban>.
    [Vi har|Jag har] [ett IBAN|ett kontonummer (IBAN)], <iban>, [men inget mer|och inte mycket mer än så|och ingen \
    avsändare].
    [Betalningen|Pengarna] [gick|har gått|ska gå] till IBAN <iban>.
    [Det enda som syns på kontoutdraget är|Det jag har att gå på är|Kontot är angivet som] IBAN <iban>.
    [Mottagarkontot|Kontot] har IBAN <iban>.
    """),
    "bankgiro": lines("""
    [På fakturan|På avin|På underlaget|Längst ner på fakturan] [står|finns] [bara|enbart] [ett bankgiro|bankgiro][: |\
    , nämligen ]<bankgiro>.
    [Vi har|Jag har] [bara |]ett bankgironummer, <bankgiro>, [men inget namn|och ingen avsändare|och inget annat].
    [Betalningen|Pengarna] [gick|har gått|ska gå] till bankgiro <bankgiro>.
    [Bankgirot är|Bankgironumret jag har är|Det bankgiro som anges är] <bankgiro>.
    [Inbetalningskortet|Avin|Fakturan] är ställd till bankgiro <bankgiro>.
    """),
    "postgiro": lines("""
    [På fakturan|På avin|På underlaget|Längst ner på talongen] [står|finns] [bara|enbart] [ett plusgiro|plusgiro][: |\
    , nämligen ]<postgiro>.
    [Vi har|Jag har] [bara |]ett plusgironummer, <postgiro>, [men inget namn|och ingen avsändare|och inget annat].
    [Betalningen|Pengarna] [gick|har gått|ska gå] till [plusgiro|postgiro] <postgiro>.
    [Plusgirot är|Postgironumret jag har är|Det plusgiro som anges är] <postgiro>.
    [Inbetalningskortet|Avin|Fakturan] är ställd till plusgiro <postgiro>.
    """),
    "vat_number": lines("""
    [På fakturan|I underlaget|I momsrapporten] [står|finns] [bara|enbart] [momsnumret|VAT-numret] <vat_number>.
    [Vi har|Jag har] [bara |]ett momsnummer, <vat_number>, [men inget namn|och ingen avsändare|och inget annat].
    [Säljaren|Avsändaren] [anger|har uppgett] momsreg.nr <vat_number>.
    [Momsnumret är|Momsregistreringsnumret jag har är|VAT-numret som anges är] <vat_number>.
    """),
}  # fmt: skip
STATE_ORDER = {
    "order": lines("""
    [Det gäller|Ärendet gäller|Jag skriver om|Det handlar om|Frågan gäller] <ref>.
    [Vi har|Jag har framför mig|I vår lista finns|Jag sitter med] <ref>.
    [Jag letar efter|Vi söker uppgifter om|Jag försöker reda ut] <ref>.
    """),
    "product_name": lines("""
    [Produkten är|Produkten heter|Beställningen avser|Det som är beställt är|Själva produkten är] <product_name>.
    [Vi köper|Det vi köper är|Från dem får vi] <product_name>.
    [Raden avser|Posten gäller|Det handlar om] <product_name>.
    """),
    "subscriber_name": lines("""
    [Prenumeranten heter|Prenumerant är|Mottagare är|Som prenumerant står] <subscriber_name>.
    [Den står på|Den är skriven på|Den är registrerad på] <subscriber_name>.
    <subscriber_name> [är den som får leveransen|står som prenumerant|är mottagare].
    """),
    "period": lines("""
    [Perioden är|Leveransperioden är|Det gäller perioden|Leveransperioden vi tittar på är] <period_start> – \
    <period_end>.
    [Den löper|Leveransen löper|Perioden går] från <period_start> till <period_end>.
    [Leveransen börjar|Perioden börjar] <period_start> och slutar <period_end>.
    """),
}
TERSE_REF = {
    "subscription_number": "[Pren|Pren.|Pren.nr|Prenumeration|Nr] <subscription_number>",
    "supplier_name": "<supplier_name>", "iban": "IBAN <iban>", "bankgiro": "[BG|Bankgiro] <bankgiro>",
    "postgiro": "[PG|Plusgiro] <postgiro>", "vat_number": "[Momsnr|VAT] <vat_number>",
    "product_name": "<product_name>", "subscriber_name": "<subscriber_name>",
    "period_start": "[från|fr.o.m.] <period_start>", "period_end": "[till|t.o.m.] <period_end>",
}  # fmt: skip

# --- How it is asked --------------------------------------------------------------------------------------------------

NOUN_ASK = {
    "formal": lines("""
    Vi [önskar|skulle önska|ber att få] [uppgift om|besked om|en bekräftelse på] <nouns> [för|avseende|gällande] \
    <ref>.
    [Vänligen|Var vänlig och] [meddela|återkom med|bekräfta] <nouns> [för|avseende|gällande] <ref>.
    Skulle <ni> kunna [återkomma med|lämna uppgift om|sända oss] <nouns> [avseende|beträffande] <ref>?
    Härmed [efterfrågas|begärs] <nouns> [avseende|för] <ref>.
    För vår [dokumentation|avstämning|kontroll] behöver vi <nouns> [för|avseende] <ref>.
    [Jag vore tacksam|Vi vore tacksamma] om <ni> ville [lämna|skicka|meddela] <nouns> [för|gällande] <ref>.
    """),
    "plain": lines("""
    [Kan <ni>|Skulle <ni> kunna] [skicka|ta fram|plocka fram|mejla|hjälpa mig med|hjälpa oss med] <nouns> för <ref>?
    [Jag behöver|Vi behöver|Jag skulle behöva|Vi skulle behöva] <nouns> [för|till|på] <ref>.
    [Jag söker|Vi söker|Vi saknar|Jag saknar] <nouns> [för|på|till] <ref>. [Kan <ni> hjälpa till?|Har <ni> det?|Finns \
    det hos er?|]
    [Har <ni>|Finns det hos er] [uppgift om|något noterat om] <nouns> för <ref>?
    När det gäller <ref> [behöver jag|skulle jag behöva|saknar vi] <nouns>.
    [Går det att få|Vore det möjligt att få|Kan jag få] <nouns> för <ref>?
    För <ref> [fattas|saknas] [fortfarande |]<nouns> [hos oss|i våra papper|i vårt underlag]. [Kan <ni> fylla i?|Kan \
    <ni> komplettera?|]
    [Är det <ni> som kan|Kan någon hos er] [svara på|kolla upp|titta efter] <nouns> för <ref>?
    """),
    "casual": lines("""
    [Kan <ni>|Skulle <ni> kunna] [kolla upp|kika på|slänga iväg|luska reda på|dubbelkolla] <nouns> för <ref>?
    [Vet|Har] <ni> [möjligen|kanske|händelsevis] <nouns> [för|på] <ref>?
    [Skulle bara|Jag skulle bara|Vill bara] ha <nouns> för <ref>, [inget annat|inget mer|det är allt].
    [Det jag är ute efter är|Det jag letar efter är|Jag fiskar efter] <nouns> för <ref>.
    [Hjälp mig gärna med|Får jag be om|Kan jag få] <nouns> [för|till] <ref>?
    """),
}
CLAUSE_ASK = {
    "formal": lines("""
    [Vi önskar få veta|Vi ber <er> meddela|Vänligen meddela|Var vänlig bekräfta] <clauses>.
    [Min fråga är|Vår fråga är|Frågan är således] <clauses>.
    [Jag vore tacksam för besked om|Vi ser fram emot besked om] <clauses>.
    Enligt våra rutiner [måste|ska] vi dokumentera <clauses>[, vilket vi inte kan i dag|]. [Vänligen återkom med \
    detta.|Vi ber <er> komplettera.|]
    Skulle <ni> vänligen kunna [klargöra|upplysa om|bekräfta] <clauses>?
    """),
    "plain": lines("""
    [Kan <ni>|Skulle <ni> kunna] [svara på|säga|berätta|kontrollera|ta reda på|titta efter] <clauses>?
    [Jag behöver|Vi behöver|Jag skulle behöva|Vi skulle vilja] [veta|få veta|ta reda på] <clauses>.
    [Jag undrar|Vi undrar|Nu undrar jag|Jag undrar därför] <clauses>.
    [Jag ser inte|Det framgår inte|Vi kan inte se|Det står ingenstans] <clauses>. [Kan <ni> hjälpa mig?|Kan <ni> se \
    det?|Har <ni> de uppgifterna?|Går det att få fram hos er?]
    [Det vi vill veta är|Det jag behöver få svar på är|Det som saknas är] <clauses>.
    [Kan <ni> se i systemet|Syns det hos er|Framgår det hos er] <clauses>?
    [Hjälp oss gärna att förstå|Hjälp mig gärna med] <clauses>.
    [Ingen hos oss|Varken jag eller kollegorna] [vet|minns|kan svara på] <clauses>, [så vi frågar <er>|därav det här \
    mejlet|så jag vänder mig till <er>].
    """),
    "casual": lines("""
    [Vet|Ser] <ni> [möjligen |kanske |]<clauses>?
    [Jag har ingen aning om|Jag blir inte klok på|Jag har glömt|Jag får inte ihop] <clauses>. [Hjälp!|Kan <ni> kolla?|\
    Kan <ni> hjälpa en stackare?|Vet <ni>?]
    [Kan <ni>|Skulle <ni> kunna] [kolla|kika|dubbelkolla] [lite snabbt |]<clauses>?
    [Undrar bara|Jag undrar bara|Ville bara höra] <clauses>.
    [Säg gärna|Berätta gärna|Skriv gärna en rad om] <clauses>.
    """),
}
BULLET_INTRO = {
    "formal": lines("""
    [Vi önskar följande uppgifter|Följande uppgifter efterfrågas|Vänligen komplettera med följande|Vi saknar]:
    För vår [dokumentation|kontroll] behövs:
    """),
    "plain": lines("""
    [Det här behöver jag|Det här behöver vi|Vi behöver|Jag saknar|Det som saknas är|Detta skulle jag vilja veta]:
    [Kan <ni> fylla i|Kan <ni> svara på|Skulle <ni> kunna ta fram]:
    """),
    "casual": lines("""
    [Önskelistan|Det jag är ute efter|Jag behöver alltså|Hål att fylla]:
    """),
}
BLOCK_INTRO = lines("""
[Det här vet vi|Uppgifter|Det jag har|Det vi har hittills|Underlag|Så här står det hos oss|Följande är känt|Från \
fakturan]:
""")
QUESTION_LINK = lines("""
[Så|Alltså|Nu till frågan|Det jag undrar|Det vi inte vet|Kort fråga]: <questions>
<questions>
<questions>
<questions> [Det är allt jag behöver.|Mer än så behöver jag inte.|Det är vad jag undrar.|]
""")
TERSE_ASK = lines("""
<terse>: <labels>?
<terse> – <labels>?
<terse>. [Behöver|Saknar|Söker] <labels>.
[Behöver|Saknar|Söker] <labels> [för|på] <terse>.
[Fråga om|Ang.|Ang|Gäller] <terse>. [Behöver|Vill ha|Saknar] <labels>.
<terse>. <questions>
""")
SUBJECT_FACT = lines("""
[Se|Numret står i|Uppgiften står i] [ämnesraden|rubriken|ämnet].
[Det gäller|Jag skriver om] det som står i [ämnesraden|rubriken].
""")

# --- The rest of a mail -----------------------------------------------------------------------------------------------

SUBJECTS = {
    "sub": lines("""
    [Fråga om|Fråga ang.|Angående|Ang.|Gällande|] <ref>
    [Pren|Pren.nr|Prenumeration] <subscription_number>[| – fråga|, uppgifter saknas|, hjälp]
    [Uppgifter saknas för|Komplettering av|Kontroll av|Avstämning] <ting> <subscription_number>
    """),
    "supplier": lines("""
    [Leverantörsuppgifter|Uppgifter om leverantör|Kontroll av leverantör|Leverantörsregister|Komplettering av \
    leverantör]
    [Fråga om|Fråga ang.|Angående|Ang.|Kontroll av] <ref>
    [Betaluppgifter|Betalningsuppgifter|Fakturauppgifter|Registeruppgifter][| saknas|, kontroll| till en leverantör]
    """),
    "order": lines("""
    [Fråga om|Angående|Ang.|Gällande|] <tingen> <part>
    [Orderuppgifter|Uppgifter om order|Beställning|Orderrad|Komplettering av order] <part>
    <part_cap>[| – fråga|, uppgifter saknas| – vad gäller?]
    """),
    "any": lines("""
    [Kort fråga|En fråga|Fråga|Liten fråga|Hjälp med en uppgift|Behöver hjälp|Snabb fråga|Undrar en sak|Till <er> som \
    vet]
    [Underlag saknas|Oklar fakturarad|Uppgifter till bokföringen|Inför avstämningen|Kontering|Oklarhet i underlaget]
    """),
}
MINE_SUBJECTS = lines("""
[Min prenumeration|Fråga om min prenumeration|En undran|Fråga från en prenumerant|Prenumeration via <corp>|Undran om \
leveransen|Behöver er hjälp]
[Min prenumeration|Prenumerationen] hos er[|, en undran]
""")
GREETINGS = {
    "formal": lines("""
    [Till den det berör|Bästa mottagare|God dag|Goddag|Hej|Till berörd handläggare]
    [God morgon|God eftermiddag|Hej|Goddag]
    """),
    "plain": lines("""
    [Hej|Hej!|Hejsan|Hej igen|God morgon|Hej på er|Hallå|Hej,]
    [Hej|Hej!|God förmiddag|Hej alla|Goddag]
    """),
    "casual": lines("""
    [Hejsan!|Tjena|Hallå där!|Hej hej|Hejhej!|Tjo|Halloj|Hej på er!|Morrn!|Hej fina ni!]
    """),
    "terse": lines("""
    [Hej,|Hej|Hej.|Hej –]
    """),
}
OPENERS = {
    "chatty": lines("""
    Hoppas att [allt är bra med <er>|<ni> har haft en fin [helg|start på veckan]|<ni> får lite sol <ni> också|<ert> \
    kaffe är bättre än vårt].
    [Här|Hos oss] [regnar det på tvären|är det full fart som vanligt|har halva kontoret feber|snöar det och bussarna \
    står stilla|luktar det nybakade bullar i hela korridoren].
    [Vilken vecka!|Oj, vilken dag det har varit.|Det har varit en lång förmiddag.] [Skrivaren strejkar|Kaffemaskinen \
    är trasig|Telefonen ringer oavbrutet] [, men nu har jag äntligen en lugn stund|, så jag tar det här innan lunchen|\
    och det här ska bli gjort i dag].
    Tack för [hjälpen senast|att <ni> var så snabba senast|svaret häromdagen], [det löste sig fint|det uppskattades|\
    min chef blev glad].
    [Vi har precis flyttat till nya lokaler|Jag har precis kommit tillbaka från semestern|Vi håller på att städa ur \
    gamla pärmar] och [ingenting ligger där det brukar|jag hittar ingenting|allt möjligt dyker upp].
    Jag [lovade|har lovat] [min kollega <colleague>|<colleague>] att [reda ut det här|höra av mig till <er>] [före \
    helgen|i dag|innan vi går hem].
    [Hunden har ätit upp mina anteckningar|Min lapp har försvunnit], [så nu får jag fråga i stället|ja, det är sant|\
    så jag börjar om från början].
    """),
    "letter": lines("""
    [Jag hoppas att det går bra att skriva så här|Förlåt att jag besvärar|Ursäkta att jag stör i onödan], [men jag \
    vet inte vem jag annars ska fråga|jag är inte så van vid datorn|men mitt barnbarn sade att det var enklast att \
    mejla].
    [Jag har haft|Jag har läst] [tidningen|den] i många år [och är mycket nöjd|och vill gärna fortsätta med det|, och \
    den kommer alltid i tid].
    [Först vill jag tacka för|Låt mig först tacka för] [gott bemötande i telefon|den vänliga hjälpen förra gången|att \
    <ni> alltid svarar].
    [Jag försökte ringa|Jag satt länge i telefonkö], men [kom inte fram|gav upp till slut|linjen bröts], [så nu \
    skriver jag i stället|därav detta brev].
    """),
    "new": lines("""
    Jag är [ny här|ny på jobbet|ny på <corp>|helt ny i rollen] och [kan inte alla begrepp än|ber om ursäkt om jag \
    frågar om något självklart|håller på att lära mig rutinerna].
    Jag har [precis|nyss] tagit över [efter <colleague>|de här ärendena efter <colleague>|en pärm efter <colleague>] \
    och [försöker få ordning|går igenom allt från början|förstår inte riktigt allt ännu].
    [Min första vecka här|Första veckan på nya jobbet], så [ha tålamod med mig|säg till om jag hamnat fel|rätta mig \
    om jag använder fel ord].
    """),
    "annoyed": lines("""
    [Detta är andra gången jag skriver|Jag skrev om det här för ett tag sedan|Jag har redan frågat en gång] [men har \
    inte fått något svar|utan att få något svar|men ingen har hört av sig].
    [Jag påminner om|Ett nytt försök med] [min fråga|mitt tidigare mejl], [eftersom inget svar har kommit|som tycks \
    ha fastnat någonstans].
    [Nu måste vi få klarhet i det här|Det här har dragit ut på tiden], [och jag hoppas på ett rakt svar|så jag hoppas \
    att rätt person läser detta].
    """),
    "simple": lines("""
    [Ursäkta min svenska|Svenska är inte mitt första språk], [jag hoppas att <ni> förstår|jag skriver så tydligt jag \
    kan].
    Jag [arbetar|jobbar] [på|för] <corp>. [Jag har en fråga.|Jag vill fråga en sak.|Jag behöver hjälp.]
    """),
    "hurried": lines("""
    [Skriver mellan två möten|Sitter på tåget|Snabbt från mobilen|Har tre minuter].
    [Bråttom här|Lite bråttom|Kort om tid], [ursäkta stilen|så jag fattar mig kort].
    """),
    "lister": lines("""
    [Jag sammanställer|Vi går igenom|Jag stämmer av] [våra underlag|listan med öppna poster|registret] och [har en \
    lucka|en post saknar uppgifter].
    """),
}
REASONS = {
    "sub": lines("""
    [Vi håller på|Jag håller på] [att stämma av|med en genomgång av|att gå igenom] [kostnaderna|våra prenumerationer|\
    fakturorna|gamla avtal][| och har kört fast på en rad| och en post går inte ihop].
    [Fakturan|En faktura] [har kommit till fel person|ska konteras|ligger och väntar på attest], [och underlaget \
    räcker inte|men texten säger ingenting|men jag vet inte vart den ska].
    [Revisorn|Vår revisor|Chefen] [har frågat|undrar|vill veta] [vad vi betalar för|om den här posten|om detta], [och \
    jag vill svara rätt|och jag har inget bra svar|därav min fråga].
    [Vi ska|Jag ska] [bestämma om vi behåller <den>|fördela kostnaden|uppdatera vår lista|rensa i registret] [och|, \
    men] [behöver lite mer information|uppgifterna saknas hos oss].
    [Ingen hos oss känns vid <den>|Ingen vill kännas vid kostnaden|Vi minns inte vem som beställde].
    [Kollegan som skötte detta har slutat|<colleague>, som brukade sköta detta, har gått i pension|Den som beställde \
    är föräldraledig], [och papperen är borta|så kunskapen är borta|och vi hittar inga anteckningar].
    [Vi byter ekonomisystem|Vi lägger upp ett nytt register|Vi digitaliserar våra pärmar] [, och då måste varje rad \
    vara komplett|, så alla luckor måste fyllas].
    """),
    "sub_mine": lines("""
    [Jag vill veta var jag står|Jag vill bara vara säker|Jag blev lite osäker] [innan jag ringer arbetsgivaren|innan \
    sommaren|eftersom inget kommit i brevlådan på ett tag].
    [Prenumerationen betalas av <corp>, inte av mig själv|Det är <corp> som betalar <den> åt mig].
    [Jag ska flytta|Jag har bytt adress|Jag fyller i en blankett] och [behöver rätt uppgifter|de frågar efter detta].
    [Min arbetsgivare|<corp>] [frågade mig [häromdagen|i förra veckan]|vill veta detta], [och jag kunde inte svara|\
    men jag hade inget svar].
    Jag [hittar inte|har slarvat bort] [det gamla brevet|papperen|bekräftelsen] [tyvärr|, dumt nog|].
    """),
    "supplier": lines("""
    [Vi lägger upp|Jag lägger upp|Vi uppdaterar] [leverantören|deras uppgifter|posten] i [vårt nya system|\
    betalsystemet|registret][| och fälten är halvtomma].
    [Innan vi betalar|Innan betalningen släpps|Innan jag attesterar] [vill jag|behöver vi] [kontrollera uppgifterna|\
    vara säkra på mottagaren|stämma av mot <ert> register].
    [[Banken|Vår bank] [skickade tillbaka pengarna|stoppade betalningen]|Betalningen gick inte igenom], [så något är \
    fel hos oss|och nu kontrollerar jag uppgifterna].
    [Vi har fått flera bluffakturor|Det cirkulerar bluffakturor] [på sistone|i branschen], [så vi kontrollerar allt \
    extra noga|så jag vill vara försiktig].
    [Uppgifterna i vårt register|Våra uppgifter] [är gamla|ser konstiga ut|är ofullständiga] [och|, så] [jag \
    uppdaterar dem|vi behöver de rätta].
    [Det saknas rader i blanketten|Vi fyller i en blankett till Skatteverket|Upphandlaren har bett om kompletta \
    uppgifter].
    """),
    "order": lines("""
    [Vi stämmer av|Jag stämmer av|Vi går igenom] [beställningarna|orderraderna|årets inköpsorder|leveranserna] [mot \
    fakturorna|mot vårt register], [och en rad är oklar|och här tar det stopp|men en post saknar uppgifter].
    [Kostnaden ska fördelas|Raden ska konteras|Posten ska bokas om], [men underlaget är för tunt|men vi saknar \
    uppgifter].
    [Jag försöker matcha|Vi försöker para ihop] [en faktura med en order|betalningen med rätt beställning][|, vilket \
    inte är så lätt|, utan större framgång].
    [Min chef|Vår revisor|Controllern] [har frågat om|vill ha svar på] [den här posten|detta][| före månadsbokslutet].
    [Beställningen gjordes innan jag började|Den som beställde har slutat|<colleague> lade ordern men är borta], [och \
    jag hittar inga papper|så vi vet inte mer].
    [Vi överväger|Vi funderar på] [att beställa fler|att förlänga|att byta leverantör] och vill [först veta vad som \
    gäller|ha fakta på bordet].
    """),
    "order_mine": lines("""
    [Min arbetsgivare|<corp>] [betalar|står för kostnaden], [men jag vill ha koll själv|men frågar nu mig om \
    detaljerna].
    [Jag fick en fråga om detta från <corp>|Någon på <corp> ringde mig] [och jag kunde inte svara|och jag blev \
    osäker].
    [Jag har inget papper kvar|Jag har inte sparat bekräftelsen], [så jag får fråga <er>|tyvärr].
    """),
}
DETAILS = lines("""
[Jag har letat i [pärmarna|mejlen|systemet|gamla fakturor]|Vi har sökt igenom allt vi har] [men hittar inget|utan att \
bli klokare|men utan resultat].
[Om det är fel person jag skriver till|Om detta hamnat fel], [skicka gärna vidare|säg till så frågar jag någon annan].
[Det räcker med ett kort svar|En rad räcker[| gott]|Ett enkelt svar här i mejlen räcker[| gott]][|, inga bilagor \
behövs].
[Svara gärna till den här adressen|Svara gärna direkt till mig|Kopiera gärna <other> i svaret].
[Vi vill ha det som står i <ert> system|Det är registrets uppgift jag vill ha], [inte en uppskattning|inte vad någon \
tror|rakt av].
[Jag frågade <other>|<other> gissade|Kollegan bredvid gissade], men [det gav inget|jag litar inte på gissningar|\
svaret var mest ett skratt].
[Jag bifogar inget|Ingen bilaga den här gången], [allt jag vet står här|det finns inte mer att visa].
[Tidigare fick vi detta på papper|Förr stod det på fakturan], [men inte längre|vilket var smidigare].
[Samma fråga kan komma från <other>|Om <other> också hör av sig], [då är det samma ärende|så är det samma sak].
""")
GOODS_DETAILS = lines("""
[Jag behöver inga kopior|Någon fakturakopia behövs inte|Avtalet i sig behöver jag inte], [bara uppgifterna ovan|bara \
det jag frågat om].
[Det är inget fel på leveransen|Leveransen fungerar fint], [det är bara papperen som spökar|det gäller bara \
pappersarbetet].
[Det kan stå i något gammalt avtal|Möjligen står det i ett gammalt mejl], men [det har jag inte|jag hittar det inte].
[Beställningen är gammal|Den har rullat på i flera år], så [ingen minns detaljerna|uppgifterna kan vara arkiverade].
[Vi vill inte ändra något|Ingenting ska ändras], [vi vill bara ha ordning i papperen|jag vill bara veta hur det \
ligger till].
""")
SUPPLIER_DETAILS = lines("""
[Jag har försökt hitta deras webbplats, men utan resultat|Deras växel svarar inte, så jag provar hos er i stället].
[Skriv gärna uppgifterna exakt som de står hos er|Gärna exakt så som det är registrerat], [siffrorna måste bli rätt|\
så att inget blir fel].
[Vi lägger in dem i systemet så snart vi fått svar|Så fort vi har svaret går betalningen i väg].
[Två par ögon ska kontrollera|Jag och <other> kontrollerar båda], [det är vår rutin|så är reglerna hos oss].
""")
THANKS = {
    "formal": lines("""
    [Tack på förhand|Med tack på förhand|Vi tackar på förhand] [för <ert> svar|för hjälpen|för besked|].
    [Vi emotser|Jag ser fram emot] <ert> svar[| inom kort| vid tillfälle].
    [Vid frågor nås jag|Vid oklarheter nås jag] [på telefon|via mejl|enklast per telefon].
    """),
    "plain": lines("""
    [Tack på förhand|Tack för hjälpen|Tack så mycket|Stort tack|Tacksam för svar|Tacksam för hjälp][!|.]
    [Det vore bra med|Det vore fint med|Jag skulle uppskatta|Vi hoppas på] ett svar [i veckan|när <ni> hinner|före \
    helgen|så snart det går].
    [Ingen brådska|Det är inte bråttom], [men gärna i veckan|ta det när <ni> hinner|men före månadsskiftet vore bra].
    [Hör av <er>|Säg till] om [något är oklart|<ni> behöver mer|jag ska förtydliga].
    """),
    "casual": lines("""
    [Tusen tack|Tackar så mycket|Tack snälla|Stort tack] [på förhand|för hjälpen|]!
    [En kram till den som svarar först|Ni är bäst|Guldstjärna till den som svarar|Jag bjuder på fika någon gång]!
    [Lovar att inte störa mer i dag|Sedan ska jag vara tyst ett tag|Det var allt från mig].
    """),
    "terse": lines("""
    [Tack.|Tack!|Tackar.|Snabbt svar uppskattas.|]
    """),
}
CLOSINGS = {
    "formal": lines("[Med vänliga hälsningar|Med vänlig hälsning|Högaktningsfullt|Vänligen|Bästa hälsningar]"),
    "letter": lines(
        "[Med vänlig hälsning|Varma hälsningar|Hjärtliga hälsningar|Med tack och vänlig hälsning|Vänligen]"
    ),
    "plain": lines(
        "[Hälsningar|Vänliga hälsningar|Mvh|Med vänlig hälsning|Hälsar|Vänligen|Bästa hälsningar|Hälsningar,]"
    ),
    "casual": lines(
        "[Kram|Hälsar|Ha det fint!|Hej så länge|Ha det gott|Soliga hälsningar|Allt gott|Trevlig helg!|Hej då!]"
    ),
    "terse": lines("[/|Mvh|//|–|Hälsn.|]"),
}
TITLES = lines("""
Administratör
Redovisningsassistent
Controller
Koordinator
Kontorsansvarig
Ekonomiassistent
Projektassistent
Verksamhetsassistent
Redovisningsekonom
Handläggare
Teamassistent
Kontorist
Enhetschef
Bitr. controller
Chefsassistent
""")
FORWARD_HEAD = lines("""
-----[ Vidarebefordrat meddelande | Ursprungligt meddelande ]-----
Vidarebefordrat från <colleague>:
<colleague> skrev:
[I tisdags|I går|I morse|I torsdags|Häromdagen] skrev <colleague>:
[Ur|Från] <colleague_gen> mejl:
""")
FORWARD_BODY = lines("""
Hej [<first>|du], [jag hittar inget om <known>. [Tar du det?|Kan du ta det?|Vet du mer?]|vet du något om <known>?|kan \
du reda ut <known>?|säger detta dig något: <known>?] /<colleague_first>
[Till dig|Den här är din]: <known>. [Jag kommer inte vidare.|Ring dem eller mejla.|Kan du ta hand om det?]
[Detta låg i min inkorg|Den här låg kvar på mitt bord|Fick detta i knät]: <known>. [Vet inte vems det är.|Inte mitt \
bord.|Ska vi fråga?]
[Påminnelse|Öppen punkt|Att göra]: <known>. [Saknar uppgifter.|Måste redas ut.|Vem tar den?]
""")
FORWARD_INTRO = lines("""
[Se nedan|Se mejlet nedan|Skickar vidare nedanstående|Jag fick det här av <colleague>|Frågan nedan hamnade hos mig].
[Min kollega <colleague>|<colleague>] [hörde av sig|skrev till mig] [om detta|och bad om hjälp], se [nedan|längst \
ner].
[Bakgrunden finns i mejlet nedan|Underlaget står i det vidarebefordrade mejlet].
""")
PS = lines("""
PS. [Jag är borta på fredag|Jag är på kurs i morgon], [ring annars <other>|då svarar <other>].
PS. [Det nya formuläret fungerar mycket bättre|Er nya webbsida är riktigt tydlig|Bra att <ni> svarar även på lunchen]!
PS. [Hälsa|Hälsa så gott till] [den som svarade senast|kollegorna].
P.S. [Autosvaret kom två gånger|Ert autosvar kom dubbelt] [senast|förra gången], [bara så <ni> vet|kanske något att \
titta på].
PS: [Skriv gärna i klartext, jag läser på mobilen|Ingen bilaga, tack, vår server stoppar dem].
""")
PRIVATE = lines("""
[prenumerant via|anställd på|jobbar på] <corp>
""")
RE = {"annoyed": "[SV: |Sv: |Påminnelse: ||]", "forwarder": "[VB: |Vb: |Fwd: ||]"}
PHONE_LINE = "[Tel|Telefon|Tfn|Direkt]: <phone>"
MOBILE_LINE = "[Skickat från mobilen|Skickat på språng|Skickat från min telefon|Från mobilen]"
