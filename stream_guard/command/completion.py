"""The command `completion`: prints the script that completes the command line in bash, zsh or fish.

    eval "$(stream-guard completion bash)"      # in ~/.bashrc; with zsh in ~/.zshrc
    stream-guard completion fish > ~/.config/fish/completions/stream-guard.fish

The script is made from the parser and contains everything: this package does not run when a key is pressed. Existing
completion packages run the program for each key, or do not support fish.

Rule: everything but options, commands and listed values is left to the shell, which completes files.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from shlex import quote
from typing import Any, Final

from .exit_status import GOOD


def command(commands: Any, *_: Callable[..., Any]) -> None:
    """Add `completion` to the command line."""
    completion: argparse.ArgumentParser = commands.add_parser(
        "completion",
        help="print what completes this command in a shell",
        description='Print what completes this command in a shell. In bash and zsh: eval "$(stream-guard completion bash)"; '
        "in fish: stream-guard completion fish | source.",
    )
    completion.add_argument("shell", choices=[*_SHELLS], help="the shell that it is for")
    completion.set_defaults(run=_completion)


def _completion(options: argparse.Namespace) -> int:
    print("\n".join(_SHELLS[options.shell](list(_levels(options.parser, ())))))
    return GOOD


@dataclass(frozen=True, slots=True)
class _Level:
    """The words that may follow some words on the command line."""

    words: tuple[str, ...]
    """The command words before this level: none, `check`, or `lesson check`."""

    commands: dict[str, str]
    """The commands that may follow, each with its description."""

    options: tuple[argparse.Action, ...]
    """The options."""

    values: tuple[str, ...]
    """The allowed values of the level's arguments, if they are listed."""


def _levels(parser: argparse.ArgumentParser, words: tuple[str, ...]) -> Iterator[_Level]:
    """Yield the levels of a parser: itself first, then each of its commands."""
    actions = parser._actions  # noqa: SLF001  # argparse has no other way to tell them
    nested = [action for action in actions if isinstance(action, argparse._SubParsersAction)]  # noqa: SLF001
    plain = (action for action in actions if not action.option_strings and action not in nested)
    values = tuple(str(value) for action in plain for value in action.choices or ())
    told = {choice.dest: choice.help or "" for action in nested for choice in action._choices_actions}  # noqa: SLF001
    yield _Level(words, told, tuple(action for action in actions if action.option_strings), values)
    for action in nested:
        for name, inner in action.choices.items():
            yield from _levels(inner, (*words, name))


# -- bash and zsh ------------------------------------------------------------------------------------------------------


def _bash(levels: list[_Level]) -> Iterator[str]:
    known = [" ".join(level.words) for level in levels if level.words]
    yield "# Completes stream-guard in bash; written by `stream-guard completion bash`."
    yield "_stream_guard() {"
    yield '    local word at="" current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" number'
    yield "    COMPREPLY=()"
    yield "    for ((number = 1; number < COMP_CWORD; number++)); do"
    yield '        word="${at:+$at }${COMP_WORDS[number]}"'
    yield f'        case "$word" in {"|".join(map(quote, known))}) at="$word" ;; esac'
    yield "    done"
    yield '    case "$at:$before" in'
    free = []
    for level in levels:
        for option in level.options:
            names = [quote(f"{' '.join(level.words)}:{name}") for name in option.option_strings]
            if option.choices:
                yield f"        {'|'.join(names)}) {_offered(option.choices)}; return ;;"
            elif option.nargs != 0:
                free += names
    yield f"        {'|'.join(free)}) return ;;"
    yield "    esac"
    yield '    case "$at:$current" in'
    for level in levels:
        at = " ".join(level.words)
        yield f"        {quote(f'{at}:-')}*) {_offered(name for option in level.options for name in option.option_strings)} ;;"
        words = (*level.commands, *level.values)
        if words:
            yield f"        {quote(f'{at}:')}*) {_offered(words)} ;;"
    yield "    esac"
    yield "}"
    yield "complete -o default -F _stream_guard stream-guard"


def _offered(words: Iterable[Any]) -> str:
    """Return the bash code that offers these words; without words, code with which the shell offers files."""
    return f'COMPREPLY=($(compgen -W {quote(" ".join(map(str, words)))} -- "$current"))'


def _zsh(levels: list[_Level]) -> Iterator[str]:
    yield "# Completes stream-guard in zsh, as it does in bash; written by `stream-guard completion zsh`."
    yield "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }"
    yield "autoload -Uz bashcompinit && bashcompinit"
    yield from _bash(levels)


# -- fish --------------------------------------------------------------------------------------------------------------


def _fish(levels: list[_Level]) -> Iterator[str]:
    yield "# Completes stream-guard in fish; written by `stream-guard completion fish`."
    yield "function __stream_guard_at"
    yield "    set -l words (commandline -opc)"
    yield "    set -e words[1]"
    yield '    string match -q -- "$argv" "$words"; or string match -q -- "$argv *" "$words"'
    yield "end"
    for level in levels:
        when = _when(level)
        for name, about in level.commands.items():
            yield f"complete -c stream-guard -f -n {quote(when)} -a {quote(name)} -d {quote(about)}"
        if level.values:
            yield f"complete -c stream-guard -f -n {quote(when)} -a {quote(' '.join(level.values))}"
        for option in level.options:
            names = " ".join(f"-{'l' if name.startswith('--') else 's'} {name.lstrip('-')}" for name in option.option_strings)
            values = " ".join(map(str, option.choices or ()))
            takes = f" -x -a {quote(values)}" if values else " -r" if option.nargs != 0 else ""
            about = (option.help or "").replace("%%", "%")
            yield f"complete -c stream-guard -n {quote(when)} {names}{takes} -d {quote(about)}"


def _when(level: _Level) -> str:
    """Return the condition under which fish offers the words of a level."""
    if not level.words:
        return "__fish_use_subcommand"
    further = f"; and not __fish_seen_subcommand_from {' '.join(level.commands)}" if level.commands else ""
    return f"__stream_guard_at {' '.join(level.words)}{further}"


_SHELLS: Final[dict[str, Callable[[list[_Level]], Iterator[str]]]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
