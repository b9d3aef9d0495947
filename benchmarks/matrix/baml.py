"""The program of BAML with which replies are read: a function that answers any JSON. Its client is never called."""

SOURCE = """
type JSON = int | float | bool | string | null | JSON[] | map<string, JSON>

client<llm> None {
  provider openai
  options {
    model "none"
    api_key "none"
  }
}

function Read(text: string) -> JSON {
  client None
  prompt #"{{ text }}"#
}
"""
