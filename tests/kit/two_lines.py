"""Texts of two lines as people and programs write them, and texts of one line of as many kinds.

The first are each two lines of a file, a letter, a list or a log that follow each other. Both were written before the rules
that tell them apart, and `NEARLY` against these rules. A line break beside a tag of HTML changes nothing of a page, and Chinese
writes no blank between two sentences: neither has a text of one line here.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

CODE: Final[dict[str, str]] = {
    "Python": """\
import os
from pathlib import Path
def load(path: Path) -> str:
    with path.open() as file:
        return file.read()
class Order(Base):
    total: int = 0
    def pay(self, amount: int) -> None:
        self.total -= amount
        if self.total < 0:
            raise ValueError("paid too much")
        log.info("paid %s", amount)
names = [one.name for one in users]
names.sort(key=len)
for name in names:
    print(name)
else:
    print("none")
return total + 1
yield total
x += 1
assert x > 1
pass
result = await fetch(url)
data = result.json()
@cached
def size(self):
del cache[key]
cache.clear()""",
    "JavaScript": """\
import React from "react";
import { useState } from "react";
const [open, setOpen] = useState(false);
const close = () => setOpen(false);
export default function App() {
  return <Menu open={open} />;
}
let total = 0
total += item.price
for (const item of items) {
  total += item.price * item.count;
}
items.map(item => item.name)
  .filter(Boolean)
document.title = "Shop"
module.exports = { close }
console.log(total)
if (!user) return null
throw new Error("no user")
await save(user)
user = null
app.get("/", home)
app.listen(3000)""",
    "Java": """\
package com.shop;
import java.util.List;
public class Cart {
    private final List<Item> items;
    public int total() {
        return items.size();
    }
}
@Override
public String toString() {
System.out.println("done");
i++;
break;
default:""",
    "C": """\
#include <stdio.h>
#include <stdlib.h>
#define MAX 10
int main(void) {
    char *name = malloc(MAX);
    printf("%s\\n", name);
    free(name);
    return 0;
}
struct node *next;
/* the end */
next->prev = NULL;
goto done;
done:""",
    "Go": """\
package main
import "fmt"
func main() {
\tfmt.Println("hi")
\tx := 1
\tdefer file.Close()
\tif err != nil {
\t\treturn err
\t}
}
var total int
total++
go run(total)
ch <- total""",
    "Rust": """\
use std::fs;
mod shop;
fn main() -> Result<()> {
    let mut total = 0;
    println!("{}", total);
    match total {
        0 => none(),
        _ => some(),
    }
    Ok(())
}
#[derive(Debug)]
struct Item;""",
    "Ruby": """\
require "json"
require_relative "shop"
module Shop
  class Cart < Base
    attr_reader :items
    def total
      items.sum(&:price)
    end
  end
end
puts total
items.each do |item|
  puts item
end
total = 0 unless total""",
    "PHP": """\
<?php
namespace App;
use App\\Models\\User;
$user = User::find(1);
echo $user->name;
return $user;
}
foreach ($items as $item) {
    $total += $item->price;
}
?>
<p>Hi</p>""",
    "CSS": """\
body {
  margin: 0;
  color: #333;
}
.menu a:hover {
@media (max-width: 600px) {
h1, h2 {
--gap: 4px;
color: red
margin: 0""",
    "HTML": """\
<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>Shop</title>
</head>
<li>Milk</li>
<li>Eggs</li>
Milk<br>
Eggs<br>
<img src="a.png">
<hr>""",
    "SQL": """\
SELECT id, name
FROM users
WHERE active = 1
ORDER BY name
LIMIT 10;
select id, name
from users
where active = 1
order by name
INSERT INTO users (id, name)
VALUES (1, 'Ann');
UPDATE users
SET name = 'Bob'
DROP TABLE old;
CREATE INDEX by_name ON users (name);
CREATE TABLE users (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL
);""",
    "C#": """\
using System;
using System.Linq;
namespace Shop;
public record Item(string Name);
var total = items.Sum(i => i.Price);
Console.WriteLine(total);
/// <summary>
/// Pays.
/// </summary>""",
    "Kotlin": """\
package shop
import java.io.File
data class Item(val name: String)
fun main() {
    val items = listOf(1, 2)
    println(items)
}
val total = 0
var count = 1""",
    "Lua": """\
local shop = require("shop")
local total = 0
function shop.pay(amount)
  total = total - amount
end
return shop
-- the end
print(total)""",
    "TypeScript": """\
interface Item {
  name: string;
  price?: number;
}
type Id = string | number
export const price = (item: Item): number => item.price ?? 0
enum Color { Red, Green }
declare module "shop"
""",
}  # fmt: skip
"""Lines of code, by language."""

SCRIPTS: Final[dict[str, str]] = {
    "shell": """\
#!/bin/bash
set -e
cd src
ls -la
git add .
git commit -m x
git push
npm install
npm test
npm run build
pip install -r requirements.txt
python manage.py migrate
python manage.py runserver
docker build -t app .
docker run -p 80:80 app
mkdir -p build
cp -r src build
rm -rf tmp
export PATH=/opt/bin:$PATH
export DEBUG=1
echo "start"
echo done
apt-get update
apt-get install -y curl
curl -s https://a.b/c
kubectl apply -f a.yaml
kubectl get pods
make clean
make all
chmod +x run.sh
./run.sh
sudo systemctl restart nginx
sudo systemctl status nginx
cargo build
cargo test
git checkout main
git pull
git log --oneline
source venv/bin/activate
pytest -q
exit 0""",
    "Dockerfile": """\
FROM python:3.12-slim
WORKDIR /app
COPY . .
RUN pip install -r requirements.txt
EXPOSE 8000
CMD ["python", "app.py"]""",
    "Makefile": """\
all: build test
build:
\tgo build ./...
.PHONY: all
clean:""",
    "ignored files": """\
node_modules/
*.log
.env
dist/
!dist/keep.txt
__pycache__""",
    "packages": """\
requests==2.31.0
flask>=2.0
pytest
numpy
pandas~=2.1""",
}
"""Commands, and other lines that a program takes."""

TABLES: Final[dict[str, str]] = {
    "names": "id,name,age\n1,Ann,31\n2,Bob,28\n3,Łukasz,44",
    "prices": "item,price\nmilk,1.20\neggs,2.50\nbread,0.99",
    "semicolons": "name;city;zip\nAnn;Gent;9000\nBob;Köln;50667",
    "tabs": "id\tname\tage\n1\tAnn\t31\n2\tBob\t28",
    "quoted": 'id,note\n1,"a, b"\n2,"c"\n3,',
    "mail": "name,email\nAnn Lee,ann@example.com\nBob Ray,bob@example.com",
    "dates": "date,amount\n2024-01-02,10.50\n2024-01-03,7.25",
    "one column": "name\nAnn\nBob\nCleo",
    "bars": "id | name\n1 | Ann\n2 | Bob",
    "settings": "host,port,tls\nlocalhost,8080,true\nexample.com,443,true",
}
SETTINGS: Final[dict[str, str]] = {
    "YAML": """\
version: "3"
services:
  web:
    image: nginx
    ports:
      - "80:80"
      - "443:443"
    environment:
      DEBUG: "1"
name: build
on: push
runs-on: ubuntu-latest
enabled: true
retries: 3
timeout: 30s
tags: [a, b]
key: value
other: thing
- name: Ann
- name: Bob
- uses: actions/checkout@v4
- run: npm test
---
kind: Pod""",
    "TOML": """\
[package]
name = "shop"
version = "0.1.0"
[dependencies]
serde = "1.0"
debug = true""",
    "INI": """\
[server]
host=localhost
port=8080
; a comment
[client]
timeout = 5""",
    "environment": """\
DEBUG=1
PORT=8080
DATABASE_URL=postgres://a:b@c/d
API_KEY=abc
# for tests
LOG_LEVEL=info""",
    "properties": "app.name=shop\napp.port=80\napp.debug=false",
    "nginx": "server {\n    listen 80;\n    server_name a.b;\n}",
    "JSON lines": '{"a": 1}\n{"a": 2}\n{"b": [3]}',
    "JSON": '{\n  "a": 1,\n  "b": [\n    2\n  ]\n}',
    "header": "Host: a.b\nAccept: */*\nContent-Type: text/html",
    "person": "Name: Ann\nPhone: +32 475 12 34 56\nCity: Gent\nrole: admin",
}
MARKDOWN: Final[dict[str, str]] = {
    "page": """\
# Shop
A small shop.
## Install
```sh
npm install
```
- milk
- eggs
* one
* two
1. Boil the water
2. Add the tea
> quoted
Answer
| a | b |
| - | - |
| 1 | 2 |
**Note**
See the page below.
[link](https://a.b/c)
---
Title
=====
![image](a.png)
- [ ] buy milk
- [x] call Ann""",
    "notes": """\
Todo:
- buy milk
- call Ann tomorrow
Done:
1) first
2) second
a) one
b) two
• milk
• eggs
+ one
+ two
– first
– second""",
}
LETTERS: Final[dict[str, str]] = {
    "mail": "Hello Ann,\nsee you tomorrow.\nBest,\nBob",
    "mail, long": "Dear Mr. Smith,\nI hope you are well.\nThe invoice is attached.\nKind regards,\nAnn Lee\nShop Ltd.",
    "mail, small": "hi bob,\ncan you call me?\nthanks\nann",
    "mail, thanks": "Hi team,\nthe build is green again.\nThanks for the help!\nCheers,\nTom",
    "German": "Hallo Anna,\nbis morgen!\nViele Grüße\nJörg",
    "German, formal": "Sehr geehrte Frau Müller,\nanbei die Rechnung.\nMit freundlichen Grüßen\nMax Mustermann",
    "French": "Bonjour Anne,\nà demain.\nCordialement,\nÉmile",
    "Spanish": "Hola Ana,\n¿vienes mañana?\n¡Gracias!\nLuis",
    "Russian": "Привет, Аня!\nувидимся завтра\nПока",
    "Chinese": "你好,\n明天见。\n谢谢",
    "chat": "ok\nsee you at 5\nbring the keys\nthx",
    "address": "Ann Lee\n12 Main Street\n9000 Gent\nBelgium",
    "poem": "Roses are red\nViolets are blue\nSugar is sweet\nAnd so are you",
    "haiku": "an old silent pond\na frog jumps into the pond\nsplash, silence again",
}
NOTES: Final[dict[str, str]] = {
    "tasks": "buy milk\ncall the bank\npay the rent\nwater the plants",
    "words": "milk\neggs\nbread\nbutter and jam",
    "sentences": "The door is open.\nPlease close it.\nthen call me.\nIt is cold!",
    "sentences without stops": "The door is open\nPlease close it\nthe key is below the mat\nIt is cold",
    "steps": "Step 1: open the lid\nStep 2: add water\nStep 3: close it",
    "times": "9:00 Standup\n9:30 Review\n12:00 Lunch with Ann",
    "dates": "2024-01-02 dentist\n2024-01-05 car check",
    "sums": "Milk 1.20\nBread 2.50\nTotal 3.70",
    "questions": "What is it?\nWho made it?\nwhen was it made?",
    "dialogue": "Ann: are you there?\nBob: yes\nAnn: good",
    "links": "https://a.b/c\nhttps://d.e/f\nhttp://g.h",
    "files": "src/main.py\nsrc/app.py\ntests/test_app.py",
    "paths": "/etc/hosts\n/var/log/syslog\n~/notes.txt",
    "mails": "ann@example.com\nbob@example.com",
    "numbers": "12\n45\n1,204\n-7",
    "hashtags": "Nice day #sun\n#beach #fun",
    "commit": "fix: handle empty lists\nrefs #12\nCo-authored-by: Ann <ann@a.b>",
    "changes": "feat: add export\nfix: close the file\nchore: bump deps",
    "diff": "-old line\n+new line\n context\n@@ -1,2 +1,2 @@",
    "recipe": "2 eggs\n100 g sugar\n1 tsp salt",
}
LOGS: Final[dict[str, str]] = {
    "log": "2024-01-02 10:00:00 INFO started\n2024-01-02 10:00:01 ERROR no such file\n2024-01-02 10:00:02 INFO stopped",
    "short": "INFO started\nWARN slow query\nERROR failed",
    "brackets": "[10:00:01] connect\n[10:00:02] closed",
    "small": "error: no such file\nwarning: unused variable x\nnote: see above",
    "trace": 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    f()\nValueError: no x',
    "web": '10.0.0.1 - - "GET / HTTP/1.1" 200\n10.0.0.2 - - "GET /a HTTP/1.1" 404',
    "tests": "PASS a.test.js\nFAIL b.test.js\nok 1 - adds\nok 2 - subtracts\n3 passed\n1 failed",
    "build": "> tsc -p .\nDone in 2.1s",
}

KINDS: Final[dict[str, dict[str, str]]] = {
    "code": CODE, "script": SCRIPTS, "table": TABLES, "settings": SETTINGS, "markdown": MARKDOWN, "letter": LETTERS,
    "note": NOTES, "log": LOGS,
}  # fmt: skip


def two_lines() -> Iterator[tuple[str, str]]:
    """Yield texts of two lines, with the kind of each: two that follow each other, without the margin that both have."""
    seen: set[str] = set()
    for kind, texts in KINDS.items():
        for text in texts.values():
            for one, two in pairwise(text.splitlines()):
                margin = min(len(line) - len(line.lstrip()) for line in (one, two))
                pair = f"{one[margin:]}\n{two[margin:]}"
                if one.strip() and two.strip() and pair not in seen:
                    seen.add(pair)
                    yield kind, pair


ONE_LINE: Final = [
    # sentences
    "Please call Ann tomorrow and ask her for the keys", "The invoice is attached; please pay it by Friday.",
    "I said no, he said yes, and she said maybe", "Is the door open? Then please close it!", "hello bob, can you call me back",
    "Dear Ann, thank you for the book that you sent", "We need milk, eggs, bread and butter", "Buy milk, buy eggs, buy tea",
    "The cat and the dog and the bird", "Ann said: see you later, Bob said: fine", 'He said "yes" and she said "no"',
    "It's Ann's book, isn't it?", "Note: the office is closed on Monday", "Warning: the disk is 90% full",
    "Meet at 10:30 in room B-12, bring the A4 sheets", "very good, very bad, very old", "Step 1: open it, Step 2: close it",
    "Viele Grüße aus Köln, bis morgen", "Bonjour, ça va? À demain", "¿Vienes mañana? ¡Gracias!", "Привет, как дела? Пока",
    "see https://a.b/c and https://d.e/f for more", "Thanks! Best regards, Ann Lee, Shop Ltd.",
    "line 1 and line 2 are wrong, see line 3", "ok, see you at 5, bring the keys", "the file is in ~/notes or /tmp/notes",
    "First the tea, then the milk, e.g. 20 ml, i.e. a little", "A is B, B is C, so A is C", "is this one or that one his?",
    # commands
    'git add . && git commit -m "fix: a" && git push', "git add a.py b.py; git commit -m fix; git push",
    "git rm -r --cached .git", "git clone https://github.com/a/b.git b", "git add .gitignore .github", "git log --grep=git",
    "npm install && npm test || npm run build", "npm run build -- --mode production", "cd src && ls -la && cd ..",
    "cd tools; ls tools", "rm -rf build/ dist/ && mkdir build", "docker run -it --rm -p 80:80 -v $PWD:/app app:latest sh",
    "docker compose up -d && docker ps", "pip install -r requirements.txt --upgrade pip", "echo one; echo two; echo three",
    'echo "a b" > a.txt && cat a.txt | grep b | wc -l', "for f in *.txt; do echo $f; done", "export A=1 B=2; echo $A$B",
    'curl -s -H "Accept: text/html" https://a.b/c?x=1&y=2', "sudo apt-get update && sudo apt-get install -y curl git",
    "kubectl get pods -n kube-system -o json", 'find . -name "*.py" -exec grep -l import {} +', "make clean all test",
    'python -c "import os; print(os.getcwd())"', "python manage.py migrate --database=python", 'ssh user@host "cd a && ls"',
    "tar -xzf a.tar.gz -C /opt/a", "FOO=1 BAR=2 make test", "cat a.txt b.txt concat.txt", "sed -i 's/a/b/g' a.txt",
    "make make-all cmake", "cargo build --release && cargo test", "chmod +x run.sh && ./run.sh", "ps aux | grep python",
    # names, addresses, numbers
    "Ann Lee, 12 Main Street, 9000 Gent, Belgium", "Mr. J. R. Smith and Mrs. K. Doe", "ann.lee@example.com, bob@example.com",
    "+32 475 12 34 56", "BE68 5390 0754 7034", "12, 45, 1,204, -7, 3.14", "1,Ann,31,Gent", "a,b;c,d;e,f", "10.0.0.1, 10.0.0.2",
    "2024-01-02 10:00:00, 2024-01-03", "192.168.0.1:8080/24", "src/main.py, src/app.py, tests/test_app.py", "C-3PO and R2-D2",
    "1 GB, 2 TB, 3 km/h", "SKU-12-A, SKU-13-B", "1204 EUR or 1,300.50 USD", "Łódź, Kraków, Gdańsk", "v1.2.3, v1.2.4-rc.1",
    "#sun #beach #fun", "5 x 5 = 25", "550e8400-e29b-41d4-a716-446655440000",
    # data
    '{"a": 1, "b": [2, 3], "c": {"d": "e"}}', '[1, 2, 3, "a, b", null]', "{'a': 1, 'b': 'c d'}", "a: 1, b: 2, c: 3",
    "name: Ann, age: 31, city: Gent", "Name: Ann Age: 31 City: Gent", "key=value; other=thing; A=1", "A=1 B=2 C=3",
    "id=1&name=ann&city=gent", "host=localhost port=5432 dbname=shop user=ann", "- milk - eggs - bread", "* one * two * three",
    "1. Boil the water 2. Add the tea 3. Wait", "a) one b) two c) three", "| a | b | c |",
    "# not a title # at all", "`a` or `b`, **bold** or _not_",
    "[link](https://a.b/c) and ![image](a.png)", "tags: [a, b], on: push", "--- a/b.py +++ b/b.py", "id,name,age,city,zip",
    # patterns
    "^(?:a|b)+[^c-e]*\\\\d{2,4}$", "(?<year>[0-9]{4})-(?<month>[0-9]{2})", "s/foo/bar/g; s/a/b/", "[A-Za-z0-9._%+-]+@[a-z.-]+",
    "*.py,*.js,!*.min.js", "0 5 * * 1-5 /usr/bin/backup --all",
    # code
    "def f(a, b=1): return a + b", "x = 1; y = 2; print(x, y)", "from os import path, getcwd as cwd", "import os, sys, re",
    "names = [one.name for one in users if one.name]", "const a = 1, b = 2; return a + b;", "if (a && b) { f(a); g(b); }",
    'items.map(i => i.name).filter(Boolean).join(", ")', "for (let i = 0; i < n; i++) total += a[i];", "return a ? b : c;",
    "let f = async (x) => { await g(x); }", 'import { a, b } from "c"; import d from "e";', 'print("hello, world", end="")',
    "public static void main(String[] args) { run(); }", "int *p = &a[0]; *p++ = 1; // next",
    "#include <stdio.h> // for printf",
    "func f(x int) (int, error) { return x, nil }", "fn f<T: Copy>(x: &T) -> T { *x }", "$a = $b['c'] ?? 0; echo $a;",
    "puts items.map { |i| i * 2 }.inspect", "body { margin: 0; color: #333; }", "a:hover, a:focus { color: red; top: 1px }",
    "SELECT id, name FROM users WHERE id = 5 ORDER BY name", "select a, b from c where d = 'e' and f = 'g'",
    "INSERT INTO users (id, name) VALUES (1, 'Ann'), (2, 'Bob');", "UPDATE users SET name = 'Bob', age = 5 WHERE id = 1",
    'assert f(1) == 2, "not two"', 'raise ValueError("no such file") from None', "lambda x: x + 1  # adds one",
    "try: f() except E: pass", "total += price * count - rebate / 2", "a->b = c->d; free(e);", "x := y[1:3]; z <- x",
    "local a, b = f(1), g(2); return a", "type A = string | number; interface B {}", "const x = <T,>(y: T) => y",
    "i++; j--; k += 1",
    # logs and messages
    "2024-01-02 10:00:00 INFO started in 20 ms", "ERROR 500: no such file: /tmp/a.txt (errno 2)", "error: unused variable x",
    "[10:00:01] connect [10:00:02] closed", '10.0.0.1 - - "GET / HTTP/1.1" 200', "PASS a.test.js FAIL b.test.js",
    "3 passed, 1 failed",
    "fix(parser): handle EOF, refs #123", "feat!: add export; fix: close the file", "Fixes #12, closes #13",
    "Co-authored-by: Ann Lee <ann@example.com>", "Merge branch 'main' into feature/a-b", "HTTP/1.1 404 Not Found",
]  # fmt: skip
"""Texts of one line: sentences, commands, names, addresses, numbers, data, patterns, code, messages."""

NEARLY: Final = [
    "x = 1 if y: z", "total += a if b else c", "x = f(a) if y else z", "for x in y: if z: f(x)",
    "try: f(x) except E: g(y)", "  f(x) else: g(y)", "  x.send(y)", "  f(x.end)", "  do f(x) done",
    "x = not if y:", '  send("a") to the end', "x = a for b in c: d",
    "x = for a in b:", "if (a) f(b) if (c) {", "git legit add x", "mv alarm beta", "pip install legit add",
    "npm install legit add -D", "echo one > a.git add", "cat concat x", "brew install git add", "select validfrom from t",
    "select id from elsewhere where x = 1", "update reset set a = 1", "select a from b where nowhere = 1 order by c limit 5",
    "select a from elsewhere limit 5", "insert into minvalues (a) values (1)", "select x from border by y",
    "9:00 room A-9:30", "9:00 Standup to 9:30 at the desk", "2024-01-02 to 2024-01-05 holiday",
    "2024-01-02 trip until 2024-01-05 or so", "9:00 call 12:30 lunch", "https://web.archive.org/web/https://a.b/c",
    "https://a.b/c,https://d.e/f", "ann@a.b,bob@c.d", "id,name,datetime,city,5", "name,date,datestamp,5",
    "item,price,pricetag,1.2", "- a • b • c", "• milk • eggs • bread", "• a, b – c", "a) one, b) two", "-- a -- b -- c",
    "/// a /// b", "#define A #include <x>", '{"a": 1} {"b": 2}', '{"a": {"b": 1}, "c": {"d": 2}}',
    '"a": 1, "b": 2, "c": 3', "'a': 'b', 'c': 'd'", 'a: "b" c: "d"', "on: true, off: false", "ok: truest: x",
    'name: "Ann", city: "Gent"', "x = f(1) y = 2", "return f(x) if y else g(z)", "x = 10px + y = 2",
    "assert f(x) raise y", 'require "a" require "b"', "const a = (b) => const c = d", "hello world, how are you all",
    "dear old, cheap and bad", "hello ann, hello bob, see you", "cd app npm install", "sudo git pull",
    "export A=1 git push", "mkdir -p a mkdir -p b", "git commit -m git push", "python manage.py shell python manage.py x",
    "git add a.git push.git", "git push origin legit add",
    "f(x) type y",
]  # fmt: skip
"""Texts of one line with a word, or a part, that a line of the same form may begin with."""


def broken(text: str) -> Iterator[str]:
    """Yield a text with a line break at each place inside of it."""
    for at in range(1, len(text)):
        yield f"{text[:at]}\n{text[at:]}"
