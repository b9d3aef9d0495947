"""English words that differ from another English word by one letter: `filed` is not a near miss of `filled`.

Drawn by `tests/project/lookalikes.py` from word lists of SCOWL, and from what programmers shorten words to.
A word whose form with an `s` is in the list is in the list, too.

SCOWL is copyright 2000-2018 by Kevin Atkinson. "Permission to use, copy, modify, distribute and sell these word lists, the
associated scripts, the output created from the scripts, and its documentation for any purpose is hereby granted without fee,
provided that the above copyright notice appears in all copies and that both that copyright notice and this permission notice
appear in supporting documentation. Kevin Atkinson makes no representations about the suitability of this array for any
purpose. It is provided "as is" without express or implied warranty."

Rule: a word of this list is never taken for a mistyped one. A word too many costs a question, and nothing else.
"""

from __future__ import annotations

from typing import Final

LOOKALIKES: Final = frozenset(
    """
abas abbots abbotts abbs abducing abels aberrances ables abls abridgment abrs absinths academes acadians acanthus acariases
acariasis accessories accompanist accouterment accouters accoutred accoutrement accoutres accoutring accs acerates acers
achaeans acidness aciniform acknowledgment acred acts adamites adams addams addends addition additive addressees addresses
adducing adjs adjudgment adler adms adolfs adulteries advisees advises advs aerobics aerography aerologies aerology aerometer
aesthesia aesthetic aesthetically afcs affinities afrikaner afrs afterwords agars agential ages agraphas agras agron agrs
ailment airbuses airbusses aircrew aires akhnaton alabaman alais alan alarms alberts albinos albion alboin albs alder alds ales
alexandras algin algonkins algonquins algs alias aliens align aliment alines alisa alison alissa alkalies allans allegories
allison allodium allotropes allows allyson alms alodium alow alps alrights altas alterant alteration alterative altona altoona
alts aluminate aluminise aluminous aluminum alyson amandine amazonas ambroid ambry amds amebocyte ameboids ameers amenable
amenorrhea amenorrheic amer amiability amiables amiens amine amino ammine ammonate ammonics ammonite ammons amnesics amnio amon
amorists amos amphitheaters amphitheatres ample anabel anacoluthas anal analects analogies anam anapests anas anatomies anats
anatto ands anemically anerobic anes anesthesia anesthesiologist anesthesiology anesthetic anesthetically anesthetist
anesthetize anesthetized anesthetizing angelias angells angels angl angles anglia anglians anglo angry anionics annabel annals
annams annatto anns anonymous anoxemia anselms anserines antas antecedences anted anteed anther anthologies anthracoses
antilabors antonius antres ants apanage apatetic apcs aphasics aphereses apheresis apodictic apologies apothems appalls appals
appanage appareled appareling apparelled apparelling appels appendices appetences apples appraisees appraises apprised apprises
apprising aquileia arachnid aras arbitragers arbs arced archeans archeologic archeological archeologically archeologist
archeology archeols archeozoic archival archt arctogea ardells ards areography areolaes areologies areology areometer argon args
aridness aries arizonan arks arleen arlen arlenes armands armful armoires armorers armories armoring arms arnos aron arrons arrs
arthroscopes artiests artists arytenoid asafetida asciis ascis ascription ascs ashur asomatous asps assembles asshur assr asst
assurs astr astray astroid asur atheneum atlantan atlantas atlas atms atps attained attaining attempers attempres attr atts
augusts auths autobuses autobusses automaton autotomies aversely averting aviation avior avns avocation avoir awls azotemia
baals baaths babbling babettes backboard backlash backlashes backlight backpedaled backpedaling backpedalled backpedalling backs
backsets backside backwoods bactria badly baels bahais bahamans bahias bahts bailies bails baksheesh balance balas balata balded
balding baldy baled bales baling baliol balis balks ballance ballata balled balliers balliest balling balliol ballocks ballon
balloon bals balts bandana bandanna bands bandying banister bankbook banks bannister banquette bans bants baptises baptistries
baptistry baptists barack barbells barbels barberries barberry barbra barcarole barcarolle bards bare bared barely barents
barers baring baritone barked barking barley barnards barnets barnetts barns baron barque barrack barred barreled barreling
barrelled barrelling barres barrets barretts barring barron barrs bars barths barts barycenters barycentres basels bases basest
basilans basilian basinet basles basses basset bassinet bassis bastile bastille bastinaded bastinades bastings basts bated bath
bathyscaphs batik bating batistes bats batsmans batted battement battiers battiest battik batting bayoneted bayoneting
bayonetted bayonetting bazaar bazar bbbs bbls beaching beams beatification beatified beatifies beatifying beatings beats beckets
becketts beckmanns beckmans bedabble bedeviled bedeviling bedevilled bedevilling bedlam bedrolls behavioral behaviorally
behaviorism behaviorist behavioristic behaviors behmenism behmenist behoove behooved behooving behove behoved behoving beira
bejeweled bejeweling bejewelled bejewelling bela belabored belaboring belabors belated belay beldam belgs belied belies bellas
bellay bellied bellies bellow bells bellying belorussia belorussian belostok belows bels belying bemas benching bendictus
benedicts benefited benefiting benefitted benefitting benet bennet bennetts bens bents bentwood berars beretta beria bermudan
bernadine bernards bernhards bernices berns berras berretta berths berts bespread besteads bests beta beths bets bettas beveled
beveling bevelled bevelling bevies bevvies bevy bffs bhts bialies biased biases biasing biassed biasses biassing bibls bibs
bicolors bidden bidding biden biding biels biisks biles billions binomial biols biros bisk bismarks bisters bistres biter biting
bitter bitting blackish bladed blading blamable blancs blanders blankets blasphemes blats bleated bled blends blighs blks
blockers blonds blooding bloomers blots blouses blowiers blowiest blts blubs blusters boars boatmans bobs boers bogart bogeyman
bogeymen boggart boggle bogie bogied bogieing bogle bogy bogymans bogymens boils bole bolos bols bolts boluses bombs bonaparte
bondman bondmen bondwoman bondwomen bone boner bong bonier boniest bonner bonnes bonnier bonniest bonns bonos bons bony
boogeyman boogeymen boogie boogied boogieing booklets bookmaker bookmaking booles bools boones boongs boons booths boras bores
borgs borks borns bors borsht borus boses bosses botchers botchier botchiest botching both bots bougainvillea boughs bouncers
bourgs bourns bours bowells bowels bowls brachias brachiopod brads braes braggs brags brahms brain braked brakeman braking
brandeis brandies branding brands brans brants braque brasier brasilin brassier brats brazilin breads breasted breastfed
breastfeed breather breaths bred bredas bredes breeds breis brets bretts breughel brian briana brianna bridgets bridgetts bries
briggs brigs brills brimfulls brimfuls briniers briniest brininess brinkmanship brios briskets brisling britannias britney brits
brittney britts brls brno broch broke broking broncs brooch brooders brooke brooking browns brrs bruch bruegels brueghel bruges
brugges bruin brummells brummels brunet brunhilds brunt brusa bruts bryon bubblers buckners bucks buffon buffoon buffs bugle
bugled bugling bulbs bulfinch bulge bulged bulging bulgs bullfinch bulls buls bumps bunching bunds bunks bunts burch burgeoned
burgeoning burgeons burglaries burgoos burgos burgs burier burin burks burnet burnetts burns burnt burrier burriest burrs
burrstone burs bursa burstone burts burundian bury bused buses busheled busheling bushelled bushelling bushiers bushiest
bushires busiests business busing busra bussed busses bussing bute buts buttes butts byers byres byron cabala cabbala cabooses
cackling cacodemon cacoethes cadasters cadastres caddis cadences cadis caens calamites calcines calculus caldron calfs calibers
calibres calicles calipash caliper calipered calipering calisthenic calkings callahan callipash calliper callipered callipering
callisthenic calls callused calluses callusing calms calque cals calve cambered cambering cambrais cambrias camelopards cameos
cameron cameroon camoes camomile campaign campions camps cana cancelable cancelate cancelation canceled canceler canceling
cancellable cancellate cancellation cancelled canceller cancelling cancellous cancelous cancroid candlers caned caner canes
canescent canikin caning cannas canned canner cannes cannikin canning cannonry cannons cannula canonry canons cants canula
canvased canvases canvasing canvassed canvasses canvassing capacities caped caper capped capper capri capricorns capts
carabineer carabiner caracoled caracoling caracolled caracolling carbineer carbonades carbs carburetor carburettor career carer
caress carets caries cariole carissas carlenes carlines carloads carlos carlota carlotta carls carlton carmela carmella carnage
carnarvon carne caroled caroler caroling carolinian carolled caroller carolling carols carousel carpi carps carrageen carrells
carrels carries carriole carrousel carrs cars carses cartages carte carted carter carting cartography carton cartoon carts
cartulary caruncle caruncular carve carved carven carving cary casaba casandra caseates casette casino cassaba cassandra
cassette cassino castle castors castros casts casually casuals catalo cataloged cataloger cataloging catcalls catchers
categories catering cats cattails cattalo cattiers cattiest cattiness caucused caucusing caucussed caucussing causally causals
cauteries cavicorn caviled caviler caviling cavilled caviller cavilling cavities cdrs ceaseless celerity celiotomy cells
celomata cenacles cenesthesia cenobite cenobitic cenobitical cenogenesis centares centerboard centerfold centering centerpiece
centers centiliters centilitres centre centreboard centred centrefold centreing centrepiece centring centuries ceram cerate
cerated cered cerenkov ceres certes certs ceruse cervices cesarean cesarian cespitose cesuraes cesurals cetaceous chafed chafer
chaffed chaffer chaffing chafing chagres chagrined chagrining chagrinned chagrinning chain chairs chaldeas chameleon chanel
changs channel channeled channeling channelled channelling chanties chapati chapatti chaplain chaplins chapters charges charis
charrs chars charters chartres charwoman charwomen chased chasid chasidim chassed chassid chassidim chatters chauffers cheating
cheerers cheerly cheers cheetah cheliceres cher cherely cheries cherries chesters chetah chetopod chfs chgs chian chiccory
chicests chicory childs chili chilies chillers chillest chilli chillies chillness chillon chills chilon chimeras chinas chinking
chipewyan chirruped chirruping chirrupped chirrupping chiseled chiseler chiseling chiselled chiseller chiselling chivied chivies
chivvied chivvies chivvy chivvying chivy chivying chms choleric choose choosers choppers choregrapher choregraphic choregraphy
chorography choroids chorused chorusing chorussed chorussing chose chris chrisms christas christians christies christinas
christoper christs chron chrs chubbs chubs chucking chukar chukkar chunking churrs churs cinching cineasts cions cirroses
cisterns civies civvies claires clamants clammers clamored clamoring clams clangors claque claries clarinetist clarinettist
clarinos clarions clarks classist clave cleaners cleaning clearing climatic climatically clingers clisthenes clods closable
cloths clots clubbers clunkers clupeids clutch clvi clvii clxiis clxis clxivs clxviis clxvis cmdr cmds cnns cnuts coals coatees
coates coaxes cobble coble cobs cochleaes coconuts codded codding coddling coded codes coding codling coed coifed coiffed
coiffing coifing coils coins coke coked coking colas colds coleen colet coley colin colis colleen collet colliers collin colly
colonies colorable coloradan colorant coloration colorblind colorblindness colorcast colorcasting coloreds colorers colorfast
colorfastness colorful colorfully colorfulness colorific coloring colorist colorless colorlessly colorlessness colorway colos
colotomy cols colts columbas columbus coly coma comb combated combating combatted combatting comets comically comicals comines
commandeer commander commands commas commines commonalty comms comorans comorins comos companies compares competed competences
competes competing compiled compiles complaint completed compliances compliant complied complies composed composing composites
composted composting comps comptons comrs coms comtes conation concaves concenters concentred concentres concentring concerted
concerting concertise concertised concertising concertize concertized concertizing concerts conchs concordats concords concreted
concreting concretise concretised concretising concretize concretized concretizing concs conduced conducing conducive coned
conferer conferrer confidants confinable congelable congenial congenially congs conies coning conjunctives conned connies
conning conns conoscenti conrails cons conservatoires conservatories consistences constantas constants consts contactable
contacted contacting contactor contacts contemps continence continent continently contingences contr contractile conts
conventioneer conventioner convergences conversances cooked cookes cooking cooley coolly cools coombs cooms cooped cooper
cooping coords coped coper coping coplands copped copper copping cops copulaes coquette coral corantos cord cordates corelation
corelative corespondent corfs corine corinne corms corneals cornells cornels cornets cornetts cornices corns cornus cornwalls
corny corody coroner corporal corporality corporally corps corpses corral correlation correlative correspondent corrine corrody
corrs cors corydon coset cosigned cosigner cosigning cosset cosseted cosseting cossetted cossetting costes costs costumer
costumiers costumires cotemporary coterminous coterminously cotillon cots couching councillor councillorship councilor
councilorship counseled counseling counselled counselling counsellor counsellorship counselor counselorship counterweighs
countess counties countywide couriers courters courtier couteaus couthers couthest cowberries cowberry coxaes crabbers crabs
cracking cranage crane crappers crappy craps crapy crate crated crater crating craton crave craved craven craving crawlers cream
creamers created creates creating creation creators cred creed creepers creeps creepy crees cremates crenelate crenelated
crenelating crenelation creneled creneling crenellate crenellated crenellating crenellation crenelled crenelling crepes crepey
cretes creuse crevices cricketeer cricketer crispers crispest crispness crisps cristina croakers crochets crockets crocketts
cron cronus crony crooner croons crops crossbred crossbreed croydon crts crucifies cruds crueler cruelest crueller cruellest
cruet crullers crumbier crumbiest crumbing crumping crunched cruncher crunches crunching cruse crust cryotherapy cryptanalysis
cryptogam crystalize crystalized crystalizing crystallize crystallized crystallizing crystals csts ctenoids ctrs cudgeled
cudgeling cudgelled cudgelling culch culet cullet culls cultch cults cunts cupelation cupellation cupulaes curds curet curies
curries curse curst curts curtsying cuter cutter cyclopedia cyprinid cystines cytheras daguerrotype dahomans daimon dairen
dairies damar damion dammar damndest damns daredevilry daren dargs darien darin darnells darnels darns darrells darrels darren
darrin darryl darts daryl dashikis datables deaminate deana deane deanna deanne deanns deans debars debauchees debauches debras
debts decaffs decafs decaliters decalitres decameters decametres decanted decanting deceased deceases deceasing deciliters
decilitres decimeters decimetres decls decolorant decrying decuples deducible deducing deeming deems deenas defeated defeating
defected defecting defection defective defector defer deferent deffer degassed degassing deigning deils dejects delectable
deleting deletion delis dells dels demeanors demes deming demising demonical demonically demonics dems demurer demurrer dena
denis dennis dentation dentures dependences deprecate deprecated deprecating deprecation deprecative deprecator deprecatory
deprogramed deprograming deprogrammed deprogramming deps depts deputies derick derivation deriving derrick ders dervs descried
descries deserts desirees desires desserts dessertspoonful destines detained detaining detents deutschmark deviled deviling
devilish devilled devilling devilries devisees devises devotees devotes dextrose dextrous dextrously dextrousness diagramed
diagraming diagrammed diagramming dialed dialer dialing dialled dialler dialling diana diane dianetics dianna dianne dianns
dians diaries diarrhea diarrheal diarrheic dibbling dichotomies dichroic dicts didoes diecious diems diereses dieresis
differentiaes digenesis digraphs dimer dimes dimeters dimetric dimmer dinas dined diners dings dining dinks dinned dinners
dinning dinos diodes dione dionne dions dionysus diopters dioptres dippiers dippiest directoires directories direfuls direr
dires direst disassembles discoloration discolored discoloring discolors discreetly discreetness discreets discretely
discreteness discretes discs discuses discusses disemboweled disemboweling disembowelled disembowelling disenthralls disenthrals
disfavored disfavoring disfavors disheveled disheveling dishevelled dishevelling dishonorable dishonorably dishonored
dishonoring dishonors disjoined disjoining dislodgment dissyllable distills distils distraits distributees distributes dists
disyllable divergences djinns doggie dogie doled doling dolled dolling dols domed doming doms dona done donees dongs donnas
donnes donns dons doomed dooming dorps dors dorthy dosed doses dosing dossed dosses dossing dostoevski dostoevsky doted doter
doting dotted dotter dotting doughier doughiest doweled doweling dowelled dowelling dozy drabbets dracenas drachms drafters
draggers dragnets dragon dragoon drags drain dramaturges drats dreamers dreidls dressers drier dries driest drippers driveled
driveler driveling drivelled driveller drivelling droops drops drouths dsts dubbings duckings ducts dueled dueler dueling
duelist duelled dueller duelling duellist dufy dullness dulls dulness duly dumbs dumfound dumfounded dumfounding dumpings dune
dunite dunnes dunnite dunns duns durants dwelling dyspneas eagers eagres earing earls earring earthens earthier earthiest
earthiness earthing earthly eccls economies ecuadoran edos edts educatees educates eduction eductive edwards efts eger egests
eggers eggs egoistic egoistical egoistically egos egotisms eights eires ejects elams electors electros eleoptene elevs eliot
elis elise elliot elliotts ells ellwood elmas elms elsie elves elwood emanuel emergences emersons emirates emitters emmanuel
emmets emmetts emotions empaneled empaneling empanelled empanelling employees employes emts enameled enameler enameling
enamelled enameller enamelling enamored enamoring encs encyclopedia encyclopedic encyclopedically encyclopedist endameba
endeavored endeavoring endeavors endemics endoderms endorsees endorses ends energies engs enisle enjambment enjoiner enls ennius
ennuis enquires enrollment enrolls enrolment enrols ensepulchers ensepulchres ensile enterotomy enthrallment enthralls
enthralment enthrals entires entopics entries epicenters epicentres epidemic epigeals epigeous epirogeny epistle epitasis
equaled equaling equalled equalling equivalences eradiate ergs ericks ericson ericsson eries erks ernestine ernests ernst erst
erts escalades escalloped escalloping escaloped escaloping escapees escapes eses esps estela estella estonias ests estuaries
etas ethically ethnol ethological ethologist ethology eths etymologies eudemonia eudemonics eudemonism eudemons eulogies
euphoria euryales eurythmic everetts eviler evilest eviller evillest examinees examines excellences excepted excepting excerpts
excl excs exigences exon expansile expatiate expatiated expatiating expatiation expediences expiation expiatory exps exrs
exsiccates extensile extolls extols exts exuviaes exxons eyers eyres faceted faceting facetted facetting factional factions
factious factiously factiousness factories facts factures faggot faggoting fagot fagoting fainests falcon falkners falls
faltboat fangs fantasied fantasies fards fares farmed farmer farming farts fasciaes fasciate fasciation fascicle fascists
fastings fatbacks fated fatheads fathered fathering fatherless faths fatted fattened fattener fattening fattests fausts
favorable favorableness favorablenesses favorably favorers favoring favorite favoritism favoured favouring fayers fayres fealty
feathered featly feats feculence feds feers feezes fells felspar feme femmes feres ferity ferns ferrule fers ferule fetas
fetation fetch fetchers fetches feticide fetiparous fezes fezzes fibber fiber fiberboard fiberfill fiberglass fibreboard
fibrefill fibreglass fibres fictional fictionally fictions fiddlers fiedler fiefs fielder fiend fifes fighting filagree
filariaes filer files filet filing fillagree filler fillet filling films fils filtrable finables fined finely fingering finish
finley finned finnish fins fireboard fired firer fires firth fizziers fizziest fizzling flacon flamings flanneled flanneling
flannelled flannelling flashers flashest flatboat flats flatts flatulences flaunter flavored flavorful flavoring flavorless
flavorsome flds fledging fledgling fleecers fleshers fleshier fleshiest fleshiness flexiles flextime flied flier flies floaters
floors floppers flor florescence florescent floridan florines flotages flotation flour flowered flowerer flts fluor fluoroscopes
fluter flutists flutter focused focuses focusing focussed focusses focussing fogy folies follies fols fondling fonds footings
forbears forbodes forbores forbs fordo fords foregoes forepeak fores forest foreworn forfends forgather forgathered forgathering
forgoers forgoing forgones forjudge forms formulaes forrest forspent forster forswear forswearing forswore forsworn forth forts
forwardly forwardness forwards forwents forworns fostering foundered foundering founders founding fouquets fowls fraes frailers
frailest frambesia framed framer framing franchisees franchises francs franks frats fred fredericas fredericks fredrick fredrics
freemans freemens frees freida freis freity frenulum freshens freshets freyr freys friction fried frieda friedans friedmanns
friedmans frier fries friggs frighted frighting frigs frisians friskers frith frivoled frivoling frivolled frivolling frizes
frizzes frizzing frodo froes fromms froms fronds frostier frostiest froth froward frowardly frowardness frowsier frowsiest frts
fruiters frumenty fryer fryes fths fueled fueler fueling fuelled fueller fuelling fulfillment fulfills fulfilment fulfils
fullness fulness funds funerals funest funneled funneling funnelled funnelling funnest furmenty furns fury fused fusees fuses
fusing fussed fusses fussing fustians fuzed fuzees fuzes fuzing fuzzed fuzzes fuzzing gabbiers gabbiest gabble gabbled gable
gabled gaby gaels gaffs gaged gagged gagging gaging gala galabias gale galiot galipot gallas galles galliot gallipot galloon
galloot gallop galls galoot galop gals gama gambled gambling gamboled gamboling gambolled gambolling gambs gamer gamier gamiest
gammas gammer gammier gammiest gamy gands gandzhas gangs gantlets gantries gaols garble garbs gardants gardner gards garnets
garnetts garnished garnisheed garnishees garnishes garote garoted garoting garotte garotted garotting garrets garretts garrote
garroted garroting garrotte garrotted garrotting garter garth gary gases gasps gasses gassiers gassiest gassiness gastropod
gastrotomy gaths gats gauffers gauffres gaurs geans gears geests gelatins gelds geminate geminated geminating gemination
gemmologist gemmology gemologist gemology genas genealogies generics genets genially genoeses gentes gentle gents geological
geologies geologist geometries georgians georgias georginas geranium gerards geras gerenuk geres gest ghanians ghebers ghebres
giantism gibber giber gibs gigameters gigametres gigglers gilas gilberts gilded gilder gilding gilds gillians gils gingko
gingkoes ginkgo ginkgoes girds girth girts glamored glamoring glamorization glamorize glamorized glamorizer glamorizing
glamorous glands glenns glens glias glided glider gliding globigerines glom glooms glossers glts glues gluteals gmts goals
godard goddamed goddard godlier godliest godliness godly gods godthaab godthab godwin goers goey gofer goffer gogol goiters
goitres golds gonadotropic gonadotropin gonds goniffs gonifs gonorrhea gonorrheal goodlier goodliest goodliness goodly goodwin
gooeys googol gooiests gops gores gormandise gormandism gormandize gormands gossiped gossiping gossipped gossipping goths gourds
gowns grabbers grabble grable grabs gradated gradates gradating gradation grads gramps grandad grandams granddad granders
grandmas grangers grants grater gratings graveled graveling gravelled gravelling gravelly gravely greasers greats grecises
grecisms grecizes greening greenuk greenville grees greggs gregs grenville gres gretas grids grills grimms grimness grims gripe
griped griper griping grippe gripped gripper gripping grith grits gritters grizzles groove grounding grove groveled groveler
groveling grovelingly grovelled groveller grovelling grovellingly grubbers grueling gruelingly gruelling gruellingly guaranies
guards guarneri guars guerilla guerrilla gules gumboils gustier gustiest gustily gustiness gusts gusty gutsier gutsiest gutsily
gutsiness gutsy gynecics gynecium gynecocracy gynecoid gynecologic gynecological gynecologist gynecology gynecomastia haarlem
habergeon habitation habitats hacks hadjs haemophilics haems hairbreadth hajes haji hajjes hajjis hajjs hajs haley halley
halloing hallooing halloos hallos halls halo haloes haloing hals hames hams handclaps handcraft handels handful handles handwork
hannover hanover hanukah hanukkah haoles harar harborage harbored harborer harboring hardests hardly hardness harkened harkening
harlem harmonies harms harrar harriets harrietts hartmanns hartmans harts hasid hasidim hassid hassidim hasts hatcheled
hatcheling hatchelled hatchelling hatching hatchling hated hater hating hatsheput hatted hatter hatting havers havres hawks
haworths hawthorns haydns headmans headmens headwater hears heart heathery hectoliters hectolitres hectometers hectometres helen
helene helgoland helicals heliograph hellen hellene hells hels hemachrome hemagglutinate hemangioma hematics hematinic hematins
hematite hematoblast hematocele hematocryal hematogenesis hematogenous hematoid hematologic hematological hematologist
hematology hematoma hematomata hematopoiesis hematosis hematothermal hematoxylin hematozoon hematuria hemelytron hemocyte
hemodialyses hemodialysis hemoglobin hemolysin hemolysis hemophilia hemophiliac hemophilic hemorrhage hemorrhaged hemorrhaging
hemorrhoid hemorrhoidal hemorrhoidectomy hemostasis hemostat hemostatic henans hennas heps heraklion heras herat herds heresy
heretical heretically heretics heriot heritage herls hermanns hermans herms herniaes herns herps herriot hers hersey hershel
heterecious heterism heterogenous hierarchies highests highs hilary hildegards hillary hinds hings hmms hoars hoatzins hobbs
hobs hods hoffs hogs hoke hoked hokey hoking holey holley holloing holloware hollowware holms holst holts holy homeopath
homeopathic homeopathically homeopathist homeopathy homeostases homeostasis homeostatic hominids homogenies homogenous
homologies homomorphism homoousian homophones honds honorable honorableness honorably honorees honorers honoring hooked hookes
hookey hooking hooped hooping hoorah hoosier hoover hoovered hoovering hooves hoped hopped hops horah horas horns horts horus
hosier hosteled hosteling hostelled hostelling hostler hosts hots housmans hover hovered hovering hoves hsts huffs huger hugger
hughs hullaballoo hullabaloo humanness hummus humoring humorless humorlessness humps humus hungry hurrying hurts huzzaing
hyacinths hydrants hydrocele hydrocephalus hydrometers hymenals hymns hyperboles hyperemia hyperesthesia hyperglycemic hyperons
hypesthesia hypethral hypocenters hypocentres hypoderms hypogeal hypogeous hypogeum hypoglycemia hysterectomies iaccoca iacocca
iambs idylls idyls illinoian ills imfs immorality immorally immorals immovable impaneled impaneling impanelled impanelling
impediments impeding imperiled imperiling imperilled imperilling imperils imperious imperiously imperiousness impermanences
imperscriptible impl implement imposers imprescriptible imprest imps impudence impudent impudently inadvertences inanests
inanities inbred inbreed incerate incessances incipiences incoherences incr increate incs independences indianan indicted
indicting indiction indictor indigenes indiscreets indiscretes inditing indra indre inds inducing inerrable infants infarct
infarcted infarction infected infecting infection infective inferable inferrable infinites infinities infract infracted
infraction infs ingests inhumanly init initialed initialing initialled initialling innits inoculate inquires inrs insistences
insolent inst installment installs instalment instals instances instills instils instr insulted insulting insurgences intemerate
interbred interbreed interceptor interlay interlined interlining interment intermittences internees internes internment interns
internship interred intis intr intransigence intrigants introits ints inunction invitees invites invs irrelevances isabela
isabella ischemia ischemic isidors isidros isls isochroous isolines isomeric isotopic itineracy iyar iyyars izard izzard
jacobins jaime jains jalousies jamaal jamal jamie jana janells janettes janie janine janis jannas jannie jared jarred jeanette
jeanie jeanine jeannette jeannie jeannine jeans jeers jeffery jeffrey jeffry jehosaphat jells jena jenifer jennas jennifer jeres
jeri jerold jerris jerrold jers jeweled jeweler jeweling jewelled jeweller jewelling jewells jewels jibbed jibbing jibed jibing
jinns joanns joans jocks joesph johanns johnie johnnie johnsons johnstons joins joliet jolliet jonas jonathan jonathon jonis
joseph joses josses judgment judgmental juds jujitsus julianns julians jullundur julundur junketeer junketer kaaren kabala
kabbala kaffeeklatch kaffeeklatches kaffir kafir kahns kails kalis kanos kaons kaputs kaputts karen karls karoo karos karroo
karts kathrine kathryn katmandu katrines kedah keddah keelson kefs keith kelson kemps kenneled kenneling kennelled kennelling
kens kents keps kerbs keri kerns kerris kerrs khans kidds kidnaped kidnaper kidnaping kidnapped kidnapper kidnapping kids kieth
kiloliters kilolitres kinds kinesthesia kinesthetic kinfolks kingstons kinship kirsten kited kiting kitted kitting kkts klatch
knapps knaps knps knts koans kongs kosciusko kphs krebs kristen kristies kronos kroons kurts kwanzaas kwanzas laager labeled
labeler labeling labelled labeller labelling labiates lability laborers laboring laborite laborsaving lacklusters lacklustres
lacrymal lacunaes ladanums laddies ladies lager lagger laird lairs lakishas lamas lambasts lambda lambkin lamed lamellaes
laminaes laming lammas lammed lamming lamps landman landmen lands landside lankests lankly lankness lanks laparoscopes lapeled
lapelled laps laris lases lasses lasts late lateraled lateraling lateralled lateralling laters laths latices latters lattes
lattices laughers laundrette laverns leads leafleted leafleting leafletted leafletting leals leanns leans learns lech leched
leches leching ledas leeched leeches leeching legatees legates lehmanns lehmans leifs leila leisters leks lelas lelia lemnos
lemons lenas lenities lenos lents leonards leons leopards leopolds leporides lepts lessees lesses lets leukemia leukorrhea
leveled leveler leveling levelled leveller levelling levigate levits levitts levogyrate levorotation levorotatory levulose lewis
liability liams liard liars libation libber libelant libeled libelee libeler libeling libellant libelled libellee libeller
libelling libellous libellously libelous libelously liber liberties librated librates librating libration licensees licenses
lichtenstein liefs liens lifes lighting lightning ligulaes ligulate likability likableness likables liker likker lilian lilies
lillian lillies lily limas limbs limburgs limns linds linemans linemens lines lings linneans linns linos lins linteled lintelled
lions liras lissomly lissomness lissomnesses lists liths litter livableness livables livers livres llewellyn llewelyn lngs
loaths lobbed lobed lobes lobotomies locks lodgment lodicules loebs loess loews loggia logia logorrhea logy loins loire lombards
longevous longs lons looped looper looping looser looses loosing loped loper loping lopped lopper lopping lops loraine lorans
lore loricaes lorie lornas lorns lorraine lorres lorrie lory loser loses losing losses lota lots lottas lotts lotus louisianan
louts louvers louvres lovability lovableness lovables lowes loyaler loyalest loyaller loyallest lsats luanns lubricous lucas
luccas lucians lucile lucille lucinas luffs luged luger lugged lugger lugging luging lugworms lunching lungs lunks lunulaes
lusterless lusters lusterware lustreless lustres lustreware lustring lutherns luxemburg lvis lweis lxis lxivs lxviis lxvis
lycanthropes lynette lynnette lynns mabels mables maccabean macintosh macintoshes macro macrocosms macs maculaes madeline
madrasa madrassa magneton mahjonggs mahjongs maigers maigres mails mains majuscules maldivan maligner malinger malis mallory
malodorousness malodors malory malts mama mamet mamies mammas mammet mammies mammillaes mana manats mandeans mandolas mandrells
mandrels mandrills mandrils maned manets manically manicheism manifests manikin manila manilla maniples manis mannas manned
mannikin manns mans mantas mantelpiece mantels mantes mantlepiece mantles maquette marats marco marcs margarites margret margs
mariana marianna marianos marians maries marilynns marilyns marinas marinate marisa marissa maritally maritals marka marketeer
marketer markka markkaas marks marlinspike marls marocs marquees marques marquetry marries marsh marshaled marshaler marshaling
marshalled marshaller marshalling marshalls marshals martas martha martially martials martians martinas marts marveled marveling
marvelled marvelling marvellous marvellously marvellousness marvells marvelous marvelously marvelousness marvels mary maryanns
masorete massachusets massachusetts massorete mate mated mater matheson mathew mathias maths matiests matildas mating matins
matres mats matted matter mattes matthew matthias matting mattins matts maudlin maugers maugres mauldin mazard mazurkas mazzard
mcbride mcdonald mcintosh mckenzie mcleod mcmillan mcpherson meagerly meagerness meagers meagrely meagreness meagres mealiers
mealiest meanders meats medalist medallist medially medians mediated mediates mediating mediation mediative mediator medieval
medievalism medievally medinas meeting meets megalomanics megameters megametres melancholics melanies melisa melissa mellon
melodies melon membranous memoried memories menadics mends menses meshuga meshugaas meshugga mesnes mesoglea messages messiers
metacenters metacentres metaled metalled metaphase metas metes methemoglobin meticals meting metonymic mets mgrs micelles
michael micheal michele michelle microcopy microcosms microdots micrometers micrometres micromillimeters micromillimetres
micropaleontologies micropaleontology microwavable middletons miens miler miliary milicent militaries millards miller milliary
millicent milliliters millilitres mills mils milts mina minables mines minibuses minibusses minimus miniums minks minnas minns
minorites minster mints minuets misbehaviors misdemeanors mises misfield misfiled misjudgment mislabeled mislabeling mislabelled
mislabelling mislaying misleading missends misses missuses mistrals mists misuses mitchells mitchels miters miterwort mitres
mitrewort mits mizen mizenmast mizzen mizzenmast moans modeled modeler modeling modelled modeller modelling moderns modests mods
moets mogs mohamed mohammed moldered moldering moldiers moldiest moldings molls mols moly moments monachal monachism monacids
monarchal monarchial monas monatomic monet money mongs monikers monkhood monks monnet monologist monometalism monometallism
monopoles monopolies monos monosome mons montages monterey monterrey montes montpelier montpellier monts mooney moons moores
moorings moors mooses moped moper moping mopped mopper mopping morality morellos morelos mores morison morns moros morrison mors
mortgagees mortgages moses mosses mote motets motorbuses motorbusses mots mottes motts moulders mourns mouse moused mousing
mousse moussed moussing mouths movability movableness movablenesses movables mpgs msgs msts mtgs mucors mucros mugginess
mugginses mujaheddin mujahedin muley mulley mulls multicolored multicolors multilayer multiples munch munsters mure muriates
murres mused muses musing mussed musses mussing mussorgsky mustache mustached mustachio mustachioed musts muter muts mutter
mykolayiv myological myologist myriameters myriametres mythologies mythopeic myths myxedema nabatean nabateas nacas nairs naives
namables nanette nannette nanometers nanometres nans nape napier nappes nappier naris narragansets narragansetts nascences natls
navies navvies navy naziism nazism ncaas necrophilics necropolis nectarous neighbored neighborhood neighboring neighborliness
neighborly neighbors neologies neritics nets neurally neurocele nevadans newburgs newells newels nickels nickles nicolson niger
nigger nighs nikolaev nisan nissan niters nitres nobble nobels noble nocturns noks nonelective nonfulfillment nonfulfilment
noninfected nonjoiner nonoccurence nonoccurrence nonplused nonpluses nonplusing nonplussed nonplusses nonplussing nonsuches
nooses norberts norms nose nosiests nosiness nosology notaries notogeas nrcs nsfs nths nubbiers nubbiest numskull nursling
nutrient nwts nympheum nymphs obbligati obbligato obligati obligato obligees obliges ocam occams ocherous ochers ochery ochreous
ochres ochrey odders oder odorless official ohsas olas olds ombers ombres omnibuses omnibusses onomatopoeic onomatopoeically
onts oogenesis orangs orcs ordnances ords orels organophosphorus orgastic orgastically orgs orients orin orles ornis orrins orrs
orthographies orthopedic orthopedically orthopedist orthotic orts osborns oses oshas otcs outcasts outlaying outlying outpaces
outraged outrages outraging overate overbores overdoes overdoing overeating overeats overfed overfeed overheads overlaps
overlaying overlays overlept overlies overlying overpaying overpays overrate overseer overshoot overshot overtrain overweighs
owns paars pacemaker pacemaking padang padnag pailfuls pails pairs palatals palearctic paled paleethnology paleobiologies
paleobiologist paleobiology paleobotanies paleobotany paleoclimatologies paleoclimatology paleoecology paleogene
paleogeographies paleogeography paleographic paleographical paleography paleolith paleolithic paleontography paleontol
paleontologic paleontological paleontologist paleontology paleopsychology paleozoic paleozoologies paleozoology palestra
palestrae palette paling palis palled pallette palling palls palmettes palmists palms pals palter paly panatela panatella
pandoras pane paned paneled paneling panelist panelled panelling panellist pangs panier panned pannes pannier pants papering
paradisaic paradisaical paradisiac paradisiacal paraibas parakeet paralleled paralleling parallelled parallelling paramatta
parametrise parametrised parametrize parametrized params paranoically paranoics paras paraselenes parceled parceling parcelled
parcelling pardner pared pareses paresthesia pargeting pargetting paries paring paris parish parks parlormaid parls parmas
parolees paroles paronymic parrakeet parramatta parred parries parring parrish parrs pars parse parsees parted particolored
parting parton parts pases passerby passes pasties pasts pasty patellaes paten patently paterson paths patinous patios patois
paton patricas patron patroon patsies patsy patten pattered pattering patterson patton payables paybacks pcts peans pears
peasantry peasants pedaled pedaling pedalled pedalling pederastic pediatric pediatrician pedicels pedicles pedogenesis
pedological pedologist pedology pedophile pedophilia pedophilic peeking peeks peele peels peens peewee peewit peins peirce pekes
pekinese peking pelagian pele pelee pemican pemmican pena penances penates penciled penciling pencilled pencilling penes penis
pennas pennates pennes pennis penns penology pens penstemon penuches peperoni pepperoni peps peras perfects pericope periled
periling perilled perilling perils perjures perks perlis perlman perls pernickety peron perorate perorated perorating peroration
perron pers pershing persistences personaes personalty pertinences perts perusing pests petaled petalled peter petering petter
pewee pewit phaetons pharmacopeia phenology phidippides philanthropies philip phillip philosophies philters philtres
phlebotomies phlyctena phonying phosphorus photoreconnaisance photoreconnaissance piasters piastres picard piccard pickets
picketts pickings pickling picts pierce piggishly piggishness pilaffs pilafs piled piles piling pilled pilling pilsner pimentos
pined ping pining pinks pinnaces pinned pinning pinnules pinots pintos piny piped piping pipped pipping piquants pisas piscines
pissaro pissarro pita pitchers pithiers pithiest piths pitman pits pittas pittman pitts pixelate pixellate pixilated pixillated
pizazz pizazzes pizzaz pizzazz pizzazzes plaint planer planing planks planner planning plants plasms plastered plasters plate
plated plater plating platte platted platter platting pledgees pledges pliant plied plies plns ploys pluckers plumier plumiest
plummier plummiest plummy plumules plumy pluses plushers plushest plushly plushness plusses pods poems pointers pointillists
poises poison poisson poitiers pokiests polack pole poled poler poling polks pollack polled poller polling polos pols poly
polycythemia polypoid pomes pommeled pommeling pommelled pommelling pompeian pompeiian pons pooled pooles pooling pools poorer
popliteal pops porches porer porns portaled portalled ports pose posies posses possies postilion postillion potability potables
potage potentate potholer potholes pots pottage potts powering prase prated prating prats pratts prcs preacher precancelation
precanceled precanceling precancellation precancelled precancelling precedences precipitances predicable predicted predicting
prediction predictive preemie preemptor preexistent prefectoral prehensile prejudgment preludes prelusive premie premises
premisses presbyteral presentient presentment preses presses preterit pricking primer primeval primevally primmer primness
primogenial principes priorities privateer privater prof professorate prognostics programed programer programing programmed
programmer programming prologise prologize prolongs promisees promises prons proofs propretor proprs prorated prorates prorating
proration prosector prosopopeia prospects prostate protactinium prothalmion prothalmium prothesis prots psias psts psychologies
psychs ptahs pucks puled puler puling pulled puller pulling puls pulses pummeled pummeling pummelled pummelling punchers
punchier punchiest punctate puree pures purree purrs pushiers pushiest pushiness puts putts pwned pwning pwns pygmeans pyorrhea
pyorrheal pyrenean pyrenees pyrenes pyromanics quadrats quadruped quadruple quants quarreled quarreler quarreling quarrelled
quarreller quarrelling quebecer questionary quiets quinns quins quintans quintins quints quites quoths rabbin rabbis rabi rabin
raccoon racon racoon radcliffs radially radiances radicels radicles radiotelephones rafs raga raged raggas ragged raggeder
raggedest ragging raging rails rains raleighs rameses ramesses randalls randals rands rangs ranis raped raper raping rapped
rapper rapping ratables ratan rated rater raths rating ratoon rattan ratted ratter ratting rattoon raveled raveler raveling
ravelled raveller ravelling razed razees razes razing razzed razzes razzing razzmatazz reacting reaction reactors realtor
rearming recalcitrances receptor recoding recognizees recognizes recolored recoloring recolors reconnoiter reconnoitred
reconnoitrer reconnoitres reconnoitring recontact rects rectus recusances recuts redbird redds redes redialed redialing
redialled redialling redis reds reedbird reeds reefer reelected reelection reelects reenter reentrance reest reevaluate
reevaluation refactor refection refer refiled refiling refilled refilling reflated reflating refocused refocuses refocusing
refocussed refocusses refocussing refs refts refueled refueling refuelled refuelling refugees refuges regarded regarding regin
regraded regrading rehearing reids reign reigning reins reintegrate reintegration relabeled relabeling relabelled relabelling
relating relation relator relaying reliable relining reliving rels remaking reminder remodeled remodeling remodelled remodelling
remolded remolding renees renes renin renis rennes rennin renter reorders reorging reparable repaying repelled repelling
repertoires repertories replying reprogramed reprograming reprogrammed reprogramming reps rereading resalable resected reselling
resets resetting residences resiting resitting resoling resowing resplendences rest restarts restated restating restaurateur
restring retables retained retaining retard reticles retired retirees retires retraced retracing retractile retraction
retractive retracts retrad retrained retraining retrains retried retries retuning revaluate revaluation reveled reveler reveling
revelled reveller revelling reveries revering rewakens rhapsodies rhetians rhombs rhonda rhondda rials riband ribband ricocheted
ricocheting ricochetted ricochetting ridding riding riels riffle riffled riffling rifle rifled rifling rifs rights rigmarole
rigorism rigorist rigs rile riled rilled rilles rills rimed riming rimmed rimming rings riparian ripely riper ripley ripper
rivaled rivaling rivalled rivalling riveted riveting rivetted rivetting roams roans roasters robbed robbin robbing robed
roberson roberts robesons robin robing robts rodricks rods rofls rogue roks roland rolfs rolland rolls rollway romaines romains
romanian romanias romanics romanies romanis romansh romas roms ronas rontgens rooses rooster rosalinds rosannes rose roseanns
roster rostering rots rotunds rouge roundness roweled roweling rowelled rowelling rpts rsvs rubble rubels ruble rucks rudder
ruder rudy ruination rumanian rumanias rumoring rumormonger rumps rundlets russells russels saabs saadis saars sabas sabers
sabres sabs sackings sacraments sacring saddling sadi sadrs saggiers saggiest saharans saids sailfish sains salability salables
saleroom salians saliences salinas saliva sallower sallowest sallowly sallowness salon saloon saloop salop saltation saltatory
salted salter saltests saltier saltiest salting saltires saltpeters saltpetres salts salty salvadoran salvation salve salved
salver salvia salving sanaas sanas sandaled sandalled sanfords sangs sankaras sanks sapanwood saplings sappanwood sappiers
sappiest sappiness saras sards sars sases sasses sateless satin savables savagers savaging savorers savorier savories savoriest
savorily savoriness savoring savorless savourer sawns scabbles scalds scaliers scamming scamps scanters scantest scanting
scantly scantness scarabaeid scaring scarp scarped scarper scarping scarred scarring scepters sceptred sceptres schemer schlepps
schleps schmalzy schmeer schumanns schumans scirrhus scooped scooping scoops scooter scoots scop scoped scoping scorpaenid scot
scotchs scoter scotts scotus scourers scouring scouts scraggier scraggiest scrap scraped scraper scraping scrapped scrapper
scrapping scratcher scribers scrimper scrod scrouges scrounger scrs scrubber scrum scrunches scrutinies scuffing sculps scumming
scurries sealanes seamiers seamiest seaminess sears seats seborrhea seborrheic secretins sectoral seculars sedans seder sednas
seeder seediers seediest seediness seens seers segre seignorial seks sematics semiology semitics sems senes sennets sennetts
senorita sens sentence sentiences sentient sents sepaled sepalled seps septically septicemia septicemic septs sepulchers
sepulchred sepulchres sepulchring seqs sequined sequinned sera seres serfs serge serifed seriffed serras sers setas sets
settings setts sewns shaaban shaanxi shaban shacking shadower shaef shakable shamed shaming shammed shamming shana shanna shanxi
sharable sharon sharps sharron shawns shaws sheaf sheaths shedders shedding sheers sheikdom sheila shelia shelling shepard
sheppard sher sherbets sherd sheri sheriffs sherifs sherri shhs shiers shifters shilling shimming shined shingler shining
shinned shinning shinny shiny shires shlemiel shlep shlepp shlepped shlepping shlock shlocky shmear shmeer shmo shmooze shmoozed
shmoozing shmuck shnook shnorrer shoed shoeless shoers shooed shoos shoots shores shorns shostakovich shot shoveled shoveler
shoveling shovelled shoveller shovelling shred shrieks shrikes shriners shriveled shriveling shrivelled shrivelling shrs shtick
shutting shwa siams sians sickests sickness sicks siddons sidemans sidemens sideshow sidons siena sienna siftings sighs sighting
sigmatism signaled signaler signaling signalled signaller signalling signed signer signing signores signories signs sikes silds
siliques silliers silliest silly silts silver silvered silvering simas simitars simmered simmering simmons simons simulant
simulate simulated simulating simulation simulative simulator singed singeing singer singing singletree singling sings sinhalese
sinhs sining sinkings sinning siple siree sires siroccos sirree sites siting sitting sizableness sizables sizzling skagerak
skagerrak skeltons sketcher skies skilful skilfully skilfulness skillful skillfully skillfulness skinners skulduggery
skullduggery skyes slanders slashers slashing slated slater slatier slatiest slating slats slatted slaty slaved slaver slaves
slaving slds sleepers sleighs slids slily slimness slingers slipover slippers slits slitters slitting sliver slivered slivering
sloan sloes sloops slop sloped sloping slopped slopping sloshing sloucher slrs slumbrous slummers smalts smidgens smoldered
smoldering smolders smoother smoothes smooths smother smuggers snags snakiers snakiest snappers snarlers sneakers sniffers
sniffing sniped sniping snipped snipping sniveled sniveler sniveling snivelled sniveller snivelling snogs snoopers snoots
snorkeled snorkeling snorkelled snorkelling snot snowshed snuffers snuffing snugging snugs soars soberness sobriquet socialites
sodalites softs soggiers soggiest sohos soilages soils solan soldered soldering soldier solds solemness solemnness soles solider
solidest solidity solidness soliloquies solis solitaires solitaries solus somatics somatology somberly somberness sombers
sombrely sombreness sombres some sommes song soniferous sons sony soongs soothers soothing sooths sootiers sootiest sootiness
soots sopor soppiers soppiest soppiness soras sordines sorites sorties sorts sorus sotos sots soughing soughs souls sours
southerly sowns spanging spared spareness sparests sparing sparkers sparking sparling sparred sparring spattered spattering
spatters spatting spca specialties specialty specking specters spectres sped speeders speleans spiels spiers spile spilt
spinless spinules spiraled spiraling spiralled spiralling spires spiritualty spirochete spirochetosis spirt spirting spited
spiting spitted spitters spitting splasher splendors splendrous splits spongers spoonfed spoonfeed spoonful spoor spoored
spooring spored sporing spotters spouting spps spring springer sprit spry sputtered sputtering sputters sqqs squeaker squibbs
squibs squinter squintest squiring squirmer squirreled squirreling squirrelled squirrelling srta ssts stadholder stael stafford
stain stainers staining staled stalemate stales stalests staling stalled stalling stanched stancher stanches stanchest stanching
standing stantons stapedes stared staring starling starred starring starrs stars starting stdio stds steading steal steamers
steaming stedfast steele steels steeps steers steeve stela stele stella stellite stenciled stenciling stencilled stencilling
stentors step ster stere stereoscopes sterns stets steve stge stgs stickers sticking stickled stickles stickling sties
stilbestrol stillers stillest stingers stingier stingiest stinginess stinging stings stinkers stinks stipulaes stipules stirps
stockist stockpots stol stomodeum stools stoops stoors stopping stops stor story straggler straightway straits stranger stranges
strap stratis streaker streamed stree stretcher stria string stringer striped striper striping stripped stripper stripping
strips strobiles stroy strs studiers stuffers stumpers stutters subaxillary subduals subduers subdures subsides subsidies
subspecialty substantial subtiles subtle subtopic subtotaled subtotaling subtotalled subtotalling succored succoring succorless
suckings sudanese suds suers suffr suggests sumer summaries summer summoned summoning sunbaths sunburns sungs sunns sunroofs
suns superfetation supplant supplers suppliant suppls supps sups sura sures surgeons surgs surnames surplused surplusing
surplussed surplussing surras susana susanna suses susses susurrus suwanee suwannee suzanns suzans svns swaged swagged swagging
swaging swagmans swampers swankers swankest swans swarts swaths sweaters sweetsop swinging swings swiveled swiveling swivelled
swivelling swoops swop sycees syces sykes symmetries sympathies symphonies synchronies synchs syncs synds synecious synecology
synereses syneresis synesthesia taals tabbouleh tablespoonful taborets tabouleh tachometer tactiles tactions tacts taels tahrs
tails talas talcs taler tales talis talks taller tallinns tallins tallis talls tamables tamburas tami tammis tamps tangiers
tangiest tangs tankfuls tanks tantalus tantra taped taper tapering tapped tapper tappings taradiddle tared taring tarpan tarps
tarradiddle tarred tarring tartarus tartests tarts tarty tasseled tasseling tasselled tasselling tastiers tastiest tatars tater
tatras tatry tatter tautologies taverns taxiing taxing taxonomies tdds teals teargases teargasses teaseler teaseller teaspoonful
teazels teazles techiers techiest technicolors teeniers teeniest teepee teeths teetotaler teetotaller telesthesia tells tels
temps teniacide teniafuge teniasis teniers tennessean tennesseean tennos tenns tenons tens tensiles tensimeter tents tepee
terence terfs teri termor terns terraces terrains terranes terrence terrenes terris terrs ters tesls tesselate tesselation
tessellate tessellation testees testes tests teth textually textuals thants thars theatergoer theaters theatregoer theatres
theologies theories therap there thereins thermesthesia thermopile therms thes thickest thickets thicks thickset thomsons thorns
thorps thoughs thraces thraldom thralldom threader threap threat threes threnodes throughs thrus thurs tickling tiddlers
tidewater tiers tigers tigres tiled tiler tiling tilled tiller tilling tils tilted tilting tilts timbers timbres tined tingeing
tings tinier tiniest tininess tinkling tinned tinnier tinniest tinniness tinseled tinseling tinselled tinselling tints tiny
tired tires tiros titanesque titer titivate titivated titivating titivation title titled titling titres titter tittered
tittering tittivate tittivated tittivating tittivation tittle tlcs tmps tnts toady toasters today toddies todies tods tody
tolbooth tolidine tollbooth tolls tolus tone tongs tooted tooter tooting toots toped topees toper topes topically topicals
toping topology topped topper topping torches tores toriis toris torns torres torrs tors torts tortuous tortuously torus totaled
totaling totalled totalling toted toter toting totos tots totted totter totting touls touranes tours toweled toweling towelled
towelling townees townes towns toxemias toxemics trabecules tracheotomies tracheotomy tracings tradable trailed trailing trails
traitors trammeled trammeler trammeling trammelled trammeller trammelling trampers tramping tranquiler tranquilest tranquility
tranquilize tranquilized tranquilizer tranquilizing tranquiller tranquillest tranquillity tranquillize tranquillized
tranquillizer tranquillizing transcendences transferable transferrable tranship transhipment transited transiting transits
transitted transitting transonic transship transshipment transsonic trapan traps trashing traveled traveler traveling travelled
traveller travelling treaders treading treasures treaties trebling treenail trefs tremor trenail trents trialed trialing
trialled trialling trials trichlorethylene trickers trickier trickiest tricking tricolored tricolors tricorns triecious tried
tries triffid trifid trilling trimer trimestral trimeter trimmer trios tripe trippe trochees troches trolleybuses trolleybusses
tromps trons tropeolin trots troubleshoot troubleshot troweled troweling trowelled trowelling truckers trucking truculences
truing truks trusters trusting tsps tucson tularemia tulls tunables tunneled tunneler tunneling tunnelled tunneller tunnelling
turdines turing turks tuscon twined twinging twining twinned twinning twisters typhon typhoon tyrannies tyrees tyres tyrs umbels
umbles unarmored unbiased unbiasedly unbiassed unbiassedly unbridged uncanceled uncancelled uncataloged uncolored uncrated
underbodies underfed underfeed undergoes underlay underlies underling underpay underpaying undershoot undershot unearned
uneatable uneatens unelected unending unequaled unequalled unesthetic unfavorable unfavorably unflavored unfocused unfocussed
unformed unfunded unguals ungulas unhanded unhonored uniats uniformed uniforms uninfected uniocular unitas unites unlabeled
unlabelled unlashed unlashes unlashing unlearns unlikable unlocking unmaking unmarred unmeet unmended unmet unmistakable
unmistakably unneighborly unraveled unraveling unravelled unravelling unreserved unrivaled unrivalled unrounded unsalable
unsavorily unsavoriness unsavorinesses unsavory unsexual unshakable unsoiled unstained unties untired untrained untrammeled
untrammelled untraveled untravelled untread untried untrusts unweighed upgradable uprising uranology urls urtexts usability usds
usms usrs utahns vaasas vaginaes vails valances valences valiances vals valvules vanished vanishes vanishing vaporific
vaporimeter vaporing vaporish vaporously vaporware varicolored vasa vasectomies vaughn veals veda veddas veery veges vegges
velas velds vellum velum venality venation venns vens venters ventre verey verification verified verifier verifies verifying
verisms vermilion vermillion verns verrazano verrazzano vers versicolors verst vertebraes verts very vesicaes vesicles vesicular
vests vials victualage victualed victualer victualing victuallage victualled victualler victualling viers vigilantism vigilants
vigorless viis vila villas villenage vincis vindobna vinics vinlands vires virescence virescent visakhapatnam viscounties vita
vitorias vittas vogue voltameter voltammeter voltmeter voluntarism vouge voyagers vries vulgs wackests wackiers wackiest wacks
wacs wadables wadded wadding waded wading waged wagged wagging waggon waggoner waggonette waging wagon wagoner wagonette
wainscoted wainscoting wainscotted wainscotting waiver wakeners wakening walachia walds waled waler waling walkway wallachia
walled waller walling walls wals wands wanglers wangling wannabees wannabes wariests wariness waring warps warranted warranting
warring warship warts wasts watercolorist watercolors wats wavier weaks weaseled weaseling weaselled weaselling webs weds
weeniers weeniest weers weests weevilly weevily weighing weighs weimar weirds wekas wells welty wends wens weres wests wetly
whackers wheelers wheeling wheelman wheens wheezers when whetstone whinging whinny whiny whirrs whirs whisks whitely whitfield
whitley whodunit whodunnit whoevers whoops whop whosever whosoever widowing wield wielders wiemar wiens wigglers wiggling wigner
wilds wiled wilful wilfully wilfulness wiling willed willful willfully willfulness willing wills wilting wily windburns windings
wines winfred winger winiests wining winkling winning wintrier wintriest wintry wirer withs witling wits wittiers wizes wizzes
wobblers woden wolf wolffish wolffs wolfish wolof womera wommera woodards wooden woodiers woodiest woodiness woodmans woodmens
woolen woolf woolier woolies wooliest wooliness woollen woollier woollies woolliest woolliness woolly wooly woomera wops words
workable workday worshiped worshiper worshiping worshipped worshipper worshipping worth worts wouldst wraps wreaths wresters
wresting wrier wrinkles writable wroth wwis wyats wyatts xanthins xantippe xcis xcivs xcviis xcvis xiis xviis xvis xxii xxiii
xxis xxiv xxix xxvi xxvii xxviii xxvs xxxiis xxxis xxxivs xxxv xxxviis xxxvis yarns yodeled yodeler yodeling yodelled yodeller
yodelling yodels yodles yoghurts zaffers zaffres zaharias zoogleas
""".split()  # noqa: SIM905  # as a list it is a page for each letter
)
"""The words."""
