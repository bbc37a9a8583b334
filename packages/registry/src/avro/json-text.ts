import { isArray, isObject, type JsonNode, JsonNumber, readJson } from '../exact-json.ts';

/** Digits of a number, as in the Java library. */
const numberCharsMax = 1000;

const quote = 0x22;
const backslash = 0x5c;

/**
 * Reads a JSON text as Avro's Java library does, which takes comments. Numbers get the text that Java prints: integers
 * of any length, and doubles such as `1.0E10`.
 */
export function parseJson(text: string, depthMax: number): JsonNode {
  return readJson(text, { depthMax, takesComments: true, numberCharsMax, numberOf: javaNumberOf });
}

function javaNumberOf({ text, isInteger }: JsonNumber): JsonNumber | { readonly problem: string } {
  if (isInteger) return new JsonNumber(text === '-0' ? '0' : text, true);
  const value = Number(text);
  // Java would print it as the text "Infinity", which is no number any more.
  if (!Number.isFinite(value)) return { problem: 'a number is beyond the range of a double' };
  return new JsonNumber(javaDoubleText(value), false);
}

const numberText = /^[+-]?(?:NaN|Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fFdD]?)$/;

/** A double that is written as text, as Java reads it; undefined if it is none. */
export function javaNumber(text: string): JsonNumber | undefined {
  const trimmed = text.trim();
  if (trimmed.length > numberCharsMax || !numberText.test(trimmed)) return undefined;
  return new JsonNumber(javaDoubleText(Number(trimmed.replace(/[fFdD]$/, '').replace(/^\+/, ''))), false);
}

/** The shortest text of a double, in the notation of Java. */
export function javaDoubleText(value: number): string {
  return notationOfJava(value, String(value), value.toExponential());
}

/** The shortest text of a float, in the notation of Java. */
export function javaFloatText(value: number): string {
  const float = Math.fround(value);
  if (!Number.isFinite(float)) return javaDoubleText(float);
  let digits = 1;
  while (digits < 9 && Math.fround(Number(float.toPrecision(digits))) !== float) digits += 1;
  const shortest = Number(float.toPrecision(digits));
  return notationOfJava(float, String(shortest), shortest.toExponential());
}

function notationOfJava(value: number, plain: string, exponential: string): string {
  // Java prints them as text in quotes, and so takes them as defaults.
  if (!Number.isFinite(value)) return JSON.stringify(String(value));
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e7) return plain.includes('.') ? plain : `${plain}.0`;
  const [mantissa = '', exponent = ''] = exponential.split('e');
  return `${mantissa.includes('.') ? mantissa : `${mantissa}.0`}E${exponent.replace('+', '')}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON has to escape
const escaped = /["\\\u0000-\u001f]/g;
const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** A string in quotes, with the escapes of the Java library. */
export function jsonString(text: string): string {
  return `"${text.replace(escaped, escapeOf)}"`;
}

function escapeOf(character: string): string {
  return (
    shortEscapes[character] ?? `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
  );
}

/** The compact text of a node. */
export function jsonText(node: JsonNode): string {
  const parts: string[] = [];
  writeJson(node, parts);
  return parts.join('');
}

export function writeJson(node: JsonNode, parts: string[]): void {
  if (node === null || typeof node === 'boolean') {
    parts.push(String(node));
  } else if (typeof node === 'string') {
    parts.push(jsonString(node));
  } else if (node instanceof JsonNumber) {
    parts.push(node.text);
  } else if (isArray(node)) {
    parts.push('[');
    for (const [at, item] of node.entries()) {
      if (at > 0) parts.push(',');
      writeJson(item, parts);
    }
    parts.push(']');
  } else {
    parts.push('{');
    let separator = '';
    for (const [key, value] of node) {
      parts.push(separator, jsonString(key), ':');
      writeJson(value, parts);
      separator = ',';
    }
    parts.push('}');
  }
}

/** Whether two nodes are the same for the Java library: numbers by kind and value, objects without regard to order. */
export function sameJson(a: JsonNode, b: JsonNode): boolean {
  if (a === b) return true;
  if (a instanceof JsonNumber)
    return b instanceof JsonNumber && a.isInteger === b.isInteger && a.text === b.text;
  if (isArray(a)) {
    return isArray(b) && a.length === b.length && a.every((item, at) => sameJson(item, b[at]!));
  }
  if (!isObject(a) || !isObject(b) || a.size !== b.size) return false;
  for (const [key, value] of a) {
    const other = b.get(key);
    if (other === undefined || !sameJson(value, other)) return false;
  }
  return true;
}

/** How deep a text that was printed nests. */
export function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isQuoted) {
      if (code === backslash) at += 1;
      else if (code === quote) isQuoted = false;
    } else if (code === quote) {
      isQuoted = true;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    }
  }
  return deepest;
}
