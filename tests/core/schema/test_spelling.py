"""A name is read as another only where nobody could mean something else."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from rapidfuzz.distance import Levenshtein

from stream_guard import Guard, Risk, Tool, Toolset
from stream_guard.schema.spelling import Names, nearest_of, normal, posed, slipped, tokens
from stream_guard.schema.words import NEGATING, opposites
from stream_guard.tools.files import FILE_TOOLS
from tests.kit.breadth import some
from tests.kit.proof import Cases

OPPOSITES = """

    activate deactivate | lock unlock | install uninstall | encrypt decrypt | approve disapprove | import export | set get |
    enable disable | mount unmount | mute unmute | follow unfollow | archive unarchive | publish unpublish | subscribe
    unsubscribe | register unregister | assign unassign | block unblock | ban unban | attach detach | connect disconnect |
    grant revoke | allow deny | start stop | open close | push pull | pop push | upload download | upgrade downgrade |
    increase decrease | increment decrement | ascend descend | include exclude | accept reject | accept except | add remove
    | append prepend | insert delete | create delete | show hide | login logout | credit debit | buy sell | send receive |
    send_1 send_2 | step1 step2 | v1_2 v12 | read write | save load | encode decode | compress decompress | serialize
    deserialize | pack unpack | wrap unwrap | bind unbind | link unlink | pin unpin | tag untag | flag unflag | like unlike
    | like dislike | trust distrust | select deselect | select unselect | check uncheck | verify unverify | validate
    invalidate | undo redo | stage unstage | stash unstash | freeze unfreeze | promote demote | merge split | commit
    rollback | pause resume | reserve reverse | resign re_sign | release re_lease | recover re_cover | resent re_sent |
    notable not_able | nowhere now_here | invalid in_valid | inactive in_active | unionized un_ionized | apply reply |
    restore store | reset set | reopen open | resend send | relock lock | min max | minimum maximum | from to | source
    target | src dst | source destination | old new | before after | start end | begin end | first last | x y | x z | lat
    lon | lat lng | latitude altitude | latitude longitude | cc bcc | width height | width depth | top bottom | left right |
    row column | north south | east west | inner outer | input output | inbound outbound | internal external | public
    private | parent child | sender recipient | payer payee | employer employee | lessor lessee | trainer trainee | buyer
    seller | debtor creditor | key value | head tail | gross net | prefix suffix | upper lower | high low | local global |
    absolute relative | online offline | valid invalid | visible invisible | active inactive | optional required | primary
    secondary | even odd | horizontal vertical | arrival departure | pickup dropoff | minuend subtrahend | numerator
    denominator | signed unsigned | sync async | billing shipping | timeout_s timeout_ms | delay_ms delay_us | wait_min
    wait_ms | age_days age_hours | ttl_hours ttl_hour_s | every_minute every_minutes_ms | size_gb size_mb | size_mb size_mib
    | size_kb size_b | size_Gb size_GB | power_mW power_MW | rate_Mbps rate_MBps | weight_g weight_kg | weight_lb weight_kg
    | weight_oz weight_g | temp_f temp_c | temp_celsius temp_fahrenheit | temp_k temp_c | length_m length_cm | length_m
    length_mm | length_ft length_m | length_in length_cm | distance_km distance_mi | speed_kmh speed_mph | speed_m_s
    speed_ms | area_m2 area_m3 | volume_l volume_ml | angle_deg angle_rad | freq_hz freq_khz | pressure_pa pressure_hpa |
    price_eur price_usd | price_cents price_cent_s | price_dollars price_cents | amount_percent amount_permille |
    ratio_percent ratio_fraction | day month | month year | mon_1 mon_2 | sha1 sha256 | ipv4 ipv6 | utf8 utf16 | base32
    base64 | int8 int16 | page_1 page_10 | h1 h2 | address_line_1 address_line_2 | phone1 phone2 | q1 q4 | level_02 level_2
    | port_80 port_8080 | count_1000 count_100
"""

ALIKE = """

    trail trial | trial trail | quiet quite | united untied | untied united | casual causal | causal casual | marital
    martial | martial marital | angel angle | dairy diary | diary dairy | desert dessert | dessert desert | later latter |
    latter later | hoping hopping | hopping hoping | planed planned | planned planed | filled filed | filed filled | filed
    field | field filed | tapping taping | taping tapping | diner dinner | dinner diner | canon cannon | cannon canon |
    polices policies | policies polices | sacred scared | scared sacred | silver sliver | sliver silver | perfect prefect |
    prefect perfect | three there | there three | could cloud | cloud could | slated salted | salted slated | split spilt |
    spilt split | unties unites | unites unties | contract contact | contact contract | insert inset | country county |
    county country | starting stating | string sting | strand stand | patient patent | parent patent | friend fiend | planet
    plant | plants planets | assert asset | asset assert | exist exit | exits exists | price prize | prince price | charts
    chats | through though | thorough through | bread bead | track tack | crash cash | cursor cursors | course curse |
    statue status | month moth | months moths | reverse revere | resort restore | resorts resets | resets rests | product
    produce | interstate intestate | deified defied | super supper | supper super | bitter biter | biter bitter | comma coma
    | moping mopping | mopping moping | pining pinning | pinning pining | robed robbed | robbed robed | staring starring |
    starring staring | scared scarred | scarred scared | striped stripped | stripped striped | griping gripping | sloping
    slopping | slopping sloping | baring barring | barring baring | caning canning | winning wining | wining winning |
    wagging waging | coma comma | tiled tilled | tilled tiled | rated ratted | rater ratter | matted mated | hated hatted |
    ballot ballet | bellow below | below bellow | medal meddle | petal pedal | metal medal | metal mental | mettle metal |
    nuclear unclear | calvary cavalry | discrete discreet | discreet discrete | principle principal | stationary stationery
    | complement compliment | council counsel | affect effect | adapt adopt | adept adapt | device devise | advice advise |
    loose lose | ensure insure | moral morale | personal personnel | message massage | mouth month | change charge | change
    chance | create crate | crate create | crated created | created creates | created create | update updated | updater
    update | delete deleted | deletes delete | users user | user users | notes note | item items | manager manage | managed
    manager | process princess | princes princess | canvas canvass | discus discuss | needles needless | cares caress |
    prams params | params prams | cords coords | coords cords | founder flounder | prostate prostrate | sever server |
    server sever | serve severe | severe serve | barns brans | girds grids | grids girds | stake skate | thorn throne |
    tried tired | tired tried | model mode | models modes | closet closest | closest closet | carets carts | carpets carps |
    tickets ticks | markets marks | hundred hunted | coast cost | coats costs | boats bots | goats gots | stable table |
    stables tables | scale sale | scales sales | store tore | brand band | bland band | blank bank | black back | clear ear
    | board broad | brake bake | trace race | traces trances | trance trace | stream steam | steam stream | streams steams |
    scream cream | friends fiends | fright flight | flights fights | fights flights | bright bight | sight slight | slight
    sight | weigh weight | height eight | weights weighs | rights rites | sports spots | shorts shots | charts carts | sweat
    sweet | chart chat | beitrag betrag | betrag beitrag | miete mitte | breit bereit | casa caso | precio precios | compte
    conte | donner dormir | parler parle
"""

SPELLINGS = """

    write_file writeFile WriteFile write-file write.file write/file WRITE_FILE WRITE-FILE Write_File writefile WRITEFILE
        writeFILE functions.write_file functions.writeFile tools.write_file default_api.write_file
        multi_tool_use.write_file Write-file wriTe_File wirte_file wrte_file wriite_file create_file createFile
        make_files MakeFiles createfile
    |
    get_weather getWeather get-weather GetWeather GET_WEATHER getweather get_weatehr get_weathher get_wetaher
    |
    search_documents searchDocuments search_docuemnts search_documments search_docments search_doucments
    |
    get_http_response getHTTPResponse GetHttpResponse get-HTTP-response get_http_repsonse get_http_responnse
    |
    send_message_2 sendMessage2 send-message-2 SEND_MESSAGE_2 send_message2 send_mesage_2 send_meessage_2 send_messgae_2
    |
    list_user_ids listUserIDs list_user_IDs ListUserIds list-user-ids
    |
    create_calendar_event createCalendarEvent create_calender_event_ create_calednar_event create_calenndar_event
        create_calndar_event
"""

FIELD_SPELLINGS = """

    file_path filePath FilePath file-path FILE_PATH filepath file_ptah_ file.path
    |
    description Description DESCRIPTION descripton descripttion descrpition desription_
    |
    recipient Recipient recipeint recippient RECIPIENT recipents_
    |
    content Content CONTENT contnet contentt_ contnent_ conttent contnt bodies notes
    |
    timeout_ms timeoutMs TimeoutMS timeout-ms TIMEOUT_MS timeout_Ms tiemout_ms
    |
    user_ids userIDs userIds UserIds USER_IDS user-ids
    |
    size_gb sizeGb sizeGB SIZE_GB size-gb
    |
    temperature temperatrue temperrature temprature Temperature
"""


def groups(text: str) -> list[list[str]]:
    return [group.split() for group in text.split("|")]


def pairs(text: str) -> Iterator[tuple[str, str]]:
    """Every two words of a group, either way."""
    for words in groups(text):
        yield from ((one, other) for one in words for other in words if one != other)


def schema_of(field: str) -> dict[str, Any]:
    return {"type": "object", "properties": {field: {}, "more": {}}, "required": [field], "additionalProperties": False}


def named(name: str, field: str = "what", *, risk: Risk = Risk.WRITE, **more: Any) -> Tool:
    return Tool(name, "", schema_of(field), risk=risk, **more)


MORE_OF_IT = named("more_of_it", "other")


def runs(guard: Guard, call: dict[str, Any], *, wrapped: bool = True) -> list[dict[str, Any]]:
    """What comes out executable, of the call as it is and in the wrappings that models use."""
    if not wrapped:
        return [
            block.arguments for block in [guard.check(json.dumps(call))] if block.executable and block.arguments is not None
        ]
    tool, rest = call["tool"], {key: value for key, value in call.items() if key != "tool"}
    bodies = [
        call,
        [call],
        {"name": tool, "arguments": rest},
        {"tool_calls": [{"function": {"name": tool, "arguments": json.dumps(rest)}}]},
    ]
    texts = [*map(json.dumps, bodies), repr(call), f"{tool}({json.dumps(rest)})"]
    return [block.arguments for block in map(guard.check, texts) if block.executable and block.arguments is not None]


def as_tools(couples: Iterable[tuple[str, str]], form: str) -> int:
    """Of each risk where the name is the word alone, and elsewhere of each in turn."""
    count = 0
    for number, (written, known) in enumerate(couples):
        for risk in Risk if form == "{}" else [list(Risk)[number % len(Risk)]]:
            guard = Guard(Toolset(named(form.format(known), risk=risk), MORE_OF_IT), fixes="spec")
            wrapped = risk is Risk.WRITE and form == "{}"
            assert not runs(guard, {"tool": form.format(written), "what": 1}, wrapped=wrapped), (written, known)
            count += 1
    return count


def as_fields(couples: Iterable[tuple[str, str]], form: str) -> int:
    count = 0
    for written, known in couples:
        guard = Guard(Toolset(named("do_it", form.format(known))), fixes="spec")
        assert not runs(guard, {"tool": "do_it", form.format(written): 1}, wrapped=False), (written, known)
        inner = Tool("do_it", "", {"properties": {"in": schema_of(form.format(known))}, "required": ["in"]})
        assert not runs(Guard(Toolset(inner)), {"tool": "do_it", "in": {form.format(written): 1}}, wrapped=False), (
            written,
            known,
        )
        count += 2
    return count


@pytest.mark.some
@pytest.mark.promise("P8")
@pytest.mark.parametrize("text", [OPPOSITES, ALIKE], ids=["opposites", "alike"])
@pytest.mark.parametrize("form", ["{}", "bulk_{}_user"])
def test_no_name_is_read_as_its_opposite_nor_as_a_word_like_it(text: str, form: str, cases: Cases) -> None:
    """Neither of a tool nor of a field: units, directions, numbers, opposites, and words that differ by a letter."""
    couples = list(pairs(text))
    assert len(couples) >= 300
    if form != "{}":
        couples = couples[::2]
    couples = some(couples, 40)
    cases(as_tools(couples, form) + as_fields(couples, form))


@pytest.mark.promise("P8")
def test_no_word_that_has_an_opposite_is_read_as_another(cases: Cases) -> None:
    """All words of the tables, each against all that resemble it."""
    words = sorted(opposites())
    tried = 0
    for word in words:
        resembling = [other for other in words if Levenshtein.distance(word, other) <= 4 or normal(other) == normal(word)]
        like = Names(other for other in resembling if other != word)
        assert like.meant(word) in (None, *(other for other in words if normal(other) == normal(word) != word)), word
        assert like.meant(f"{word}_zone") is None
        tried += 2
    cases(tried)


@pytest.mark.promise("P8")
def test_no_word_is_read_as_its_negation(cases: Cases) -> None:
    words = ["activate", "load", "connect", "build", "register", "approve", "visible", "fund", "order", "able", "sign", "lease"]
    for word in words:
        cases(
            as_tools([(prefix + word, word) for prefix in NEGATING] + [(word, prefix + word) for prefix in NEGATING], "{}_it")
        )
        for prefix in NEGATING:  # nor with a slip in what negates it
            assert word[0] == prefix[-1] or not slipped(prefix[:-1] + word, prefix + word)


@pytest.mark.promise("P8")
def test_letters_of_other_scripts_are_other_letters(cases: Cases) -> None:
    guard = Guard(Toolset(named("list_kids", "topic"), *FILE_TOOLS))
    good: dict[str, Any] = {"tool": "list_kids", "topic": 1}
    tried = 0
    for letter, others in {
        "i": "\u0456\u0131\u0130",
        "s": "\u0455\u017f",
        "k": "\u212a\u043a",
        "c": "\u0441",
        "o": "\u043e\u03bf\u00f6",
        "p": "\u0440",
    }.items():
        for other in others:
            for call in (
                {**good, "tool": "list_kids".replace(letter, other)},
                {"tool": "list_kids", "topic".replace(letter, other): 1},
                {"tool": "List-Kids".replace(letter, other), "topic": 1},
            ):
                if call != good and not json.dumps(call, ensure_ascii=False).isascii():
                    assert not runs(guard, call), call
                    tried += 1
    for name in (
        "wr\u0456te_file",
        "write\u200b_file",
        "write_f\u0131le",
        "\uff57rite_file",
        "write\u2010file",
        "write\u00a0file",
    ):
        assert not runs(guard, {"tool": name, "path": "a", "content": "x"})
        tried += 1
    cases(tried)


def test_a_name_of_another_script_is_its_own(cases: Cases) -> None:
    tools = Toolset(named("größe_ändern"), named("отправить_письмо"))
    for written in ("größe-ändern", "größeÄndern", "Größe_ändern", "отправить-письмо"):
        expected = {"größe-ändern": "größe_ändern", "Größe_ändern": "größe_ändern", "отправить-письмо": "отправить_письмо"}.get(
            written
        )
        found = tools.meant(written)
        assert (found.name if found else None) == expected
    assert tools.meant("gröse_ändern") is tools.meant("отправтиь_письмо") is None
    cases(6)


@pytest.mark.promise("P8")
def test_a_tool_that_takes_something_away_is_reached_by_its_name_alone(cases: Cases) -> None:
    """In any spelling of the same words, or by an alias; by no slip and no plural, and neither are its fields."""
    guard = Guard(
        Toolset(named("purge_records", "record_identifier", risk=Risk.DESTRUCTIVE, aliases=("wipe_record",)), named("x", "y"))
    )
    good = {"record_identifier": 1}
    spelt = [
        "purgeRecords",
        "PURGE_RECORDS",
        "purge-records",
        "purgerecords",
        "wipe_record",
        "wipeRecord",
        "functions.purge_records",
    ]
    for name in spelt:
        found = runs(guard, {"tool": name, **good})
        assert len(found) >= 5, name
        assert all(call == {"tool": "purge_records", **good} for call in found)
    slips = [
        "purge_recrods",
        "purge_reccords",
        "purge_record",
        "purge_recordss",
        "wipe_records",
        "purge_rcords",
        "purge_recors",
    ]
    for name in slips:
        assert not runs(guard, {"tool": name, **good}), name
    fields = ["record_identifer", "record_idnetifier", "record_identiifier"]
    for field in fields:
        assert not runs(guard, {"tool": "purge_records", field: 1}), field
    cases(len(spelt) + len(slips) + len(fields))


def test_honest_spellings_are_read(cases: Cases) -> None:
    """Case, separators, humps, a provider's namespace, the plural of an alias, one slip inside a long word."""
    tried = 0
    for known, *written in groups(SPELLINGS):
        tools = Toolset(named(known, aliases=("create_file", "make_file") if known == "write_file" else ()), named("frob"))
        for name in written:
            for risk in (Risk.READ, Risk.WRITE):
                found = runs(Guard(Toolset(*(Tool.of(tool, risk=risk) for tool in tools))), {"tool": name, "what": 1})
                assert all(call == {"tool": known, "what": 1} for call in found)
                assert bool(found) is not name.endswith("_"), (known, name)
            tried += not name.endswith("_")
    for known, *written in groups(FIELD_SPELLINGS):
        aliases = {"body": known, "note": known} if known == "content" else {}
        guard = Guard(Toolset(named("do_it", known, field_aliases={**aliases, **({"bodie": known} if aliases else {})})))
        for name in written:
            found = runs(guard, {"tool": "do_it", name: 1})
            assert all(call == {"tool": "do_it", known: 1} for call in found)
            assert bool(found) is not name.endswith("_"), (known, name)
            tried += not name.endswith("_")
    assert tried >= 60
    cases(tried)


@pytest.mark.promise("P8")
def test_another_servers_tool_is_another_tool(cases: Cases) -> None:
    """Unless it is declared to be the same."""
    call = {"path": "a", "content": "x"}
    names = (
        "mcp__fs__write_file",
        "mcp__write_file",
        "fs.write_file",
        "server/write_file",
        "evil.functions.write_file",
        "functions:write_file",
    )
    for name in names:
        assert not Guard(FILE_TOOLS).check(json.dumps({"tool": name, **call})).executable, name
        assert not Guard(FILE_TOOLS).check(json.dumps({"name": name, "arguments": call})).executable, name
    declared = Toolset(Tool.of(FILE_TOOLS.get("write_file"), aliases=("mcp__fs__write_file",)))
    assert runs(Guard(declared), {"tool": "mcp__fs__write_file", **call})
    both = Toolset(named("list"), named("tools_list"))  # a namespace, or a name with a dot
    assert not runs(Guard(both), {"tool": "tools.list", "what": 1}, wrapped=False)
    cases(2 * len(names) + 2)


@pytest.mark.promise("P8")
@pytest.mark.parametrize(
    "call",
    [
        {"tool": "patch_file", "path": "a", "content": "-x\n+y"},
        {"tool": "edit", "path": "a", "content": "x"},
        {"tool": "update_file", "path": "a", "content": "x"},
        {"tool": "modify_file", "path": "a", "text": "x"},
        {"tool": "append_file", "path": "a", "content": "x"},
        {"tool": "insert_file", "path": "a", "content": "x"},
        {"tool": "rm", "path": "a", "content": "x"},
        {"tool": "unlink", "path": "a", "old": "x", "new": "y"},
        {"tool": "write", "path": "a", "old": "x", "new": "y"},
        {"tool": "create_file", "path": "a"},
    ],
)
def test_one_operation_is_not_another(call: dict[str, Any], cases: Cases) -> None:
    """An alias leads to its tool, and what that cannot take is refused; it leads to no tool that could."""
    assert not runs(Guard(FILE_TOOLS), call)
    cases(6)


@pytest.mark.promise("P7", "P8")
def test_a_tool_that_nobody_named_does_not_run(cases: Cases) -> None:
    bodies = ['{"path": "README.md", "content": "..."}', '{"path": "a", "content": "x",}', '[{"path": "a", "content": "x"}]',
              '{"arguments": {"path": "a", "content": "x"}}', '{"path": "a", "old": "x", "new": "y"}']  # fmt: skip
    for body in bodies:
        assert not Guard(FILE_TOOLS).check(body).executable, body
    cases(len(bodies))


def test_a_hint_asks_for_no_opposite() -> None:
    """A question may be answered with yes."""
    tools = Toolset(named("deactivate_user", "timeout_ms"))
    assert tools.near("activate_user") is None
    assert tools.near("deactivate_usr") is tools.get("deactivate_user")
    assert not tools.knows("activate_user")
    assert nearest_of("timeout_s", ["timeout_ms"]) is nearest_of("min_length", ["max_length"]) is None
    assert nearest_of("timeout_mss", ["timeout_ms"]) == "timeout_ms"
    assert posed("step_1", "step_2")
    assert not posed("write_file", "wrong_file")
    assert not posed("a_b", "a_b_c")


def test_a_name_is_cut_into_its_words() -> None:
    assert tokens("getHTTPResponse2") == ("get", "http", "response", "2")
    assert tokens("userIDs") == ("user", "ids")
    assert tokens("SHA-256 sum") == ("sha", "256", "sum")
    assert normal(" writeFile ") == normal("Write-File") == "write_file"


def test_a_word_that_two_names_know_means_neither() -> None:
    names = Names(["read_rows", "read_row"], [("rows", "read_rows"), ("row", "read_row"), ("store", "a"), ("store", "b")])
    assert names.meant("readRow") == "read_row"
    assert names.meant("read_rowss") is None
    assert names.meant("store") is None
    assert names.meant("x" * 1_000_000) is None
    assert names.meant("_read_row") is names.meant("read_row_") is names.meant("") is None
    assert Names(["fileName"], [("file_name", "other")]).meant("FileName") is None
