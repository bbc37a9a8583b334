import { Bytes, type Mapping, type MappingPorts, textOf } from '@weir/bloblang';
import type { Batch } from './message.ts';

/** A text with queries, as `orders-${! json("region") }`: evaluated for each message. */
export class Interpolated {
  readonly #parts: readonly (string | Mapping)[];

  constructor(parts: readonly (string | Mapping)[]) {
    this.#parts = parts;
  }

  /** The text if it is the same for every message. */
  get fixed(): string | undefined {
    if (this.#parts.length === 0) return '';
    const [only] = this.#parts;
    return this.#parts.length === 1 && typeof only === 'string' ? only : undefined;
  }

  /** The text for a message of a batch. Throws if a query fails. */
  text(batch: Batch, index: number, ports: MappingPorts): string {
    const { fixed } = this;
    if (fixed !== undefined) return fixed;
    let text = '';
    for (const part of this.#parts)
      text += typeof part === 'string' ? part : evaluated(part, batch, index, ports);
    return text;
  }

  /** The same as bytes, where one query may return some that are no text; `undefined` if it returns null. */
  bytes(batch: Batch, index: number, ports: MappingPorts): Buffer | undefined {
    const [only] = this.#parts;
    if (this.#parts.length === 1 && only !== undefined && typeof only !== 'string') {
      const result = only.apply(batch[index] ?? {}, { batch, index }, ports);
      if (result.kind === 'value' && result.value instanceof Bytes) return result.value.buffer;
      return result.kind === 'value' && result.value !== null ? Buffer.from(textOf(result.value)) : undefined;
    }
    return Buffer.from(this.text(batch, index, ports));
  }
}

function evaluated(query: Mapping, batch: Batch, index: number, ports: MappingPorts): string {
  const result = query.apply(batch[index] ?? {}, { batch, index }, ports);
  return result.kind === 'value' ? textOf(result.value) : 'null';
}

/** Parses a text with queries; `undefined` if a query cannot be compiled, which `compile` has noted. */
export function parseInterpolated(
  text: string,
  compile: (query: string) => Mapping | undefined,
): Interpolated | undefined {
  const parts: (string | Mapping)[] = [];
  let literal = '';
  let at = 0;
  while (at < text.length) {
    const start = text.indexOf('${', at);
    if (start < 0) break;
    literal += text.slice(at, start);
    if (text.startsWith('${{!', start)) {
      const end = text.indexOf('}}', start);
      if (end < 0) break;
      literal += `\${${text.slice(start + 3, end)}}`;
      at = end + 2;
    } else if (text.startsWith('${!', start)) {
      const end = endOfQuery(text, start + 3);
      if (end === undefined) break;
      const query = compile(text.slice(start + 3, end).trim());
      if (query === undefined) return undefined;
      if (literal !== '') parts.push(literal);
      literal = '';
      parts.push(query);
      at = end + 1;
    } else {
      literal += '${';
      at = start + 2;
    }
  }
  literal += text.slice(at);
  if (literal !== '') parts.push(literal);
  return new Interpolated(parts);
}

/** Where the brace is that ends a query: one that is in no string, and that no brace within opened. */
function endOfQuery(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') {
      const isRaw = text.startsWith('"""', at);
      const end = isRaw ? text.indexOf('"""', at + 3) : endOfString(text, at + 1);
      if (end < 0) return undefined;
      at = isRaw ? end + 2 : end;
    } else if (sign === '{') depth++;
    else if (sign === '}' && depth-- === 0) return at;
  }
  return undefined;
}

function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return -1;
}
