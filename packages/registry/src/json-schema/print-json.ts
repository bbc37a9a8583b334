import { isArray, isObject, type JsonNode, JsonNumber } from '../exact-json.ts';
import { type Decimal, decimalOf } from './decimal.ts';

/** Compact JSON, as Jackson prints a tree with exact numbers. With `sorted`, keys are in the order of UTF-16. */
export function printJson(tree: JsonNode, { sorted = false }: { readonly sorted?: boolean } = {}): string {
  const parts: string[] = [];
  print(tree);
  return parts.join('');

  function print(value: JsonNode): void {
    if (isObject(value)) printObject(value);
    else if (isArray(value)) printArray(value);
    else if (value instanceof JsonNumber) parts.push(printNumber(value));
    else parts.push(typeof value === 'string' ? printString(value) : String(value));
  }

  function printObject(object: ReadonlyMap<string, JsonNode>): void {
    const keys = sorted ? [...object.keys()].sort(byCodeUnits) : object.keys();
    let separator = '{';
    for (const key of keys) {
      parts.push(separator, printString(key), ':');
      print(object.get(key)!);
      separator = ',';
    }
    parts.push(object.size === 0 ? '{}' : '}');
  }

  function printArray(items: readonly JsonNode[]): void {
    let separator = '[';
    for (const item of items) {
      parts.push(separator);
      print(item);
      separator = ',';
    }
    parts.push(items.length === 0 ? '[]' : ']');
  }
}

function byCodeUnits(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** JSON.stringify writes the codes of control characters in lower case, Jackson in upper case. */
function printString(text: string): string {
  return JSON.stringify(text).replaceAll(/\\(?:u([0-9a-f]{4})|[^u])/g, (found, code: string | undefined) =>
    code === undefined ? found : `\\u${code.toUpperCase()}`,
  );
}

/** Integers lose a sign before zero; other numbers are written as `BigDecimal.toString` does, with all their digits. */
function printNumber({ text }: JsonNumber): string {
  if (/^-?\d+$/.test(text)) return text === '-0' ? '0' : text;
  const { negative, digits, scale } = unscaled(text);
  const sign = negative ? '-' : '';
  const adjusted = digits.length - 1 - scale;
  if (scale >= 0 && adjusted >= -6) {
    if (scale === 0) return sign + digits;
    const padded = digits.padStart(scale + 1, '0');
    return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
  }
  const mantissa = digits.length === 1 ? digits : `${digits[0]}.${digits.slice(1)}`;
  return `${sign}${mantissa}E${adjusted >= 0 ? '+' : ''}${adjusted}`;
}

/** The digits of a number without leading zeros, and how many of them are decimals. */
function unscaled(text: string): { negative: boolean; digits: string; scale: number } {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(
    text,
  )!;
  const digits = (whole! + fraction).replace(/^0+(?=\d)/, '');
  return { negative: sign === '-' && digits !== '0', digits, scale: fraction.length - Number(exponent) };
}

/** Equal keys for equal values: numbers by value, objects without regard to order. */
export class TreeKeys {
  readonly #ids = new Map<string, number>();
  readonly #known = new Map<JsonNode, number>();

  /** Returns the same number for two trees that are equal as JSON. Linear, since the numbers of children are kept. */
  keyOf(tree: JsonNode): number {
    const isCompound = isObject(tree) || isArray(tree);
    const known = isCompound ? this.#known.get(tree) : undefined;
    if (known !== undefined) return known;
    const description = this.#describe(tree);
    let id = this.#ids.get(description);
    if (id === undefined) {
      id = this.#ids.size;
      this.#ids.set(description, id);
    }
    if (isCompound) this.#known.set(tree, id);
    return id;
  }

  #describe(tree: JsonNode): string {
    if (isObject(tree)) {
      const keys = [...tree.keys()].sort(byCodeUnits);
      return `{${keys.map((key) => `${JSON.stringify(key)}:${this.keyOf(tree.get(key)!)}`).join()}}`;
    }
    if (isArray(tree)) return `[${tree.map((item) => this.keyOf(item)).join()}]`;
    if (tree instanceof JsonNumber) return `#${decimalKey(decimalOf(tree.text))}`;
    return typeof tree === 'string' ? JSON.stringify(tree) : String(tree);
  }
}

function decimalKey({ coefficient, exponent }: Decimal): string {
  return `${coefficient}e${exponent}`;
}
