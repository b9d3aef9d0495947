/** The word for each, as the legends have it. */
export const WORDS = { valid: "valid", fixed: "fixed", corrected: "corrected by a model", failed: "failed, not run" };

/** What became of a block, in one word: `valid`, `fixed`, `corrected` (by a model) or `failed`. */
export function verdictOf({ executable, corrected, correctedBy }) {
  if (!executable) return "failed";
  return correctedBy === "llm" ? "corrected" : corrected ? "fixed" : "valid";
}
