const spaces = /[\t\n\r ]*/y;

/**
 * Returns a name that an object of a JSON text has twice. `JSON.parse` uses the last value; another parser on the way,
 * which decides whether the call may pass, may have used the first. The text has to be valid.
 */
export function duplicateKeyIn(text: string): string | undefined {
  const namesOfOpen: Set<string>[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '{' || char === '[') {
      namesOfOpen.push(new Set());
    } else if (char === '}' || char === ']') {
      namesOfOpen.pop();
    } else if (char === '"') {
      const end = endOfString(text, at);
      // Only names are followed by a colon.
      if (text[afterSpaces(text, end)] === ':') {
        const name = JSON.parse(text.slice(at, end)) as string;
        const names = namesOfOpen.at(-1)!;
        if (names.has(name)) return name;
        names.add(name);
      }
      at = end - 1;
    }
  }
  return undefined;
}

/** The position after its closing quote. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function afterSpaces(text: string, from: number): number {
  spaces.lastIndex = from;
  spaces.test(text);
  return spaces.lastIndex;
}
