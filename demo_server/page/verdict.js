/** What became of a block, in one word: `valid`, `fixed`, `corrected` (by a model) or `failed`. */
export function verdictOf({ executable, corrected, correctedBy }) {
  if (!executable) return "failed";
  return correctedBy === "llm" ? "corrected" : corrected ? "fixed" : "valid";
}
