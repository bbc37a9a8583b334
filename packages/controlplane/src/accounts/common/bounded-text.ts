/**
 * Text of a peer that is only shown to people: cut to its limit, and without the characters that fool terminals or
 * databases.
 */
export function boundedText(text: string, charsMax: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are the ones to be replaced
  const clean = text.slice(0, charsMax).replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ');
  // A cut may have parted a pair of surrogates, and half a pair is no text.
  return clean.toWellFormed();
}
