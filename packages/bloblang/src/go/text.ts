/** Texts as Go treats them: by code points, and by bytes of UTF-8. */

const isAscii = /^[\0-\x7f]*$/;

/** Case of each code point by itself; where JavaScript would change the number of characters, Go changes nothing. */
export function upperCased(text: string): string {
  const upper = text.toUpperCase();
  if (isAscii.test(text)) return upper;
  return [...text].map((character) => sameLength(character, character.toUpperCase())).join('');
}

export function lowerCased(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase();
  return [...text].map((character) => sameLength(character, character.toLowerCase())).join('');
}

function sameLength(character: string, changed: string): string {
  return [...changed].length === 1 ? changed : character;
}

const word = /[\p{L}\p{N}\p{M}_]+(?:['’.:][\p{L}\p{M}][\p{L}\p{N}\p{M}_]*)*/gu;

/** Words with a large first letter and small others. */
export function titleCased(text: string): string {
  return text.replace(word, (found) => {
    const [first = '', ...rest] = [...found];
    return upperCased(first) + lowerCased(rest.join(''));
  });
}

const space = '[\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const spacesAtStart = new RegExp(`^${space}+`);
const endSpace = new RegExp(space);

export function trimmedSpace(text: string): string {
  const rest = text.replace(spacesAtStart, '');
  let end = rest.length;
  while (end > 0 && endSpace.test(rest[end - 1]!)) end--;
  return rest.slice(0, end);
}

export function trimmedOf(text: string, cutset: string): string {
  const cut = new Set(cutset);
  const characters = [...text];
  let start = 0;
  let end = characters.length;
  while (start < end && cut.has(characters[start]!)) start++;
  while (end > start && cut.has(characters[end - 1]!)) end--;
  return characters.slice(start, end).join('');
}

/** Position in bytes. */
export function byteIndexOf(text: string, wanted: string): number {
  const index = text.indexOf(wanted);
  return index <= 0 ? index : Buffer.byteLength(text.slice(0, index), 'utf8');
}
