/** Strings, brackets and what separates values; other values are what is between them. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;

interface Level {
  readonly isObject: boolean;
  /** Whether the name of a field comes next. */
  isBeforeName: boolean;
  /** Whether the level adds a name to the path. */
  hasName: boolean;
}

/**
 * Replaces the values of fields in a text that is JSON, and leaves everything else as it is written, with all digits.
 * One pass over the text, without recursion.
 */
export function maskedJson(
  text: string,
  hides: (path: readonly string[]) => boolean,
  replacement: string,
): { readonly text: string; readonly count: number } {
  const parts: string[] = [];
  const levels: Level[] = [];
  const path: string[] = [];
  let copiedTo = 0;
  let count = 0;
  /** How deep the scan is within a hidden value; `undefined` outside of one. */
  let hidden: number | undefined;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (hidden !== undefined && hidden > 0) {
      if (token === '{' || token === '[') hidden++;
      else if ((token === '}' || token === ']') && --hidden === 0) {
        copiedTo = index + 1;
        hidden = undefined;
      }
      continue;
    }
    const level = levels.at(-1);
    if (token === '}' || token === ']') {
      levels.pop();
      if (level?.hasName === true) path.pop();
      continue;
    }
    if (token === ',') {
      if (level?.isObject === true) {
        if (level.hasName) path.pop();
        level.hasName = false;
        level.isBeforeName = true;
      }
      continue;
    }
    if (token === ':') continue;
    if (level?.isBeforeName === true) {
      level.isBeforeName = false;
      level.hasName = true;
      path.push(JSON.parse(token) as string);
      continue;
    }
    if (level?.isObject === true && hides(path)) {
      parts.push(text.slice(copiedTo, index), replacement);
      count++;
      if (token === '{' || token === '[') hidden = 1;
      else copiedTo = index + token.length;
      continue;
    }
    if (token === '{') levels.push({ isObject: true, isBeforeName: true, hasName: false });
    else if (token === '[') levels.push({ isObject: false, isBeforeName: false, hasName: false });
  }
  return { text: parts.join('') + text.slice(copiedTo), count };
}
