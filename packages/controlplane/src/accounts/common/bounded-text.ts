/**
 * Sanitizes text from a peer that is only displayed: cut to its limit, without characters that confuse terminals or
 * databases.
 */
export function boundedText(text: string, charsMax: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are the ones to be replaced
  const clean = text.slice(0, charsMax).replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ');
  // A cut may have split a surrogate pair, and a lone surrogate is not valid text.
  return clean.toWellFormed();
}
