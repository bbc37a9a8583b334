import { apiLimits } from '@weir/api/limits';
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { ConfigurationProblem } from './configuration-problem.ts';
import type { TextPlace, YamlEntry, YamlList, YamlMapping, YamlScalar, YamlValue } from './yaml-value.ts';

type YamlReading =
  | { readonly value: YamlValue }
  | { readonly problems: readonly [ConfigurationProblem, ...ConfigurationProblem[]] };

const beginning: TextPlace = { line: 1, column: 1 };

/**
 * Parses untrusted YAML 1.2 in bounded time: tokens are counted before parsing, duplicate keys are detected here
 * because the parser compares each with each, and an alias counts as all that it stands for. Parser warnings, such as
 * an unknown tag, are problems too.
 */
export function readYaml(text: string): YamlReading {
  const refused = tooLarge(text);
  if (refused !== undefined) return { problems: [{ place: beginning, message: refused }] };
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.2',
    lineCounter: lines,
    intAsBigInt: true,
    uniqueKeys: false,
    prettyErrors: false,
    // With `silent` a second document would be overlooked.
    logLevel: 'error',
  });
  const placeAt = (offset: number): TextPlace => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const [first, ...others] = [...document.errors, ...document.warnings].map(({ code, pos, message }) => ({
    place: placeAt(pos[0]),
    message: code === 'RESOURCE_EXHAUSTION' ? tooDeep : oneLine(message),
  }));
  if (first !== undefined) return { problems: [first, ...others] };
  try {
    return { value: new Conversion(text, placeAt).valueOf(document.contents, beginning, 1) };
  } catch (error) {
    if (error instanceof Unreadable) return { problems: [{ place: error.place, message: error.message }] };
    throw error;
  }
}

const tooDeep = `is nested more than ${apiLimits.pipelineYamlDepthMax} levels deep`;

function tooLarge(text: string): string | undefined {
  if (Buffer.byteLength(text) > apiLimits.pipelineConfigurationBytesMax)
    return `has more than ${apiLimits.pipelineConfigurationBytesMax} bytes`;
  let tokenCount = 0;
  for (const _ of new Lexer().lex(text)) {
    if (++tokenCount > apiLimits.pipelineYamlTokensMax)
      return `has more than ${apiLimits.pipelineYamlTokensMax} words and signs`;
  }
  return undefined;
}

class Unreadable extends Error {
  readonly place: TextPlace;

  constructor(place: TextPlace, message: string) {
    super(message);
    this.place = place;
  }
}

/** Converts parser nodes to values with positions. */
class Conversion {
  readonly #text: string;
  readonly #placeAt: (offset: number) => TextPlace;
  /** The values of anchors so far; `undefined` while the value is incomplete. */
  readonly #anchored = new Map<string, YamlValue | undefined>();
  #aliasCount = 0;

  constructor(text: string, placeAt: (offset: number) => TextPlace) {
    this.#text = text;
    this.#placeAt = placeAt;
  }

  valueOf(node: Node | null, otherwise: TextPlace, depth: number): YamlValue {
    const place = this.#placeOf(node, otherwise);
    if (depth > apiLimits.pipelineYamlDepthMax) throw new Unreadable(place, tooDeep);
    if (isAlias(node)) return this.#aliased(node.source, place, depth);
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
    if (anchor !== undefined) this.#anchored.set(anchor, undefined);
    const value = this.#plain(node, place, depth);
    if (value.size > apiLimits.pipelineYamlValuesMax)
      throw new Unreadable(place, `stands for more than ${apiLimits.pipelineYamlValuesMax} values`);
    if (anchor !== undefined) this.#anchored.set(anchor, value);
    return value;
  }

  #plain(node: Node | null, place: TextPlace, depth: number): YamlValue {
    if (isMap(node)) return this.#mapping(node, place, depth);
    if (isSeq(node)) return this.#list(node, place, depth);
    const value = isScalar(node) ? (node.value as YamlScalar['value']) : null;
    const indent = isScalar(node) && node.type === 'BLOCK_LITERAL' ? this.#indentOf(node) : undefined;
    return {
      kind: 'scalar',
      value: shortest(value),
      place,
      ...(indent !== undefined && { indent }),
      size: 1,
      height: 1,
    };
  }

  /** How far the lines of a literal block are indented: as its first line that has text. */
  #indentOf(node: Node): number | undefined {
    const [start, end] = node.range ?? [0, 0];
    const lines = this.#text.slice(start, end).split('\n').slice(1);
    const first = lines.find((line) => line.trim() !== '');
    return first === undefined ? undefined : first.length - first.trimStart().length;
  }

  #list({ items: nodes }: YAMLSeq, place: TextPlace, depth: number): YamlList {
    const items = nodes.map((node) => this.valueOf(node as Node | null, place, depth + 1));
    return { kind: 'list', items, place, ...extentOf(items) };
  }

  #mapping({ items: pairs }: YAMLMap, place: TextPlace, depth: number): YamlMapping {
    const keys = new Set<string>();
    const entries = pairs.map((pair): YamlEntry => {
      const { key, place: keyPlace } = this.#key(pair, place);
      if (keys.has(key)) throw new Unreadable(keyPlace, `${shownKey(key)} is defined twice`);
      keys.add(key);
      return { key, place: keyPlace, value: this.valueOf(pair.value as Node | null, keyPlace, depth + 1) };
    });
    return { kind: 'mapping', entries, place, ...extentOf(entries.map(({ value }) => value)) };
  }

  #key({ key: node }: Pair, otherwise: TextPlace): { readonly key: string; readonly place: TextPlace } {
    const place = this.#placeOf(node as Node | null, otherwise);
    if (!isScalar(node)) throw new Unreadable(place, 'a key has to be a plain text');
    const key = String(node.value);
    if (key === '<<')
      throw new Unreadable(
        place,
        'fields cannot be merged with <<; write them out, or give a field an alias',
      );
    return { key, place };
  }

  #aliased(name: string, place: TextPlace, depth: number): YamlValue {
    if (++this.#aliasCount > apiLimits.pipelineYamlAliasesMax)
      throw new Unreadable(place, `there are more than ${apiLimits.pipelineYamlAliasesMax} aliases`);
    const value = this.#anchored.get(name);
    if (value === undefined)
      throw new Unreadable(
        place,
        this.#anchored.has(name) ? 'an alias is within what it stands for' : 'an alias stands for nothing',
      );
    if (depth + value.height - 1 > apiLimits.pipelineYamlDepthMax) throw new Unreadable(place, tooDeep);
    return value;
  }

  #placeOf(node: Node | null, otherwise: TextPlace): TextPlace {
    const offset = node?.range?.[0];
    return offset === undefined ? otherwise : this.#placeAt(offset);
  }
}

/** Nested sums may grow very large but stay numbers. */
function extentOf(values: readonly YamlValue[]): { readonly size: number; readonly height: number } {
  let [size, height] = [1, 1];
  for (const value of values) {
    size += value.size;
    height = Math.max(height, value.height + 1);
  }
  return { size, height };
}

/** Integers are parsed as bigints, so that none loses digits; most are exact as numbers. */
function shortest(value: YamlScalar['value']): YamlScalar['value'] {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Formats a key for a message. */
export function shownKey(key: string): string {
  return JSON.stringify(key.slice(0, 64));
}

function oneLine(message: string): string {
  return message.replaceAll(/\s+/g, ' ').trim();
}
