import type { LineProperties } from '../../values/console-properties.ts';

/** A line as a record. */
export interface LineRecord {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly { readonly key: string; readonly value: Buffer | null }[];
}

type Reading = { readonly record: LineRecord } | { readonly problem: string };

/** Reads a line as Kafka's console producer does: the value, after headers and a key if the properties say so. */
export function lineReader(properties: LineProperties): (line: Buffer) => Reading {
  const marker = properties['null.marker'] === '' ? undefined : Buffer.from(properties['null.marker']);
  const orNull = (bytes: Buffer) => (marker?.equals(bytes) === true ? null : bytes);
  const isLenient = properties['ignore.error'];

  return (line) => {
    let rest = line;
    let headers: LineRecord['headers'] = [];
    let key: Buffer | null = null;
    if (properties['parse.headers']) {
      const split = splitAt(rest, properties['headers.delimiter']);
      const read = split === undefined ? undefined : readHeaders(split.before, properties, orNull);
      if (split !== undefined && read !== undefined) {
        headers = read;
        rest = split.after;
      } else if (!isLenient) {
        return { problem: `has no headers before ${shown(properties['headers.delimiter'])}` };
      }
    }
    if (properties['parse.key']) {
      const split = splitAt(rest, properties['key.separator']);
      if (split !== undefined) {
        key = orNull(split.before);
        rest = split.after;
      } else if (!isLenient) {
        return { problem: `has no key before ${shown(properties['key.separator'])}` };
      }
    }
    return { record: { key, value: orNull(rest), headers } };
  };
}

function splitAt(
  bytes: Buffer,
  separator: string,
): { readonly before: Buffer; readonly after: Buffer } | undefined {
  const mark = Buffer.from(separator);
  const at = bytes.indexOf(mark);
  return at < 0 ? undefined : { before: bytes.subarray(0, at), after: bytes.subarray(at + mark.length) };
}

/** `undefined` if a header has no value. No headers at all are an empty text, or the marker of null. */
function readHeaders(
  bytes: Buffer,
  properties: LineProperties,
  orNull: (bytes: Buffer) => Buffer | null,
): LineRecord['headers'] | undefined {
  if (bytes.length === 0 || orNull(bytes) === null) return [];
  const headers: { key: string; value: Buffer | null }[] = [];
  let rest: Buffer | undefined = bytes;
  while (rest !== undefined) {
    const next: ReturnType<typeof splitAt> = splitAt(rest, properties['headers.separator']);
    const pair = splitAt(next?.before ?? rest, properties['headers.key.separator']);
    if (pair === undefined) return undefined;
    headers.push({ key: pair.before.toString(), value: orNull(pair.after) });
    rest = next?.after;
  }
  return headers;
}

/** A separator may be a blank or a tab. */
function shown(separator: string): string {
  return JSON.stringify(separator);
}
