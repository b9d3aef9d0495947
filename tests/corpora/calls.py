"""The calls that `make_broken.py` breaks: what a model meant, in eight toolsets."""

from __future__ import annotations

from typing import Any

Call = dict[str, Any]

PY_PLAIN = '''from pathlib import Path


def load(name: str) -> list[str]:
    """Return the lines of a file."""
    path = Path(name)
    if not path.exists():
        raise FileNotFoundError(f"no such file: {path}")
    return path.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    print(len(load("data.csv")))
'''
PY_REGEX = """import re

PHONE = re.compile(r"^\\+?\\d{2,3}[\\s-]?\\d{4,5}-\\d{4}$")
WORD = re.compile(r"\\w+")


def is_phone(text: str) -> bool:
    return bool(PHONE.match(text.strip()))
"""
JSX = """import { useState } from "react";

export function Counter({ start = 0 }: { start?: number }) {
  const [n, setN] = useState(start);
  return (
    <button className="btn btn-primary" aria-label="Add one" onClick={() => setN(n + 1)}>
      Clicked {n} times
    </button>
  );
}
"""
HTML = """<!doctype html>
<html lang="pt-BR">
  <head>
    <meta charset="utf-8">
    <title>Padaria São João</title>
    <link rel="stylesheet" href="/style.css">
  </head>
  <body class="home">
    <h1 id="top">Pão quente às 17h</h1>
    <a href="https://example.com/cardapio?dia=hoje">Cardápio</a>
  </body>
</html>
"""
SHELL = """#!/usr/bin/env bash
set -euo pipefail
DIR="${1:-$HOME/backup}"
mkdir -p "$DIR"
tar czf "$DIR/site-$(date +%F).tgz" public/
echo "done: $DIR"
"""
GO = """package main

import (
\t"fmt"
\t"os"
)

func main() {
\tif len(os.Args) < 2 {
\t\tfmt.Fprintln(os.Stderr, "usage: greet NAME")
\t\tos.Exit(2)
\t}
\tfmt.Println("Hello,", os.Args[1])
}
"""
RUST = """use std::collections::HashMap;

pub fn count(text: &str) -> HashMap<&str, usize> {
    let mut seen = HashMap::new();
    for word in text.split_whitespace() {
        *seen.entry(word).or_insert(0) += 1;
    }
    seen
}
"""
README = """# Backup

Install and run:

```bash
pip install backup-tool
backup --to /mnt/disk
```

Settings are in `backup.toml`:

```toml
keep = 7
```

That is all.
"""
CSS = """:root { --accent: #0a6; }

.card > h2::before {
  content: "§ ";
  color: var(--accent);
}
"""
YAML = """services:
  web:
    image: "nginx:1.27"
    ports:
      - "8080:80"
    restart: unless-stopped
"""
SQL = """SELECT c.name, SUM(o.total) AS spent
FROM customers AS c
JOIN orders AS o ON o.customer_id = c.id
WHERE o.placed_at >= '2025-01-01' AND c.country = 'PT'
GROUP BY c.name
ORDER BY spent DESC"""

CALLS: dict[str, tuple[str, Call]] = {
    "py": ("files", {"tool": "write_file", "path": "app/load.py", "content": PY_PLAIN}),
    "regex": ("files", {"tool": "write_file", "path": "app/phone.py", "content": PY_REGEX}),
    "jsx": ("files", {"tool": "write_file", "path": "src/Counter.tsx", "content": JSX}),
    "html": ("files", {"tool": "write_file", "path": "public/index.html", "content": HTML}),
    "shell": ("files", {"tool": "write_file", "path": "scripts/backup.sh", "content": SHELL}),
    "go": ("files", {"tool": "write_file", "path": "cmd/greet/main.go", "content": GO}),
    "rust": ("files", {"tool": "write_file", "path": "src/count.rs", "content": RUST}),
    "readme": ("files", {"tool": "write_file", "path": "README.md", "content": README}),
    "css": ("files", {"tool": "write_file", "path": "public/style.css", "content": CSS}),
    "yaml": ("files", {"tool": "write_file", "path": "compose.yaml", "content": YAML}),
    "replace": (
        "files",
        {
            "tool": "replace_text",
            "path": "src/Counter.tsx",
            "old_text": '<button className="btn btn-primary">',
            "new_text": '<button className="btn btn-primary" type="button">',
            "all": True,
        },
    ),
    "read": ("files", {"tool": "read_file", "path": "logs/2025-03-02.log", "first_line": 120, "last_line": 180}),
    "delete": ("files", {"tool": "delete_file", "path": "tmp/old-report.csv"}),
    "event": (
        "calendar",
        {
            "tool": "create_event",
            "title": "Team sync",
            "start": "2025-03-14T09:30:00",
            "end": "2025-03-14T10:00:00",
            "attendees": ["ana@example.com", "joe@example.com"],
            "reminder_minutes": 15,
            "recurrence": {"frequency": "weekly", "interval": 2},
        },
    ),
    "event_de": (
        "calendar",
        {
            "tool": "create_event",
            "title": "Zahnarzt, Frau Dr. Müller",
            "start": "2025-04-02T14:15",
            "location": "Königstraße 12, Köln",
            "description": "Bitte nüchtern erscheinen.\nVersicherungskarte mitbringen!",
            "all_day": False,
        },
    ),
    "event_pt": (
        "calendar",
        {
            "tool": "create_event",
            "title": "Reunião de pais",
            "start": "2025-05-20",
            "all_day": True,
            "location": "Escola São José",
            "attendees": ["maria@example.com.br"],
        },
    ),
    "find_events": (
        "calendar",
        {"tool": "find_events", "query": "dentist", "from": "2025-01-01", "to": "2025-12-31", "limit": 5},
    ),
    "mail": (
        "mail",
        {
            "tool": "send_email",
            "to": ["joe@example.com"],
            "cc": ["kim@example.com"],
            "subject": "Minutes of the meeting",
            "body": 'Hi Joe,\n\nas Kim said, the "go live" date is Friday.\nPlease read the page "Risks" first.\n\nBest,\nAna',
            "importance": "high",
        },
    ),
    "mail_pt": (
        "mail",
        {
            "tool": "send_email",
            "to": ["compras@example.com.br"],
            "subject": "Orçamento nº 318",
            "body": "Prezados,\n\nsegue o orçamento de R$ 1.250,00 (à vista: 5% de desconto).\n\nAtenciosamente,\nJoão d'Ávila",
            "attachments": ["orçamentos/318.pdf"],
        },
    ),
    "mail_de": (
        "mail",
        {
            "tool": "send_email",
            "to": ["info@example.de", "buero@example.de"],
            "subject": "Rückfrage zur Rechnung 2025-017",
            "body": "Guten Tag,\n\nin der Rechnung steht „zahlbar sofort“. Gilt das auch für uns?\n\nViele Grüße\nJens Groß",
        },
    ),
    "search_mail": (
        "mail",
        {"tool": "search_mail", "query": "invoice march", "folder": "Inbox", "unread_only": True, "limit": 20},
    ),
    "order": (
        "shop",
        {
            "tool": "create_order",
            "customer_id": "C-20418",
            "items": [
                {"sku": "TEA-GRN-250", "quantity": 2, "unit_price": 7.95},
                {"sku": "CUP-WHT", "quantity": 1, "unit_price": 12.5},
            ],
            "currency": "EUR",
            "gift": True,
            "note": "Please wrap it.",
            "ship_to": {"street": "12 Rue de la Paix", "city": "Paris", "postcode": "75002", "country": "FR"},
        },
    ),
    "order_br": (
        "shop",
        {
            "tool": "create_order",
            "customer_id": "88213",
            "items": [{"sku": "7891000100103", "quantity": 6}],
            "currency": "BRL",
            "coupon": "VERÃO10",
            "ship_to": {"street": "Av. Paulista, 1578 - apto 42", "city": "São Paulo", "postcode": "01310-200"},
        },
    ),
    "refund": (
        "shop",
        {"tool": "refund_payment", "payment_id": "pay_9f31", "amount": 49.9, "currency": "USD", "reason": "Arrived broken"},
    ),
    "query": ("warehouse", {"tool": "run_query", "sql": SQL, "database": "replica", "limit": 100, "timeout_s": 2.5}),
    "query_params": (
        "warehouse",
        {
            "tool": "run_query",
            "sql": 'SELECT "id", "e-mail" FROM users WHERE country = ? AND active = ?',
            "params": ["BR", True, None],
            "limit": 50,
        },
    ),
    "delete_rows": (
        "warehouse",
        {"tool": "delete_rows", "table": "sessions", "where": "last_seen < '2024-01-01'", "max_rows": 5000},
    ),
    "lamp": (
        "home",
        {
            "tool": "set_device",
            "device_id": "lamp.living_room",
            "state": {"power": "on", "brightness": 40, "color": "#ffaa33"},
            "transition_s": 1.5,
        },
    ),
    "heating": (
        "home",
        {
            "tool": "set_device",
            "device_id": "thermostat-2",
            "label": "Büro",
            "state": {"temperature_c": 20.5, "locked": False},
            "schedule": [{"day": "mon", "at": "06:30"}, {"day": "fri", "at": "07:00"}],
        },
    ),
    "unlock": ("home", {"tool": "unlock_door", "door_id": "front", "seconds": 30}),
    "ticket": (
        "helpdesk",
        {
            "tool": "create_ticket",
            "title": "Login fails after update",
            "description": 'Since 4.2 the page says "Session expired" at once.\nSeen on Android and iOS.',
            "priority": "high",
            "labels": ["bug", "login"],
            "assignee": None,
            "steps": ["Open the app", 'Tap "Log in"', "Wait"],
            "custom_fields": {"version": "4.2.0", "platform": "Android"},
        },
    ),
    "ticket_pt": (
        "helpdesk",
        {
            "tool": "create_ticket",
            "title": "Impressora do 3º andar não imprime",
            "description": "A luz pisca, e o papel não sai.\nJá reiniciei duas vezes.",
            "priority": "low",
            "assignee": "suporte@example.com.br",
            "due_date": "2025-06-30",
            "estimate_hours": 1.5,
        },
    ),
    "comment": (
        "helpdesk",
        {"tool": "comment_ticket", "ticket_id": 4711, "text": "Fixed in 4.2.1, please try again.", "internal": False},
    ),
    "note": (
        "notebook",
        {
            "tool": "save_note",
            "title": "Reading list",
            "body": '1. "The Left Hand of Darkness"\n2. "Piranesi"\n',
            "tags": ["books", "to read"],
            "pinned": True,
            "links": [{"label": "Library", "url": "https://example.org/search?q=le+guin&page=1"}],
            "metadata": {"author": {"name": "Ana Souza", "email": "ana@example.com"}, "version": 3},
        },
    ),
    "note_de": (
        "notebook",
        {
            "tool": "save_note",
            "title": "Rezept: Käsespätzle",
            "body": "400 g Mehl, 4 Eier, 1 TL Salz.\nZwiebeln rösten; Käse 'Bergkäse' reiben.\n",
            "tags": ["kochen"],
            "notebook": "Küche",
        },
    ),
}
