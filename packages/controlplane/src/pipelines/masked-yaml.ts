import { ApiError } from '@weir/api';
import { isAlias, isMap, isScalar, isSeq, Lexer, type Node, parseDocument } from 'yaml';
import { mask, maskedText, maskedValue } from './mask-secrets.ts';
import { addressKey } from './tenant-references.ts';

/** A plain value in a YAML text. */
interface PlacedScalar {
  /** The keys of the mappings around it. */
  readonly keys: readonly string[];
  /** The same in two texts if it is in the same place, and within a list if nothing but secrets differs in its item. */
  readonly spot: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Whether an alias below the key of a secret stands for it. */
  readonly isSecretElsewhere: boolean;
}

/** Returns a configuration with every secret in it masked, and otherwise as it was written. */
export function maskedYaml(yaml: string): string {
  const changes = scalarsIn(yaml).flatMap((scalar) => {
    const masked = maskedScalar(scalar);
    return masked === scalar.text ? [] : [{ ...scalar, text: JSON.stringify(masked) }];
  });
  return withMaskedComments(replaced(yaml, changes));
}

/**
 * Returns a configuration with the secrets that it shows masked, as a caller reads them, taken from the stored one. A
 * secret is not taken if the configuration names an address that the stored one does not: a caller that may not read a
 * secret could have it sent to a place of its own. Throws an `ApiError` for a mask that stands for nothing.
 */
export function withStoredSecrets(yaml: string, stored: string | undefined): string {
  const before = stored === undefined ? [] : scalarsIn(stored);
  const bySpot = new Map(before.map((scalar) => [scalar.spot, scalar]));
  const scalars = scalarsIn(yaml);
  const changes: { readonly start: number; readonly end: number; readonly text: string }[] = [];
  for (const scalar of scalars) {
    const kept = bySpot.get(scalar.spot);
    const isMeant = kept !== undefined && kept.text !== scalar.text && scalar.text === maskedScalar(kept);
    if (isMeant) changes.push({ ...scalar, text: JSON.stringify(kept.text) });
    else if (scalar.text === mask && kept?.text !== mask && maskedValue(scalar.keys, 'x') === mask)
      throw refused(`${scalar.keys.join('.')}: is ${mask}, but no secret is stored for it; enter the secret`);
  }
  if (changes.length === 0) return yaml;
  // An address that is shown as a mask is the stored one. Another one is compared without its password.
  const known = new Set([mask, ...before.filter(isAddress).map(({ text }) => maskedText(text))]);
  const moved = scalars.find((scalar) => isAddress(scalar) && !known.has(maskedText(scalar.text)));
  if (moved !== undefined)
    throw refused(`${moved.keys.join('.')}: the address changed; enter the secrets shown as ${mask} again`);
  return replaced(yaml, changes);
}

function refused(message: string): ApiError {
  return new ApiError('invalid_pipeline_configuration', message);
}

function maskedScalar({ keys, text, isSecretElsewhere }: PlacedScalar): string {
  return isSecretElsewhere ? mask : maskedValue(keys, text);
}

function isAddress({ keys, text }: PlacedScalar): boolean {
  const key = keys.at(-1) ?? '';
  return text.includes('://') || key === 'dsn' || addressKey.test(key);
}

/** Values that stand for none are left out. A text that is no YAML has none: it is refused elsewhere. */
function scalarsIn(yaml: string): PlacedScalar[] {
  const document = parseDocument(yaml, {
    version: '1.2',
    intAsBigInt: true,
    uniqueKeys: false,
    logLevel: 'silent',
  });
  if (document.errors.length > 0) return [];
  const secretAnchors = new Set<string>();
  noteSecretAliases(document.contents, [], secretAnchors);
  const found: PlacedScalar[] = [];
  collect(document.contents, [], '', false);
  return found;

  function collect(node: unknown, keys: readonly string[], spot: string, isSecret: boolean): void {
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
    const isSecretElsewhere = isSecret || (anchor !== undefined && secretAnchors.has(anchor));
    if (isMap(node)) {
      for (const { key, value } of node.items) {
        const name = String(isScalar(key) ? key.value : '');
        collect(value, [...keys, name], `${spot}/${JSON.stringify(name)}`, isSecretElsewhere);
      }
    } else if (isSeq(node)) {
      // Items that are alike but for their secrets differ by their order.
      const alike = new Map<string, number>();
      for (const item of node.items) {
        const masked = maskedItem(item as Node, keys);
        const nth = alike.get(masked) ?? 0;
        alike.set(masked, nth + 1);
        collect(item, keys, `${spot}/[${masked}]${nth}`, isSecretElsewhere);
      }
    } else if (isScalar(node) && node.value !== null && node.range) {
      const [start, end] = node.range;
      found.push({ keys, spot, text: String(node.value), start, end, isSecretElsewhere });
    }
  }
}

function noteSecretAliases(node: unknown, keys: readonly string[], found: Set<string>): void {
  if (isMap(node)) {
    for (const { key, value } of node.items)
      noteSecretAliases(value, [...keys, String(isScalar(key) ? key.value : '')], found);
  } else if (isSeq(node)) {
    for (const item of node.items) noteSecretAliases(item, keys, found);
  } else if (isAlias(node) && maskedValue(keys, 'x') === mask) found.add(node.source);
}

/** An item of a list without its secrets: items move, and a secret must not go from one to another. */
function maskedItem(node: unknown, keys: readonly string[]): string {
  if (isMap(node))
    return `{${node.items
      .map(({ key, value }) => {
        const name = String(isScalar(key) ? key.value : '');
        return `${JSON.stringify(name)}:${maskedItem(value, [...keys, name])}`;
      })
      .join()}}`;
  if (isSeq(node)) return `[${node.items.map((item) => maskedItem(item, keys)).join()}]`;
  if (isAlias(node)) return `*${node.source}`;
  return JSON.stringify(isScalar(node) ? maskedValue(keys, String(node.value)) : null);
}

function replaced(
  yaml: string,
  changes: readonly { readonly start: number; readonly end: number; readonly text: string }[],
): string {
  let at = 0;
  const pieces: string[] = [];
  for (const { start, end, text } of changes.toSorted((a, b) => a.start - b.start)) {
    // The end of a text in several lines is the end of its last line.
    const isBlock = yaml[end - 1] === '\n';
    pieces.push(yaml.slice(at, start), text, isBlock ? '\n' : '');
    at = end;
  }
  return pieces.join('') + yaml.slice(at);
}

/** The lexer marks what follows as a text by this. */
const textMark = '\x1f';
const marks = new Set(['\x02', '\x18', textMark]);

/** Settings that are commented out have secrets, too. */
function withMaskedComments(yaml: string): string {
  const pieces: string[] = [];
  let isText = false;
  for (const token of new Lexer().lex(yaml)) {
    if (!marks.has(token)) pieces.push(token.startsWith('#') && !isText ? maskedText(token) : token);
    isText = token === textMark;
  }
  return pieces.join('');
}
