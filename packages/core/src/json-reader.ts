import { closing, hopInString, hopSteps, type JsonBounds, kinds, opening, quoting } from './json-bounds.ts';

/** A list or object that is read in several groups of its items or members. */
interface OpenValue {
  readonly value: unknown[] | Record<string, unknown>;
  readonly isList: boolean;
  /** Where the text begins that is not parsed yet. */
  from: number;
  /** The last comma of its own behind that; -1 if there is none. */
  comma: number;
  /** All commas of its own. */
  commas: number;
  /** The name of the member that is open, if it is an object. */
  name: string;
  /** Whether an open value was its last one, behind which only a comma or the end can be. */
  isBehindValue: boolean;
  /** Whether it has items, or a comma. */
  isBegun: boolean;
}

/** A list or object that has begun since the last group was parsed. */
interface Begun {
  readonly at: number;
  readonly isList: boolean;
  /** The last comma of its own; -1 if there is none. */
  comma: number;
  commas: number;
}

interface JsonReaderBounds extends JsonBounds {
  /** The names of one object; one that is given twice counts twice. */
  readonly namesMax?: number;
}

interface JsonReaderOptions {
  readonly bounds: JsonReaderBounds;
  /** Parses a part of the text that is JSON by itself. */
  readonly parse?: (text: string) => unknown;
}

const bracketOpen = 0x5b;
const bracketClose = 0x5d;
const blank = /^[\t\n\r ]*$/;
/** Steps of a `JsonReader` that take some milliseconds, whatever the text. */
export const jsonStepsPerTurn = 64 * 1024;
/** Characters of a string that take as long as one step. */
const stringCharsPerStep = 64;

/**
 * Parses JSON in parts, with other work in between. The parser of the runtime cannot be interrupted, and takes a
 * microsecond and more for each name that it has not seen, or has seen in another order: some hundred milliseconds for
 * a body of some MiB. So it parses groups of items and members, which are put together here. The result is that of
 * `JSON.parse`, and so is what it refuses.
 */
export class JsonReader {
  readonly #text: string;
  readonly #bounds: JsonReaderBounds;
  readonly #namesMax: number;
  readonly #parse: (text: string) => unknown;
  /** From the outermost to the innermost; the first one is a list around the text. */
  readonly #open: OpenValue[] = [openValue(true, 0)];
  #begun: Begun[] = [];
  #at = 0;
  #values = 1;
  /** Where the string begins that the search is in. */
  #stringFrom: number | undefined;
  #isDone = false;
  #value: unknown;
  /** The bound that the text exceeds. If so, it has no value. */
  broken: keyof JsonReaderBounds | undefined;

  constructor(text: string, { bounds, parse = JSON.parse }: JsonReaderOptions) {
    this.#text = text;
    this.#bounds = bounds;
    this.#namesMax = bounds.namesMax ?? Number.POSITIVE_INFINITY;
    this.#parse = parse;
  }

  /** What the text is, once it is read. */
  get value(): unknown {
    return this.#value;
  }

  /**
   * Reads on for about so many characters outside of strings; a string counts as few. Returns whether it is done.
   * Throws a `SyntaxError` for what is no JSON.
   */
  advance(steps = Number.POSITIVE_INFINITY): boolean {
    if (this.#isDone) return true;
    const text = this.#text;
    let left = steps;
    while (this.#at < text.length) {
      if (left <= 0) {
        this.#parseWhatIsWhole();
        return false;
      }
      if (this.#stringFrom !== undefined) {
        const { to, isOver } = hopInString(text, this.#stringFrom, this.#at);
        left -= hopSteps + (to - this.#at) / stringCharsPerStep;
        if (isOver) this.#stringFrom = undefined;
        this.#at = to;
        continue;
      }
      left -= this.#readOutside(Math.min(text.length, this.#at + left));
      if (this.broken !== undefined) {
        this.#isDone = true;
        return true;
      }
    }
    this.#finish();
    return true;
  }

  /** Reads until a string begins, or up to `end`. Returns how many characters it has read. */
  #readOutside(end: number): number {
    const text = this.#text;
    const from = this.#at;
    let at = from;
    while (at < end) {
      const code = text.charCodeAt(at++);
      const kind = code > 127 ? 0 : kinds[code]!;
      if (kind === 0) continue;
      if (kind === quoting) {
        this.#stringFrom = at;
        break;
      }
      if (kind === opening) {
        this.#values++;
        this.#begun.push({ at: at - 1, isList: code === bracketOpen, comma: -1, commas: 0 });
        if (this.#open.length - 1 + this.#begun.length > this.#bounds.depthMax) this.broken = 'depthMax';
      } else if (kind === closing) {
        if (this.#begun.length > 0) this.#begun.pop();
        else this.#close(at - 1, code === bracketClose);
      } else {
        this.#values++;
        const begun = this.#begun.at(-1);
        if (begun === undefined) this.#separate(at - 1);
        else begun.comma = at - 1;
        const innermost = begun ?? this.#open.at(-1)!;
        if (++innermost.commas >= this.#namesMax && !innermost.isList) this.broken = 'namesMax';
      }
      if (this.#values > this.#bounds.valuesMax) this.broken ??= 'valuesMax';
      if (this.broken !== undefined) break;
    }
    this.#at = at;
    return at - from;
  }

  /** A comma between items or members of the innermost open value. */
  #separate(at: number): void {
    const innermost = this.#open.at(-1)!;
    if (this.#open.length === 1) throw invalid();
    if (innermost.isBehindValue) {
      this.#requireBlank(innermost.from, at);
      innermost.isBehindValue = false;
      innermost.from = at + 1;
    } else innermost.comma = at;
  }

  /** The end of the innermost open value. */
  #close(at: number, isList: boolean): void {
    const closed = this.#open.pop()!;
    const around = this.#open.at(-1);
    if (around === undefined || closed.isList !== isList) throw invalid();
    if (closed.isBehindValue) this.#requireBlank(closed.from, at);
    else {
      const isEmpty = !closed.isBegun && closed.comma < 0 && this.#isBlank(closed.from, at);
      if (!isEmpty) this.#add(closed, at);
    }
    put(around, around.name, closed.value);
    around.from = at + 1;
    around.comma = -1;
    around.isBehindValue = true;
  }

  /** Parses the items and members that have ended, and opens what has not. */
  #parseWhatIsWhole(): void {
    let around = this.#open.at(-1)!;
    this.#addUpToComma(around);
    for (const { at, isList, comma, commas } of this.#begun) {
      if (around.isBehindValue) throw invalid();
      around.name = this.#nameBefore(around, at);
      around.isBegun = true;
      around = openValue(isList, at + 1, comma, commas);
      this.#open.push(around);
      this.#addUpToComma(around);
    }
    this.#begun = [];
  }

  #addUpToComma(open: OpenValue): void {
    if (open.comma < 0) return;
    const { comma } = open;
    this.#add(open, comma);
    open.from = comma + 1;
    open.comma = -1;
  }

  /** Adds the items or members up to a place. */
  #add(open: OpenValue, to: number): void {
    const group = this.#text.slice(open.from, to);
    // Between commas there is something.
    if (blank.test(group)) throw invalid();
    open.isBegun = true;
    if (open.isList) {
      const items = this.#parse(`[${group}]`) as unknown[];
      for (const item of items) (open.value as unknown[]).push(item);
    } else {
      const members = this.#parse(`{${group}}`) as Record<string, unknown>;
      for (const name of Object.keys(members)) put(open, name, members[name]);
    }
  }

  /** The name of the member that begins before a place; nothing in a list. */
  #nameBefore(open: OpenValue, at: number): string {
    if (open.isList) {
      this.#requireBlank(open.from, at);
      return '';
    }
    return Object.keys(this.#parse(`{${this.#text.slice(open.from, at)} null}`) as object)[0]!;
  }

  #finish(): void {
    this.#isDone = true;
    const root = this.#open[0]!;
    if (this.#open.length > 1) throw invalid();
    if (!root.isBehindValue) {
      this.#value = this.#parse(this.#text);
      return;
    }
    this.#requireBlank(root.from, this.#text.length);
    this.#value = (root.value as unknown[])[0];
  }

  #isBlank(from: number, to: number): boolean {
    return blank.test(this.#text.slice(from, to));
  }

  #requireBlank(from: number, to: number): void {
    if (!this.#isBlank(from, to)) throw invalid();
  }
}

function openValue(isList: boolean, from: number, comma = -1, commas = 0): OpenValue {
  const value = isList ? [] : {};
  return { value, isList, from, comma, commas, name: '', isBehindValue: false, isBegun: false };
}

function put({ value, isList }: OpenValue, name: string, member: unknown): void {
  if (isList) (value as unknown[]).push(member);
  else if (name === '__proto__')
    Object.defineProperty(value, name, {
      value: member,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  else (value as Record<string, unknown>)[name] = member;
}

function invalid(): SyntaxError {
  return new SyntaxError('invalid JSON');
}
