"""Abbreviations that end no sentence. Generated from ``conformance/abbreviations.json``.

Abbreviations behind which no sentence ends (besides a single capital letter), for claims
(dialects.md). `always`: whatever follows. `before_number`: when a digit follows. `after_ordinal`:
words before which the full stop of a number of one or two digits ends nothing. Case counts; the
abbreviation begins where no letter or digit stands before it. Chosen from CLDR 42's sentence
suppressions for en, de, fr, es, it, pt (Unicode License v3), without the words that end ordinary
sentences (ago., all., end., Job., on., out., set.), and with what those lists lack (Dr., e.g., et
al.). A sentence too long is a mild fault, one cut at Dr. is not.

Each list is a string, its items parted by ``|``.
"""

from typing import Final

ALWAYS: Final = (
    "A.C.|A.D.|A.M.|Abt.|Abw.|Adr.|Akt.|Allg.|Alm.|App.|Approx.|Ausg.|Ausschl.|Avda.|Ave.|B.A.|"
    "B.C.|Ber.|Bibl.|Blvd.|C.P.|Ca.|Capt.|Cf.|Cfr.|Chr.|Co.|Col.|Corp.|Cía.|D. h.|D.C.|Dept.|"
    "Desv.|Dipl.-Ing.|Dipl.-Kfm.|Dott.|Dr.|Dra.|Dras.|Drs.|Dto.|Dtzd.|Dª.|Dña.|E.G.|E.U.|E.g.|"
    "EE.UU.|Einh.|Emm.|Evtl.|Excma.|Excmas.|Excmo.|Excmos.|Exma.|Exmas.|Exmo.|Exmos.|F.f.|"
    "FF.CC.|Fa.|Fam.|Folg.|Forts. f.|Fr.|Frl.|Ft.|Gebr.|Gen.|Geograph.|Geom.|Gesch.|Ggf.|Gov.|"
    "H.P.|Hbf.|Hon.|Hon.B.A.|Hptst.|Hr.|Hrn.|Hrsg.|I.e.|Ilma.|Ilmas.|Ilmo.|Ilmos.|Inc.|Ing.|"
    "Inh.|J.-C.|JJ.OO.|Jahrh.|Jh.|Jhd.|Jr.|Kfm.|Kl.|Konv.|Kop.|L.A.|Lcda.|Lcdo.|Lda.|Ldo.|Lt.|"
    "Lt.Cdr.|Ltd.|Ltda.|Ltdo.|M.A.|M.D.|MM.|Maj.|Md.|Messrs.|Mio.|Mlle.|Mlles.|Mme.|Mons.|Mr.|"
    "Mrd.|Mrs.|Ms.|Msp.|Mt.|N.B.|N.Sra.|N.T.|N.Y.|N.d.A.|N.d.E.|N.d.T.|O.M.|O.d.G.|Obj.|P. ex.|"
    "P.-D. G.|P.M.|P.O.|Pfd.|Ph.D.|Pp.|Prof.|Proz.|Pvt.|R.D.|R.U.|RR.HH.|Rdo.|Rdos.|Reg.-Bez.|"
    "Rep.|Rev.|Rvdmo.|Rvdmos.|Rvdo.|Rvdos.|S. A.|S.A.|S.p.A.|SA.|SS.AA.|SS.MM.|Sdad.|Sen.|Sgt.|"
    "Sig.|Spezif.|Sr.|Sra.|Sras.|Sres.|Srta.|Srtas.|St.|StR.|Sta.|Sto.|Str.|Sté.|Tel.|Tsd.|"
    "Tägl.|U. U.|U.K.|U.N.|U.S.|U.S.A.|U.S.C.|U.U.|Ud.|Uds.|Univ.|Urspr.|Ursprüngl.|V.T.|Vda.|"
    "Verf.|Vgl.|W.C.|Wg.|Z. B.|Z. Zt.|Ztr.|a. C.|a. e. c.|a.C.|a.D.|a.M.|a.Rh.|a.a.O.|a.a.S.|"
    "a.m.|abr.|abrev.|acoust.|adr.|aer.|afma.|afmas.|afmo.|afmos.|agric.|al.|amtl.|anat.|anc.|"
    "ann.|anon.|ap. J.-C.|apart.|append.|approx.|arit.|arqueol.|arquit.|astron.|autom.|aux.|av.|"
    "av. J.-C.|avr.|avv.|bco.|beil.|biogr.|bol.|bras.|broch.|bspw.|bzw.|c.c.p.|ca.|categ.|cf.|"
    "cfr.|compl.|cont.|contab.|créd.|cx.|círc.|cód.|d. C.|d. h.|d.C.|d.J.|d.h.|d.p.R.|d.Ä.|"
    "depto.|deptos.|desc.|dest.|dez.|dic.|dict.|dipl.|dott.|dpto.|dptos.|dtor.|déb.|déc.|e. V.|"
    "e. c.|e.V.|e.Wz.|e.g.|e.h.|educ.|ehem.|eigtl.|einschl.|ej.|eletr.|eletrôn.|encycl.|ene.|"
    "entspr.|env.|erw.|esp.|ev.|evtl.|ex.|exempl.|exkl.|fasc.|feb.|fem.|fev.|ff.|figs.|fil.|"
    "filos.|fisiol.|fl.|fot.|frz.|févr.|fís.|geb.|gedr.|gek.|geom.|gesch.|gest.|ggf.|ggfs.|"
    "gouv.|gên.|hnos.|hpts.|hôp.|i. d. R.|i.A.|i.B.|i.H.|i.J.|i.R.|i.V.|i.d.R.|i.e.|illustr.|"
    "imm.|imprim.|indus.|ing.|ingl.|inkl.|jan.|janv.|jhd.|jhrl.|jue.|juil.|jul.|jun.|jur.|"
    "k. u. k.|k.u.k.|kath.|kfm.|kgl.|licda.|licdo.|liter.|m.E.|m.W.|matem.|mitt.|mié.|mss.|mtl.|"
    "mtro.|máq.|méd.|möbl.|mús.|n. Chr.|n.u.Z.|neol.|niv.|nov.|ntra.|ntro.|náut.|näml.|o. ä.|"
    "o.A.|o.B.|o.g.|o.ä.|obs.|oct.|od.|odont.|odontol.|organiz.|p. ej.|p. es.|p. ex.|p.Adr.|"
    "p.ej.|p.i.|p.m.|pag.|pp.|pq.|prof.|profa.|prov.|próx.|psicol.|pág.|págs.|quart.|quím.|"
    "r.s.v.p.|relat.|rep.|resp.|réf.|röm.|röm.-kath.|s.a.|s.o.|s.u.|schles.|schweiz.|schwäb.|"
    "sept.|sez.|sociol.|sog.|sras.|sres.|srs.|symb.|synth.|sáb.|séc.|símb.|südd.|tav.|tec.|"
    "tecnol.|trad.|transp.|trav. publ.|tägl.|u. U.|u. Z.|u. a.|u.A.w.g.|u.U.|u.a.|u.v.a.|u.Ä.|"
    "u.ä.|univ.|v. Chr.|v. H.|v. a.|v. u. Z.|v.Chr.|v.H.|v.R.w.|v.T.|v.a.|v.gr.|v.u.Z.|verh.|"
    "verw.|vgl.|vid.|viz.|vs.|z. B.|z.B.|z.Hd.|z.Z.|zzgl.|álg.|éd.|édit.|équiv.|éval.|índ.|"
    "österr."
)
"""No sentence ends with one of these, whatever follows."""

BEFORE_NUMBER: Final = (
    "Abb.|Abs.|Apr.|Art.|Arts.|Aug.|Bd.|Bl.|Cap.|Ch.|Chap.|Dec.|Dez.|Eq.|Eqs.|Ex.|Feb.|Fig.|"
    "Figs.|Jan.|Jul.|Jun.|Kap.|Mar.|N.|No.|Nos.|Nov.|Nr.|Núm.|Oct.|Okt.|Op.|P.|Par.|Ref.|Refs.|"
    "Rn.|S.|Sch.|Sec.|Sect.|Sep.|Sept.|Tab.|V.|Ver.|Vol.|Ziff.|abr.|ago.|art.|arts.|avr.|c.|"
    "cap.|cca.|ch.|chap.|circa.|dez.|dic.|déc.|ene.|eq.|ex.|fev.|fig.|figs.|févr.|gen.|giu.|"
    "janv.|juil.|lug.|mag.|n.|no.|nos.|nov.|nr.|núm.|oct.|op.|ott.|out.|p.|par.|pp.|ref.|refs.|"
    "s.|sec.|sect.|sept.|set.|tab.|v.|ver.|vol."
)
"""No sentence ends with one of these before a digit."""

AFTER_ORDINAL: Final = (
    "Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|"
    "Jan|Feb|Apr|Jun|Jul|Aug|Sep|Sept|Okt|Nov|Dez|Jahrhundert|Jahrhunderts|Jh|Jhd|Jahrtausend|"
    "Quartal|Quartals|Halbjahr|Halbjahres|Weltkrieg|Weltkriegs|Auflage|Platz|Klasse|Liga|"
    "Bundesliga|Spieltag|Tag|Woche|Stock|Etage|Kapitel|Absatz|Geburtstag|Jahrestag|"
    "Legislaturperiode|Wahlperiode|Folge|Staffel|Band|Teil|Runde|Minute|Jahr|Lebensjahr|"
    "Geburtstages|Sinfonie|Symphonie"
)
"""Before one of these words the full stop of a number of one or two digits ends no sentence."""
