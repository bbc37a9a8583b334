/**
 * Makes visible what would be invisible or reorder the text around it: control characters and marks of direction. Other
 * text, also that of right-to-left scripts, stays.
 */
export function visibleText(text: string): string {
  return text.replaceAll(hidden, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return '\u2421';
    return `\u27e8U+${code.toString(16).toUpperCase().padStart(4, '0')}\u27e9`;
  });
}

/** C0, DEL, C1, Arabic letter mark, zero-width and directional marks, separators, isolates, and the byte order mark. */
const hidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is searched for.
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** The same for a text of several lines, whose breaks and tabs stay. */
export function visibleLines(text: string): string {
  return text.replaceAll(/[^\r\n\t]+/g, visibleText);
}

/** Cuts a text that is longer than a place for it, without splitting a character of two code units. */
export function cutText(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const isSplit = /[\ud800-\udbff]/.test(text.charAt(charsMax - 1));
  return `${text.slice(0, isSplit ? charsMax - 1 : charsMax)}…`;
}
