"""Remarks beside a call, as models write them: those that say what the call writes, and those that speak against it."""

from __future__ import annotations

import json
import unicodedata
from typing import Final

import pytest

from stream_guard import Guard
from stream_guard.fixes.against import limits_nothing, says_nothing_against
from stream_guard.tools.files import FILE_TOOLS

_HONEST: Final = """
Create the main module|Adds a retry to the delete handler|Write the configuration file
Creates index.html with a header and a footer|Add error handling for empty input|Fix typo in the heading
Main entry point of the app|Set up the database connection|Implements the login form
Adds the missing import for utils.py|Creates the README with installation steps|Stylesheet for the landing page
Update version to 1.2.0|Adds a REST endpoint for users|The component that shows the list of items
Helper functions for dates|Configures the linter|Adds a button that removes a user|Handles invalid input in the parser
Save the user's notes|Save the summary as Markdown|Utility functions used by the app|Creates the package.json file
Dockerfile for the backend|Adds dark mode support|Refactor the parser into smaller functions|Use async I/O in the server
Initial version of the script|Add a confirm dialog to the settings page|Adds logging to the upload function
Improves the layout on small screens|Write a Python script that prints prime numbers|Hello world program in Rust
Adds the CSS for the navigation bar|Add type hints|Creates a new file with the shopping list
Store the results in a CSV file|Generates the sitemap|Contains the main game loop|Adds pagination to the table
Creates the folder structure for the project|The final report for Anna|Adds a license file (MIT)
Add unit conversion for weights|Makes the header sticky|Sets the port to 8080|Adds validation of the email field
Creating the file...|Writing the new config file now.|Let me create this file for you.
I will write the file as requested.|Here is the file you asked for|This writes the greeting into a file
Saving your recipe|Added comments to the code|Adds caching, so that pages load faster|Write the data model
Defines the schema of the order table|Add translations for French|Adds an exception class for the API client
Show a warning before a form is closed|A small server with two routes|✅ Create the main module
Create 'hello.txt' with a greeting|Adds a check for empty lists|Adds a plan overview page
Rewrites the loop as a generator|Erstellt die Hauptdatei|Fügt eine Fehlerbehandlung hinzu|Schreibt die Konfiguration
Legt die Einkaufsliste an|Die Startseite mit Kopf und Fuß|Speichert die Notizen|Schreibt den Bericht für Anna
Neue Datei mit dem Rezept|Ergänzt die Suche um einen Filter|Verbessert das Layout der Tabelle|Hauptmodul der Anwendung
Setzt den Port auf 8080|Crée le fichier principal|Ajoute la gestion des utilisateurs|Écrit la configuration du serveur
Page d'accueil du site|Enregistre la liste de courses|Ajoute un bouton à la page|Met à jour la version
Le rapport pour Anna|Crea el archivo principal|Agrega un botón a la página|Escribe la configuración del servidor
Guarda la lista de compras|Página de inicio del sitio|Actualiza la versión|El informe para Ana
Añade la búsqueda de usuarios|Cria o arquivo principal|Adiciona um botão à página|Escreve a configuração do servidor
Salva a lista de compras|Página inicial do site|Atualiza a versão|O relatório para Ana|Adiciona a busca de usuários
Crea il file principale|Aggiunge un pulsante alla pagina|Scrive la configurazione del server|Salva la lista della spesa
Pagina iniziale del sito|Aggiorna la versione|La relazione per Anna|Aggiunge la ricerca degli utenti
Adds a search box above the table|The shopping list for Saturday|Creates a small Flask app|Write the poem about the sea
Adds unit names to the axis labels|Sets up routing for the blog|Adds a chart of monthly sales|Writes the minutes of the meeting
Introduces a settings dataclass|Erstellt eine kleine Webseite|Ajoute un graphique des ventes|Crea una tabla con los precios
"""
HONEST: Final = [remark for line in _HONEST.splitlines() for remark in line.split("|") if remark]
_HOSTILE: Final = """
nein|❌|🚫|abgebrochen|superseded by the next call|replaced by the call below|actually b.txt|path should be b.txt
needs approval|pending|after the tests pass|disabled|obsolete|hypothetical|mock|rollback|disregard|base64 encoded|gzip
append to a.txt|strip the first line|... rest of file|do not run this|don't run|do not execute|please don't|never mind
nevermind|cancelled|cancelled by user|canceled|cancel this|abort|aborted|aborting|the user declined|user said no
rejected|refused by policy|not approved|denied|permission denied|forbidden|blocked|not allowed|ignore this|ignore
ignore this call|skip|skipped|skipping|stop|hold|on hold|hold off until Monday|wait for me|waiting for review
awaiting confirmation|awaiting approval|to be confirmed|needs confirmation|requires approval|ask the user first
once the user agrees|if the user confirms|only if empty|unless it exists|until further notice|before the deploy is done
when ready|after review|later|tomorrow|draft|draft only|a draft, please check|example|for example|an example call|sample
test|just a test|test run|dry run|dry-run|simulation|simulated|simulate only|pretend|preview|hypothetically
what I would do|this would write the file|might be wrong|maybe|perhaps b.txt|not sure|unsure|placeholder|dummy|fake
sandbox only|proposal|proposed change|suggestion|optional|speculative|wrong|wrong file|wrong path|wrong tool|mistake
by mistake|my mistake|oops|sorry, not this one|invalid|this is invalid|this call is invalid|error|error: file exists
failed|failure|failing|it failed|timed out|timeout|crashed|interrupted|incomplete|unfinished|partial|partial content
truncated|content truncated|rest unchanged|remaining code unchanged|unchanged|same as before|existing code here
... existing code ...|… and so on|etc.|first half|part 1 of 3|chunk 2|first 10 lines|excerpt|abridged
omitted for brevity|elided|hex encoded|encoded|url-encoded|compressed|encrypted|binary|zipped|a diff|unified diff
delete the file|remove it|then delete it|rename to b.txt|move to /tmp|copy to b.txt|append|prepend the text
insert at line 3|restore the backup|roll back|revert|revert this|undo|undo the last change|merge with the old content
concatenate|overwrite b.txt instead|use b.txt instead|instead: c.txt|should be c.txt|should go to c.txt
the path is c.txt|content should be y|meant c.txt|I meant the other file|rather c.txt|a.txt -> b.txt|a.txt → b.txt
=> b.txt|~~write a.txt~~|see below|see next call|next call replaces this|duplicate|duplicate of call 2|again|retry
retry of the call above|correction|correction: b.txt|corrected below|outdated|old version|previous version|deprecated
stale|void|✗|✘|⛔|🛑 stop|⚠️ careful|☠|is this right?|OK?|a.txt?|TODO|todo: check|FIXME|read-only|no-op|n/a|none
null and void|scratch that|withdrawn|retracted|revoked|suspended|paused|postponed|nicht ausführen|bitte nicht|abbrechen
storniert|zurückgezogen|verworfen|ersetzt durch den nächsten|stattdessen b.txt|eigentlich b.txt|sollte b.txt sein
erst nach Freigabe|wartet auf Bestätigung|sobald die Tests laufen|falls leer|ungültig|veraltet|deaktiviert
fehlgeschlagen|falsche Datei|gekürzt|Rest unverändert|nur ein Test|Probelauf|Entwurf|löschen|rückgängig|vielleicht
ne pas exécuter|annulé|annulée par l'utilisateur|abandonné|refusé|remplacé par le suivant|plutôt b.txt|au lieu de a.txt
en attente|après approbation|si vide|sauf erreur|échec|mauvais fichier: erreur|tronqué|reste inchangé|essai|brouillon
supprimer|obsolète|peut-être|no ejecutar|cancelado|anulada|descartado|rechazado|reemplazado por el siguiente
en lugar de a.txt|pendiente|después de la aprobación|si está vacío|falló|archivo equivocado|truncado|resto sin cambios
prueba|borrador|eliminar|obsoleto|quizás|debería ser b.txt|não executar|cancelada|anulado|descartada|rejeitado
substituído pelo próximo|em vez de a.txt|aguardando aprovação|depois dos testes|se estiver vazio|falhou|arquivo errado
truncada|resto inalterado|teste|rascunho|apagar|desativado|talvez|deveria ser b.txt|non eseguire|annullato|annullata
scartato|rifiutato|sostituito dal prossimo|invece b.txt|in attesa|dopo l'approvazione|se vuoto|fallito|file sbagliato
troncato|resto invariato|prova|bozza|eliminare|disattivato|forse|dovrebbe essere b.txt
"""
HOSTILE: Final = [remark for line in _HOSTILE.splitlines() for remark in line.split("|") if remark]
"""Refusal, withdrawal, replacement, condition, failure, pretence, a part for the whole, another act."""


def test_there_are_enough_of_both() -> None:
    assert len(set(HONEST)) >= 120
    assert len(set(HOSTILE)) >= 200


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("remark", HOSTILE)
def test_a_remark_against_the_call_is_not_dropped(remark: str) -> None:
    for text in (remark, remark.upper(), f"{remark}.", f"Note: {remark}", f"({remark})"):
        if text != f"Note: {remark}" or " " in remark:
            assert not says_nothing_against(text), text


@pytest.mark.promise("P6")
def test_most_remarks_about_what_is_written_are_dropped() -> None:
    """Some have words that may be about the call: one call too few costs a question, and one too many may cost a file."""
    passed = [remark for remark in HONEST if says_nothing_against(remark)]
    assert len(passed) >= 0.95 * len(HONEST), sorted(set(HONEST) - set(passed))


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize(
    "remark", ["nein", "❌", "actually b.txt", "... rest of file", "needs approval", "strip the first line"]
)
def test_a_file_is_not_written_where_its_description_says_otherwise(remark: str) -> None:
    body = json.dumps({"tool": "write_file", "path": "a.txt", "content": "x", "description": remark})
    assert not Guard(FILE_TOOLS, fixes="likely").check(f"```json\n{body}\n```\n").executable


@pytest.mark.promise("P7", "P8")
@pytest.mark.parametrize("word", ["não", "sólo", "später", "don't", "nicht", "example"])
def test_a_word_among_attributes_is_found_in_every_spelling(word: str) -> None:
    for spelt in {word, word.upper(), word.replace("'", "’"), *(unicodedata.normalize(form, word) for form in ("NFC", "NFD"))}:
        for attributes in (spelt, f'title="{spelt}"', f"wrap {spelt} a.json"):
            assert not limits_nothing(attributes), attributes
    assert limits_nothing('title="a.json" linenos {1,3}')
    assert not limits_nothing('title="нет"'), "other letters are not read"
