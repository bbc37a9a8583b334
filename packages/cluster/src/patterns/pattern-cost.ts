/**
 * Returns the cost of compiling and matching a regular expression, from its text alone: an upper bound on the
 * instructions of the program that RE2 compiles it to. Counted repetitions are copies, so a few characters can become
 * hundreds of thousands of instructions, and the library limits them only where they are nested. Reads the syntax as
 * the library's parser does; an invalid expression has a cost too, and the library rejects it.
 */
export function patternCost(expression: string): number {
  return new CostReader(expression).read();
}

/**
 * An instruction that can be active together with others costs more than one of plain text: matching visits all active
 * ones at every character.
 */
const repeatedWeight = 4;
/** A Unicode class has some hundred ranges, which are parsed once and examined by every instruction that has them. */
const unicodeClassCost = 128;
const unicodeClassSize = 16;
/**
 * For a case-insensitive range, the library visits every character of it. Beyond ASCII these can be a hundred thousand.
 */
const foldedRangeCost = 2048;
const itemsPerInstruction = 8;
const emptyProgramSize = 3;
/** For a class name without an end, the library reads to the end of the expression. */
const unendedCost = 16;
/** The time for nesting is quadratic in its depth. */
const depthPerCost = 8;

/** Plain instructions, and those in something optional or repeated. */
interface Size {
  readonly plain: number;
  readonly repeated: number;
}

interface OpenGroup {
  readonly isCapture: boolean;
  readonly before: Size;
}

const none: Size = { plain: 0, repeated: 0 };
const repetition = /\{(0|[1-9]\d*)(,(0|[1-9]\d*)?)?\}/y;
const flagsOrGroup = /\(\?[imsU-]*[:)]/y;
const groupName = /\(\?P?</y;
const unicodeClass = /\\[pP](?:\{|[^{])/suy;
const escaped = /\\(?:x\{[0-9A-Fa-f]*\}|x[0-9A-Fa-f]{2}|[0-7]{1,3}|.)/suy;

class CostReader {
  readonly #text: string;
  readonly #isFolded: boolean;
  readonly #open: OpenGroup[] = [];
  readonly #lastEnds = new Map<string, number>();
  #at = 0;
  /** Cost that does not multiply with repetitions. */
  #once = 0;
  /** The group up to its last atom, which a repetition may follow. */
  #size = none;
  #atom = none;

  constructor(text: string) {
    this.#text = text;
    this.#isFolded = /\(\?[msU-]*i/.test(text);
  }

  read(): number {
    while (this.#at < this.#text.length) this.#next();
    while (this.#open.length > 0) this.#close();
    const { plain, repeated } = sum(this.#size, this.#atom);
    return emptyProgramSize + this.#once + plain + repeatedWeight * repeated;
  }

  #next(): void {
    switch (this.#text[this.#at]) {
      case '(':
        this.#group();
        break;
      case ')':
        this.#at++;
        this.#close();
        break;
      case '[':
        this.#class();
        break;
      case '\\':
        this.#escape();
        break;
      case '*':
        this.#at++;
        this.#repeat(1, 2);
        break;
      case '+':
      case '?':
        this.#at++;
        this.#repeat(1, 1);
        break;
      case '{':
        this.#counted();
        break;
      case '|':
        this.#at++;
        // An empty branch is an instruction too.
        this.#push(2);
        break;
      default:
        this.#at++;
        this.#push(1);
    }
  }

  #group(): void {
    const flags = this.#take(flagsOrGroup);
    if (flags?.endsWith(')') === true) return;
    const isCapture = flags === undefined;
    if (isCapture && this.#take(groupName) === undefined) this.#at++;
    else if (isCapture) this.#skipPast('>');
    this.#open.push({ isCapture, before: sum(this.#size, this.#atom) });
    this.#once += this.#open.length / depthPerCost;
    this.#size = none;
    this.#atom = none;
  }

  #close(): void {
    const group = this.#open.pop();
    if (group === undefined) return;
    const inside = sum(this.#size, this.#atom);
    this.#size = group.before;
    // An empty group is an instruction too.
    this.#atom = sum(inside, { plain: group.isCapture ? 3 : 1, repeated: 0 });
  }

  #class(): void {
    this.#at++;
    if (this.#text[this.#at] === '^') this.#at++;
    let items = 0;
    let unicodeClasses = 0;
    for (let isFirst = true; this.#at < this.#text.length; isFirst = false) {
      if (this.#text[this.#at] === ']' && !isFirst) break;
      items++;
      if (this.#namedClass()) continue;
      if (this.#unicodeClass()) {
        unicodeClasses++;
        continue;
      }
      const low = this.#classCharacter();
      if (this.#text[this.#at] !== '-' || this.#text[this.#at + 1] === ']') continue;
      this.#at++;
      const high = this.#classCharacter();
      if (this.#isFolded && !(isAscii(low) && isAscii(high))) this.#once += foldedRangeCost;
    }
    this.#at++;
    this.#once += unicodeClassCost * unicodeClasses;
    this.#push(1 + Math.floor(items / itemsPerInstruction) + unicodeClassSize * unicodeClasses);
  }

  #namedClass(): boolean {
    if (!this.#text.startsWith('[:', this.#at)) return false;
    if (this.#skipPast(':]')) return true;
    this.#once += unendedCost;
    return false;
  }

  #unicodeClass(): boolean {
    const taken = this.#take(unicodeClass);
    if (taken?.endsWith('{') === true) this.#skipPast('}');
    return taken !== undefined;
  }

  /** Searches for each end marker once, so that an expression without it is read just as fast. */
  #skipPast(end: string): boolean {
    const last = this.#lastEnds.get(end) ?? this.#text.lastIndexOf(end);
    this.#lastEnds.set(end, last);
    if (last < this.#at) return false;
    this.#at = this.#text.indexOf(end, this.#at) + end.length;
    return true;
  }

  #classCharacter(): string {
    const taken = this.#take(escaped);
    if (taken !== undefined) return taken;
    // A trailing backslash escapes nothing but must be consumed like any other character.
    const character = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
    this.#at += character.length;
    return character;
  }

  #escape(): void {
    if (this.#text.startsWith('\\Q', this.#at)) {
      const end = this.#text.indexOf('\\E', this.#at + 2);
      const literal = this.#text.slice(this.#at + 2, end < 0 ? undefined : end);
      this.#at = end < 0 ? this.#text.length : end + 2;
      for (let count = 0; count < literal.length; count++) this.#push(1);
    } else if (this.#unicodeClass()) {
      this.#once += unicodeClassCost;
      this.#push(1 + unicodeClassSize);
    } else {
      if (this.#take(escaped) === undefined) this.#at++;
      this.#push(1);
    }
  }

  #counted(): void {
    repetition.lastIndex = this.#at;
    const match = repetition.exec(this.#text);
    if (match === null) {
      this.#at++;
      this.#push(1);
      return;
    }
    this.#at = repetition.lastIndex;
    const [, least, comma, most] = match;
    const count = Math.max(1, Number(least), Number(most ?? 0));
    // A count of exactly one is no repetition; every other copy may be optional.
    if (count > 1 || comma !== undefined) this.#repeat(count, comma === undefined ? 0 : 1);
  }

  /** Copies the last atom `count` times, each with `more` additional instructions. */
  #repeat(count: number, more: number): void {
    if (this.#text[this.#at] === '?') this.#at++;
    const { plain, repeated } = this.#atom;
    this.#atom = { plain: 0, repeated: count * (plain + repeated + more) + 1 };
  }

  #push(size: number): void {
    this.#size = sum(this.#size, this.#atom);
    this.#atom = { plain: size, repeated: 0 };
  }

  #take(token: RegExp): string | undefined {
    token.lastIndex = this.#at;
    const taken = token.exec(this.#text)?.[0];
    if (taken !== undefined) this.#at += taken.length;
    return taken;
  }
}

function sum(a: Size, b: Size): Size {
  return { plain: a.plain + b.plain, repeated: a.repeated + b.repeated };
}

function isAscii(character: string): boolean {
  return character[0] === '\\' ? !character.startsWith('\\x{') : character <= '\u007f';
}
