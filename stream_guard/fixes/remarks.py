"""What the prose beside a call says of it: whether it forbids it, or only wraps it.

A fence may hold words around its object. Most explain the call; some take it back, put it off, ask first,
or show it as an example.

Rule 1: one word of doubt is enough. What is refused here costs a hint; what is run cannot be taken back.
Rule 2: a text without words says nothing; a known wrapper's marks are no words.
"""

from __future__ import annotations

import re
from typing import Final

_WORDS: Final = """
    no not nor none never neither cannot cant dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt couldnt mustnt
    neednt havent hasnt hadnt aint without instead rather except unless until lest stop abort cancel cancels cancelled
    canceled cancelling canceling cancellation skip skips skipped skipping ignore ignored ignoring disregard disregarded
    discarded avoid avoided refrain refuse refused refusing decline declined deny denied reject rejected forbid forbidden
    prohibit prohibited disallow disallowed ban banned block blocked blocking withhold withheld hold wait waiting pause
    paused postpone postponed defer deferred delay delayed later undo undone revert reverted revoke revoked retract
    retracted withdraw withdrawn abandon abandoned omit omitted dangerous unsafe harmful malicious wrong incorrect mistake
    mistaken mistakenly failed failure erroneous deprecated obsolete outdated previous previously former formerly superseded
    unneeded unnecessary disabled inactive inert example examples eg sample samples illustration illustrations illustrate
    illustrates illustrative illustrating demo demonstration demonstrate demonstrates demonstrating template templates
    placeholder placeholders hypothetical hypothetically imagine imaginary suppose supposing supposedly assume assuming
    pretend pretending fictional fictitious fake dummy mock mocked simulate simulated simulating simulation dryrun sketch
    draft drafts preview proposal proposed propose proposing suggestion suggest suggested format syntax documentation
    tutorial would could might if whether once pending confirm confirms confirmed confirmation confirming approve approves
    approved approval permission consent ask asking todo tbd wip scratch nope nah bad
    invalid was result results output outputs error errors already schema injected refunded rolled maybe perhaps possibly
    alternatively alternative option
"""

_GERMAN: Final = """
    nicht nichts kein keine keinen keinem keiner keines nie niemals niemand nirgends weder ohne statt anstatt stattdessen
    außer stopp stoppen halt abbrechen abgebrochen abbruch storniert stornieren storno überspringen übersprungen ignorieren
    ignoriert ignoriere verwerfen verworfen vermeiden vermeide unterlassen ablehnen abgelehnt verweigern verweigert verboten
    untersagt verbieten gesperrt warten warte verschieben verschoben aufschieben später rückgängig widerrufen zurückgezogen
    aufgegeben weglassen gefährlich unsicher schädlich falsch irrtum fehlgeschlagen gescheitert veraltet frühere früher
    vorherige bisherige ehemals unnötig beispiel beispiele beispielsweise bsp zb muster veranschaulichung demonstration
    vorlage platzhalter hypothetisch angenommen fiktiv erfunden attrappe simulieren simuliert simulation probelauf entwurf
    vorschau vorschlag vorschlagen format syntax würde würden könnte könnten sollte sollten dürfte falls wenn ob bevor
    bestätigen bestätigt bestätigung genehmigt genehmigung erlaubnis zustimmung freigabe vielleicht eventuell möglicherweise
    alternativ
"""

_FRENCH: Final = """
    ne n pas non jamais aucun aucune rien ni sans sauf excepté plutôt arrêter arrêtez stop annuler annulé annulée annulez
    annulation ignorer ignoré ignorez éviter évitez abandonner abandonné refuser refusé rejeter rejeté interdit interdite
    interdire défendu bloqué attendre attendez reporter reporté retarder défaire révoqué retiré omettre omis dangereux
    dangereuse nuisible faux fausse incorrect incorrecte erroné erronée échoué échec obsolète dépassé précédent précédente
    inutile exemple exemples ex échantillon illustration démonstration démo modèle gabarit hypothétique hypothétiquement
    imaginons imaginez supposons supposez fictif fictive factice simuler simulé simulation brouillon ébauche aperçu
    proposition proposer format serait seraient pourrait pourraient ferait si confirmer confirmé confirmez confirmation
    approuver approuvé approbation permission autorisation éventuellement alternative
"""

_SPANISH: Final = """
    no ni nunca jamás ningún ninguno ninguna tampoco sin salvo excepto detener detente parar cancelar cancelado cancelada
    cancele omitir omitido omita ignorar ignorado ignora ignore descartar descartado evitar evite abandonar abandonado
    rechazar rechazado negar negado prohibido prohibida prohibir bloqueado esperar espere espera aplazar aplazado posponer
    pospuesto deshacer revertir revocado retirado peligroso peligrosa dañino incorrecto incorrecta erróneo errónea
    equivocado fallido obsoleto anterior previo innecesario ejemplo ejemplos ej muestra ilustración ilustrar demostración
    plantilla marcador hipotético hipotéticamente imagina imagine imaginemos supongamos supón suponga ficticio ficticia
    simular simulado simulación ensayo borrador esbozo propuesta proponer sugerencia formato sería serían podría podrían
    haría si confirmar confirmado confirma confirmación aprobar aprobado aprobación permiso autorización quizá quizás acaso
    alternativa
"""

_ITALIAN: Final = """
    non né mai nessuno nessuna niente nulla senza salvo tranne eccetto invece fermare ferma fermati annulla annullare annullato
    annullata annullamento ignora ignorare ignorato salta saltare saltato evita evitare evitato abbandonare abbandonato rifiuta
    rifiutare rifiutato negato vietato vietata proibito bloccato aspetta attendi attendere rimandare rimandato rinviare rinviato
    ripristinare revocato ritirato omettere omesso pericoloso pericolosa dannoso sbagliato sbagliata errato errore fallito
    obsoleto precedente inutile esempio esempi es campione illustrazione dimostrazione modello segnaposto ipotetico immagina
    supponiamo supponi fittizio fittizia simulare simulato simulazione bozza anteprima proposta proporre suggerimento formato
    sarebbe sarebbero potrebbe potrebbero farebbe se confermare confermato conferma approvare approvato approvazione permesso
    autorizzazione forse magari eventualmente alternativa vecchio vecchia
"""

_PORTUGUESE: Final = """
    não nunca jamais nenhum nenhuma nem nada sem salvo exceto parar pare cancelar cancelado cancelada cancele omitir omitido
    ignorar ignorado ignore pular descartar descartado evitar evite abandonar abandonado recusar recusado rejeitar rejeitado
    negado proibido proibida bloqueado esperar espere aguarde adiar adiado desfazer reverter revogado retirado perigoso perigosa
    nocivo incorreto incorreta errado errada erro falhou obsoleto anterior desnecessário exemplo exemplos amostra ilustração
    demonstração modelo marcador hipotético imagine imaginemos suponha suponhamos fictício fictícia simular simulado simulação
    rascunho esboço proposta propor sugestão formato seria seriam poderia poderiam faria se confirmar confirmado confirme
    confirmação aprovar aprovado aprovação permissão autorização talvez eventualmente alternativa antigo antiga velho
"""

_CHINESE: Final = """
    不 没 沒 勿 别 別 未 否 禁 停 取消 忽略 跳过 跳過 略过 略過 避免 拒绝 拒絕 放弃 放棄 撤销 撤銷 撤回 作废
    作廢 中止 终止 終止 暂 暫 等待 稍后 稍後 以后 以後 推迟 推遲 延迟 延遲 过时 過時 废弃 廢棄 示例 范例 範例 例子
    例如 比如 举例 舉例 样例 樣例 样本 樣本 演示 模板 占位 假设 假設 假如 假定 假想 如果 若 要是 虚构 虛構 模拟
    模擬 草稿 草案 预览 預覽 建议 建議 提议 提議 格式 语法 語法 可能 也许 也許 是否 吗 嗎 确认 確認 批准 同意 许可
    許可 授权 授權 询问 詢問 请问 請問 无需 無需 无须 切勿 并非 並非 或许 或許 错误地 试运行 試運行 误操作
"""

_FORBIDDING: Final = frozenset(f"{_WORDS} {_GERMAN} {_FRENCH} {_SPANISH} {_ITALIAN} {_PORTUGUESE}".split())
_SIGNS: Final = re.compile("|".join(map(re.escape, _CHINESE.split())))
_PHRASES: Final = re.compile(
    r"[?？¿❌✗✘⛔🚫⚠]|~~|<!--|<\|(?!/?tool_calls?\|)|!="
    r"|\be\.\s?g\b|\bz\.\s?b\b|\bp\.\s?ej\b|\bdry[\s-]?run|\bpeut[\s-]être|\btal vez|\ben (?:lugar|vez) de"
    r"|\b(?:au|à la) (?:lieu|place) de"
    r"|\bold (?:version|call|one)\b|\b(?:after|when|once|before) (?:you|i|we|they|the user)\b"
)
"""What says it in marks or in several words: questions, what is struck out, conditions."""

_WORD: Final = re.compile(r"[^\W\d_]+")
_APOSTROPHES: Final = re.compile(r"(?<=\w)['’ʼ`´](?=\w)")

_WRAPPER: Final = re.compile(
    r"\s*(?:"
    r"(?!<\|tool\|)</?\|?(?:tool_calls?|tool_use|toolcall|function_calls?|function|invoke|tool|json)\|?>"
    r"|\[/?(?:TOOL_CALLS?|TOOL_REQUEST|END_TOOL_REQUEST)\]"
    r"|(?:(?:const|let|var)\s+)?(?:tool_calls?|tool_use|tool_code|toolCalls?|function_calls?|functionCall|call|(?i:json))\s*(?:=|:|:=|=>)"
    r"|(?:(?i:json)|tool_calls?|tool_code)(?=\s*\Z)"
    r"|;"
    r")",
)
"""What models have learned to put around a call. A name alone counts only where nothing stands behind it."""


_MARKS: Final = frozenset(" \t\r\n>`()[];")


def is_wrapper(text: str, *, behind: bool | None = None) -> bool:
    """Whether a text around an object is nothing but marks that wrap a call, and blanks.

    `behind` is whether it stands behind the object, where no mark opens, or before it, where none closes.
    """
    if behind is not None and (_OPENS if behind else _CLOSES).search(text):
        return False
    if _MARKS.issuperset(text):
        return True
    at = 0
    while found := _WRAPPER.match(text, at):
        at = found.end()
    return not text[at:].strip()


_OPENS: Final = re.compile(r"<[^/]|[:=(]\s*\Z")
_CLOSES: Final = re.compile(r"</")
_HARMLESS_WORDS: Final = """
    a all and as bye call calls delete deletes deleting done edit end file files for first finally fine folder here i is it its
    last let lets letting me next now of ok okay old path remove removes removing so sure that the then this to tool unused
    using we what will with write writes you
"""
_HARMLESS: Final = frozenset(_HARMLESS_WORDS.split())


def is_harmless(text: str) -> bool:
    """Whether a comment says nothing but that the call is made. Beside what takes something away no other is passed over."""
    return _HARMLESS.issuperset(word.lower() for word in _WORD.findall(text)) and not re.search(r"[\d=:?!]", text)


def forbids(text: str) -> bool:
    """Whether prose beside a call takes it back, puts it off, asks first, or calls it an example.

    Seven languages are read: English, German, French, Spanish, Italian, Portuguese and Chinese. Prose in another forbids
    nothing here: a call that takes something away is to be refused for any prose.
    """
    text = text.lower().replace("no longer", "")
    if not _WORD.search(text) and text.strip(" \t\r\n/#*-'`>()[];,.:"):
        return True  # signs alone say something, and nobody knows what
    if _PHRASES.search(text) or _SIGNS.search(text):
        return True
    parts = _WORD.findall(_APOSTROPHES.sub("", text))
    halves = _WORD.findall(_APOSTROPHES.sub(" ", text))  # n'exécutez
    return not _FORBIDDING.isdisjoint(parts) or not _FORBIDDING.isdisjoint(halves)


_COMMENTING: Final = ("#", "//", "--", "%", ";", "<!--")
_NAME: Final = re.compile(r"[^\W\d](?:[\w.-]*\w)?")
_CALLED: Final = re.compile(r"([^\W\d][\w.-]*)\s*\(")
_TAG: Final = re.compile(r"<([^\W\d][\w.-]*)>")
_FIRST: Final = re.compile(r"\s*([a-z][\w.-]*)\s*[:=]")
_COMPOUND: Final = re.compile(r"\w_\w|[a-z][A-Z]")
_ALONE: Final = re.compile(r"\W*([^\W\d](?:[\w.-]*\w)?)\W*")
_KEYWORDS: Final = frozenset({"await", "return", "yield", "print", "call", "json", "javascript", "python", "typescript"})
"""What may stand alone on a line beside a call, and names none."""

_WRITTEN_LIKE_A_NAME: Final = re.compile(r"[_\d.-]|[a-z][A-Z]|\A[a-z]")


_NOTE: Final = re.compile(
    r"""\W*(?:not|no|was|or|old|formerly|previously|instead\ of|see)\s+
    (?: ["'`“][^"'`”]*["'`”] | [A-Z0-9_./-]+ ) (?: ,\s*["'`“][^"'`”]*["'`”] )*\W*""",
    re.VERBOSE,
)


_OF_A_VALUE: Final = re.compile(r"\b(?:was|todo|before|previously|formerly)\b", re.IGNORECASE)


def is_note(text: str) -> bool:
    """Whether a comment beside a value speaks of the value: `// not "POST"`, `# was "y"`."""
    return _NOTE.fullmatch(text) is not None or not forbids(_OF_A_VALUE.sub("", text))


def hides(text: str) -> bool:
    """Whether what stands before an object makes a comment of it."""
    if text.rfind("/*") > text.rfind("*/"):
        return True
    line = text[text.rfind("\n") + 1 :].strip()
    return line.startswith(_COMMENTING) or line.endswith(_COMMENTING)


def speaks_against(body: str, *, any_prose: bool) -> bool:
    """Whether what stands around the object of a body forbids the call; with `any_prose`, whether anything is said there."""
    starts = [at for at in (body.find("{"), body.find("[")) if at >= 0]
    if not starts:
        return False
    first, last = min(starts), max(body.rfind("}"), body.rfind("]"))
    before = _CALLING.sub("", body[:first])
    around = ((before, False), (body[last + 1 :] if last >= 0 else "", True))
    said = [text for text, behind in around if text.strip() and not is_wrapper(text, behind=behind)]
    return hides(before) or any(any_prose or forbids(text) for text in said)


_CALLING: Final = re.compile(r"[\w.]{1,80}\s?\(\s?\Z")


def named(text: str) -> set[str]:
    """What prose beside an object names as a tool: what is written like a call, and a name that stands alone.

    A capital letter alone makes no name: "Sure:" is none, `Delete_file:` is.
    """
    found = {call[1] for call in _CALLED.finditer(text[-_MOST:])}
    found |= {tag[1] for tag in _TAG.finditer(text[-_MOST:]) if not is_wrapper(tag[0])}
    found |= {word for word in words(text) if _COMPOUND.search(word) and not is_wrapper(f"{word}:")}
    first = _FIRST.match(text)
    if first is not None and not is_wrapper(first[0]):
        found.add(first[1])
    alone = _ALONE.fullmatch(text[-_MOST:])
    if alone is not None and _WRITTEN_LIKE_A_NAME.search(alone[1]):
        found.add(alone[1])
    for line in text[-_MOST:].splitlines():
        alone = _ALONE.fullmatch(line)
        if alone is not None and alone[1] not in _KEYWORDS and _WRITTEN_LIKE_A_NAME.search(alone[1]) and not is_wrapper(line):
            found.add(alone[1])
    return found


def words(text: str) -> set[str]:
    """Every word of a prose that could be a name."""
    return set(_NAME.findall(text[:_MOST]))


_MOST: Final = 2_000
"""So much of a prose is looked at for names."""
