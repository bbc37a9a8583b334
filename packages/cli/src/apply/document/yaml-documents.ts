import type { ValuePath } from '@weir/api';
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  type YAMLError,
} from 'yaml';
import type { DocumentProblem, Place } from './problem.ts';

/** One document of a file as plain values, with their positions. */
export interface YamlDocument {
  readonly value: unknown;
  /** The position of a value; for a missing value, the position where it belongs. */
  placeOf(path: ValuePath): Place;
  /** The position of a field name. */
  placeOfKey(path: ValuePath): Place;
  /** The position in the file of a position in a text value, if the file has the text line by line. */
  placeInText(path: ValuePath, at: { readonly line: number; readonly column: number }): Place | undefined;
  valueAt(path: ValuePath): unknown;
}

interface YamlFile {
  readonly documents: readonly YamlDocument[];
  readonly problems: readonly DocumentProblem[];
}

/** More aliases would only let a small file expand to a large one. */
const aliasesMax = 100;

/** Reads YAML 1.2. A warning of the parser, such as for an unknown tag, is a problem too. */
export function readYaml(fileName: string, text: string): YamlFile {
  const lines = new LineCounter();
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return `${fileName}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  const inFile: InFile = {
    placeAt,
    placeBelow: (offset, linesBelow, column) =>
      `${fileName}:${lines.linePos(offset).line + linesBelow}:${column}`,
    lineBelow: (offset, linesBelow) => text.split('\n')[lines.linePos(offset).line - 1 + linesBelow] ?? '',
  };
  let parsed: Document.Parsed[];
  try {
    parsed = [
      ...parseAllDocuments(text, {
        version: '1.2',
        lineCounter: lines,
        intAsBigInt: true,
        prettyErrors: false,
        logLevel: 'silent',
      }),
    ];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { documents: [], problems: [{ place: `${fileName}:1:1`, message: 'is nested too deeply' }] };
  }
  const problems: DocumentProblem[] = [];
  const documents: YamlDocument[] = [];
  for (const document of parsed) {
    const doubts: readonly YAMLError[] = [...document.errors, ...document.warnings];
    for (const { pos, message } of doubts)
      problems.push({ place: placeAt(pos[0]), message: oneLine(message) });
    if (doubts.length > 0) continue;
    const read = plainValueOf(document);
    if ('problem' in read) problems.push({ place: placeAt(document.range[0]), message: read.problem });
    // A file may begin or end with a separator.
    else if (read.value !== null) documents.push(located(document, read.value, inFile));
  }
  return { documents, problems };
}

function plainValueOf(document: Document.Parsed): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: withPlainIntegers(document.toJS({ maxAliasCount: aliasesMax })) };
  } catch (error) {
    if (error instanceof ReferenceError) return { problem: oneLine(error.message) };
    if (error instanceof RangeError) return { problem: 'is nested too deeply' };
    throw error;
  }
}

/** The parser reads integers as bigints, so that none loses digits; those that fit become numbers. */
function withPlainIntegers(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (Array.isArray(value)) return value.map(withPlainIntegers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withPlainIntegers(item)]));
}

/** Position lookups in the text of a file. */
interface InFile {
  placeAt(offset: number): Place;
  /** The position of a column, this many lines below an offset. */
  placeBelow(offset: number, linesBelow: number, column: number): Place;
  lineBelow(offset: number, linesBelow: number): string;
}

function located(document: Document.Parsed, value: unknown, inFile: InFile): YamlDocument {
  const { placeAt } = inFile;
  const walk = (path: ValuePath) => {
    let node: Node | null = document.contents;
    let key: Node | null = null;
    for (const segment of path) {
      const next: Spot | undefined = step(resolved(node, document), segment);
      if (next === undefined) break;
      ({ key, node } = next);
    }
    return { key, node };
  };
  const start = (node: Node | null) => placeAt(node?.range?.[0] ?? document.range[0]);
  return {
    value,
    placeOf: (path) => {
      const { key, node } = walk(path);
      return start(node ?? key);
    },
    placeOfKey: (path) => {
      const { key, node } = walk(path);
      return start(key ?? node);
    },
    placeInText: (path, { line, column }) => {
      const { node } = walk(path);
      if (!isScalar(node) || node.type !== 'BLOCK_LITERAL' || node.range == null) return undefined;
      const [begin] = node.range;
      const content = String(node.value).split('\n');
      const first = content.findIndex((one) => one.trim() !== '');
      if (first === -1) return undefined;
      const indent = blanksOf(inFile.lineBelow(begin, 1 + first)) - blanksOf(content[first]!);
      return inFile.placeBelow(begin, line, indent + column);
    },
    valueAt: (path) => valueAt(value, path),
  };
}

function blanksOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** The value at a path, or `undefined`. */
function valueAt(value: unknown, path: ValuePath): unknown {
  let found = value;
  for (const segment of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, segment)) return undefined;
    found = (found as Record<string | number, unknown>)[segment];
  }
  return found;
}

interface Spot {
  readonly key: Node | null;
  readonly node: Node | null;
}

function step(node: Node | null, segment: string | number): Spot | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(segment)];
    return item === undefined ? undefined : { key: null, node: item as Node };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(segment));
  return pair === undefined ? undefined : { key: pair.key as Node, node: pair.value as Node | null };
}

function resolved(node: Node | null, document: Document.Parsed): Node | null {
  return isAlias(node) ? (node.resolve(document) ?? null) : node;
}

function oneLine(message: string): string {
  return message.replaceAll(/\s+/g, ' ').trim();
}
