"""Whether a remark beside a call may forbid, limit or change it: by what its words and marks mean.

The lists are of meanings, each in six languages: refusal, withdrawal, replacement, condition, failure, pretence, a part in
place of the whole, and another act. No list holds every way to say no. So a tool has to name the members that are remarks.

Rule 1: a word of `_WORDS`, or a part of `_PARTS`, speaks against the call wherever it stands in the remark.
Rule 2: honest remarks have some such words too (`Adds a retry`). Such a word speaks against the call if the remark begins with
it (`retry of call 2`), or uses it about the call (`this is an error`).
Rule 3: a remark with a letter that is not Latin, or with a sign that plain text lacks, is refused: nothing here reads that
letter, and the sign may be a cross or an arrow.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_ENGLISH: Final = """
    not cannot never no none nope nah nothing nor neither without instead except unless only if example examples sample
    samples test tests testing tested draft dry cancel skip ignore stop stopped wait waits waiting hold later halt old
    previous wrong wrongly failed fails failing failure mistake placeholder template templates veto vetoed nevermind undo
    undone outdated obsolete stale void expired disabled inactive unused dead invalidated overridden sorry oops actually
    rather meant pending until till tbd todo maybe perhaps possibly probably might would could pretend suppose supposedly
    assume assuming hypothetical fake dummy mock mocked demo sandbox trial rehearsal proposal proposed suggestion suggested
    optional speculative tentative provisional unable impossible unavailable unfinished incomplete partial partially excerpt
    abridged elided unchanged same etc chunk chunked continued continues base64 gzip gzipped zipped compressed encoded
    encrypted hex binary rot13 diff rollback superseded deprecated duplicate dup again redo undecided unsure uncertain
    unclear unverified unapproved unauthorized unconfirmed manually tomorrow tonight afterwards eventually nobody forget
    forgotten postponed deferred paused suspended held killed timeout na noop nop denied deny forbidden prohibited
    disallowed banned blocked refused rejected declined interrupted crashed errored corrupt corrupted garbled lost remainder
    omitted omit
"""
_GERMAN: Final = """
    nein nicht nichts kein keine keinen keiner keinem nie niemals nur beispiel beispiele wenn ohne statt anstatt stattdessen
    anstelle später entwurf falls sofern sobald nachdem bevor bis erst vielleicht eventuell könnte würde sollte sondern
    eigentlich doch freigabe fehler fehlgeschlagen gescheitert falsch falsche falscher falsches irrtum irrtümlich
    versehentlich veraltet veraltete überholt ungültig gesperrt verboten untersagt restliche restlicher unverändert
    unveränderte auszug teilweise unvollständig usw probe probeweise probelauf hypothetisch muster vorschlag rückgängig
    zurück siehe unten oben warten wartet abwarten noch alt alte alter altes vorsicht achtung stopp halt verworfen
    vorbehaltlich anhängen löschen entfernen umbenennen verschieben kopieren komprimiert verschlüsselt kodiert codiert
"""
_FRENCH: Final = """
    ne pas jamais sans seulement exemple exemples brouillon non aucun aucune rien plutôt lieu si sauf avant après attendre
    attente attendez échec échoué erreur faux fausse désactivé désactivée obsolète suite reste inchangé inchangée extrait
    partiel partielle incomplet incomplète supprimer effacer renommer déplacer essai peut-être pourrait serait devrait
    arrêter arrêtez oublier oubliez refusé refusée approbation autorisation confirmation ancien ancienne simulation plus
    tard
"""
_SPANISH: Final = """
    nunca sin solo sólo ejemplo ejemplos borrador ningún ninguno tampoco lugar vez salvo excepto antes después tras esperar
    espera espere pendiente aprobación autorización confirmación permiso falló fallido fallida equivocado equivocada
    desactivado obsoleto obsoleta resto restante parcial incompleto incompleta borrar eliminar renombrar mover añadir quizás
    quizá tal podría sería debería prueba pruebas omitir nada jamás anterior viejo vieja parar pare olvidar olvida
"""
_PORTUGUESE: Final = """
    não nao sem apenas só exemplo exemplos rascunho nenhum nenhuma vez se exceto depois após aguardar aguardando aguarde
    pendente aprovação autorização confirmação permissão falhou falha erro errado errada desativado obsoleto inalterado
    apagar excluir remover renomear anexar talvez poderia seria deveria teste nada antigo antiga esqueça pare senão
"""
_ITALIAN: Final = """
    mai senza esempio esempi bozza nessuno nessuna niente né invece tranne prima dopo attendere attesa attendi aspetta
    sospeso sospesa approvazione autorizzazione conferma permesso fallito fallita errore sbagliato sbagliata disattivato
    obsoleto invariato invariata parziale eliminare cancellare rinominare spostare aggiungere forse potrebbe sarebbe
    dovrebbe prova salta vecchio vecchia ferma dimentica
"""
_OTHERS: Final = "niet geen nooit voorbeeld inte ingen aldrig nie nem ikke nei nej ei"
_WORDS: Final = frozenset(" ".join((_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _PORTUGUESE, _ITALIAN, _OTHERS)).split())
"""Words that may refuse, limit or change a call, at any place of a remark."""

_PARTS: Final = re.compile(
    r"\b(?:"
    r"[a-z]+n't|(?:do|does|did|is|are|was|will|should|must|can|could|would|has|have)nt"
    r"|(?:cancel|abort|abandon|retract|withdr[ae]w|revok|rescind|revert|annul|annull|discard|disregard|supersed|truncat"
    r"|skipp|ignor"
    r"|reject|refus|declin|prohibit|forbid|simulat|pretend|hypothe|illustrat|postpon|obsolet|approv|permission"
    r"|authori[sz]|consent"
    r"|abgebroch|abbr[eiu]ch|stornier|storno|zurückgezog|zurücknehm|verwerf|verworf|ersetz|deaktivier|ablehn|abgelehnt"
    r"|verweiger"
    r"|genehmig|bestätig|zustimm|überspring|übersprung|gekürzt|simulier|hypothet|auslass|weggelass"
    r"|abandonn|rejet|remplac|tronqu|ignor|simul|hypothét"
    r"|anul|cancel|descart|rechaz|reemplaz|sustitu|trunc|hipot|"
    r"rejeit|substitu[ií]|scart|rifiut|sostitu|tronc|ipotet)\w*"
    r"|needs? (?:\w+ )?(?:review|confirm\w*|sign\w*|ok|permission|check\w*|work|fix\w*|human|manual)"
    r"|(?:replaced|followed|overwritten|corrected|undone) by|in favou?r of|scratch that|never mind|hold off|held back"
    r"|on hold|roll(?:ed)? back"
    r"|(?:next|other|another|following|second|later|above|below) (?:call|one|block|version|attempt|message)"
    r"|(?:call|one|block|version|message) (?:above|below)|see (?:above|below|next)|as (?:above|before)|so on|in case"
    r"|as soon as"
    r"|should (?:be|have|go|read|say)|must (?:be|have|go|read)|subject to|depend(?:s|ing) on|provided that|up to"
    r"|for (?:now|show)"
    r"|(?:path|file|name|target|content|value|argument)s? (?:is|are|should|must|to be|=)"
    r"|(?:after|before|once|when) (?:the |all |you |i |we |tests? |user |your )?(?:\w+ )?(?:pass|passes|confirm\w*"
    r"|agree\w*|ok|done"
    r"|ready|green|say so|approve\w*|finish\w*|complete\w*)"
    r"|(?:rest|remaining|remainder) (?:of|is|are|stays?|remains?|unchanged|as|goes|follows|code|content|lines|text"
    r"|file)|part \d|(?:first|last) (?:\w+ )?(?:lines?|half|part|bytes|rows|chars|characters)|existing (?:code|content"
    r"|lines|text)"
    r"|(?:then|and|but|please|also|must|to|now|just|first) (?:append|prepend|delete|remove|drop|erase|rename|move|copy"
    r"|restore|merge|strip|trim"
    r"|concat\w*|execute|overwrite|upload|unzip|decode|decompress|decrypt)"
    r"|(?:url|percent|utf|base|hex|html|json)[- ]?(?:encod\w*|escap\w*|16|32|64|85)|timed out|n/a|no-?op|dry-?run|read-?only"
    r")\b"
)
"""Matches parts of words, and groups of words, that may refuse, limit or change a call, at any place of a remark."""

_WORDS_OF_BEGINNINGS: Final = """
    append prepend insert delete remove drop erase rename move copy restore merge strip trim concat concatenate truncate
    replace substitute decode unzip decompress decrypt overwrite upload retry error errors exception invalid broken bug
    warning warn correction corrected typo confirm confirmation review after before once when plan planned preview todo
    fixme experimental experiment beware caution attention question note nb incorrect inaccurate bad unsafe dangerous danger
    illegal asks ask check anexar ajouter hänge rest remaining lösche entferne benenne verschiebe kopiere supprime efface
    renomme déplace borra elimina renombra apaga remova renomeia sposta rinomina cancella attention attenzione atención
    atenção confirmed pending
"""
_BEGINNINGS: Final = frozenset(_WORDS_OF_BEGINNINGS.split())
"""Words that honest remarks also have, about what the call writes (`Adds a retry`). A remark that begins with such a word may
be about the call itself."""

_OF_THE_CALL: Final = re.compile(
    r"\b(?:this|it|that|call|tool|request|is|was|are|be|been|being|seems|looks|got|as|too|still)"
    r"(?=[\s:,-]+(?:an? |the |now |already )?([^\W\d_]+))"
)
"""Finds the words that may describe the call: each word after `this`, `call`, `is` or the like (`this call is invalid`)."""

_OF_ATTRIBUTES: Final = """
    not don't doesn't won't never no none nothing without instead except unless only if example sample test testing draft dry
    cancel cancelled canceled skip skipped ignore stop wait later abort undo old previous wrong failed mistake
    placeholder template
    nicht kein keine keinen nie niemals nur beispiel wenn ohne statt später entwurf abbrechen
    ne pas jamais sans seulement exemple brouillon annuler
    nunca sin solo sólo ejemplo borrador cancelar
    não nao nunca sem apenas só exemplo rascunho
    non mai senza solo esempio bozza annullare
    niet geen nooit voorbeeld inte ingen aldrig nie nem
"""
_WORDS_OF_ATTRIBUTES: Final = frozenset(_OF_ATTRIBUTES.split())
"""Words that refuse or limit a call when they are attributes of a fence, where a file name (`demo.json`) is no remark."""

_WORD: Final = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
SPOKEN: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
"""Matches a word of letters, with the apostrophes in it."""

_LETTERS: Final = re.compile(r"[^\W\d_]+")
_SIGNS: Final = re.compile(
    r"~~|--+>?|[-=]>|<[-=]|[?\u2192\u21d2\u00ac\u2260\\|^$%@*<>{}\[\]=]|!{2,}|[!/#]{2}|(?:\.\.|\u2026)(?!\.*\s*\Z)"
    r"|\A\W*(?:\.\.|\u2026)"
)
"""Matches a sign that may cross out the call, point to another one, ask a question or leave something out: `~~`, `->`, `?`,
`...`. Full stops at the end of a remark do not count."""

APOSTROPHES: Final = str.maketrans("’ʼ´", "'''")
"""Replaces other signs for an apostrophe by a plain one. A backtick in a remark also counts as one."""

_FINE: Final = frozenset("✅✓✔✨📝🚀🎉📄📁💾➕👍")
"""Signs of assent or of a file, which say nothing against the call."""

_MOST: Final = 300
"""The longest remark that is read."""


def says_nothing_against(remark: str) -> bool:
    """Return whether nothing in a remark may forbid, limit or change the call, as far as lists of words can show that."""
    if len(remark) > _MOST:
        return False
    text = _spelt(remark).replace("`", "'")
    if _SIGNS.search(text) is not None or not all(map(_is_plain, text)):
        return False
    words = _WORD.findall(text)
    if not _WORDS.isdisjoint(words) or not _WORDS.isdisjoint(_LETTERS.findall(text)) or _PARTS.search(text) is not None:
        return False
    told = {*words[:1], *_OF_THE_CALL.findall(text)} if len(words) > 1 else set(words)
    return _BEGINNINGS.isdisjoint(told)


def limits_nothing(attributes: str) -> bool:
    """Return whether no word among the attributes of a fence may forbid or limit the call."""
    text = _spelt(attributes)
    latin = all(map(_is_latin, filter(str.isalpha, text)))
    return len(text) <= _MOST and latin and _WORDS_OF_ATTRIBUTES.isdisjoint(SPOKEN.findall(text))


def _spelt(text: str) -> str:
    """Return a text in the spelling of the lists of words: lower case, accents as part of their letter, plain apostrophes."""
    return unicodedata.normalize("NFC", text).translate(APOSTROPHES).lower()


def _is_latin(letter: str) -> bool:
    return "LATIN" in unicodedata.name(letter, "")


def _is_plain(char: str) -> bool:
    """Return whether a character is a Latin letter, a digit, a blank, a punctuation mark, or a sign of assent (✓, 👍)."""
    if char.isalpha():
        return _is_latin(char)
    return (
        char.isascii()
        or char in _FINE
        or unicodedata.category(char) in ("Nd", "Pd", "Pi", "Pf", "Ps", "Pe", "Zs")
        or char in "…¿¡·ªº€£°\ufe0f"
    )
