const quote = 0x22;
const colon = 0x3a;
const backslash = 0x5c;

/** What a string costs, and a name, in characters outside of strings that take as long. */
const stringSteps = 16;
const nameSteps = 32;
/** Characters of a string that take as long as one outside of it. */
const stringCharsPerStep = 16;

/**
 * Looks for a name that an object of a JSON text has twice. `JSON.parse` uses the last value; another parser on the
 * way, which decides whether the call may pass, may have used the first. Counts the names of each object as well. The
 * text has to be valid. It can be searched in parts, with other work in between.
 */
export class DuplicateKeySearch {
  readonly #text: string;
  readonly #namesOfOpen: Set<string>[] = [];
  readonly #namesMax: number;
  #at = 0;
  /** The name that was found twice. */
  found: string | undefined;
  /** Whether an object has more names than `namesMax`. */
  hasTooMany = false;

  constructor(text: string, { namesMax = Number.POSITIVE_INFINITY }: { readonly namesMax?: number } = {}) {
    this.#text = text;
    this.#namesMax = namesMax;
  }

  /** Continues for about so many characters. Returns whether it is done. */
  advance(steps = Number.POSITIVE_INFINITY): boolean {
    const text = this.#text;
    let left = steps;
    while (this.#at < text.length && left > 0) {
      const char = text[this.#at]!;
      if (char === '"') {
        left -= this.#passString();
        if (this.found !== undefined || this.hasTooMany) return true;
        continue;
      }
      if (char === '{' || char === '[') this.#namesOfOpen.push(new Set());
      else if (char === '}' || char === ']') this.#namesOfOpen.pop();
      this.#at++;
      left--;
    }
    return this.#at >= text.length;
  }

  /** Passes over a string. Returns what that cost. */
  #passString(): number {
    const text = this.#text;
    const from = this.#at;
    const end = endOfString(text, from);
    this.#at = end;
    const steps = stringSteps + (end - from) / stringCharsPerStep;
    // Only names are followed by a colon.
    const next = afterSpaces(text, end);
    if (text.charCodeAt(next) !== colon) return steps + next - end;
    const written = text.slice(from + 1, end - 1);
    const name = written.includes('\\') ? (JSON.parse(text.slice(from, end)) as string) : written;
    const names = this.#namesOfOpen.at(-1)!;
    if (names.has(name)) this.found = name;
    names.add(name);
    if (names.size > this.#namesMax) this.hasTooMany = true;
    return steps + nameSteps + next - end;
  }
}

/** The position after its closing quote. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  for (let code = text.charCodeAt(at); code !== quote; code = text.charCodeAt(at))
    at += code === backslash ? 2 : 1;
  return at + 1;
}

function afterSpaces(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

const isSpace = (code: number) => code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
