import { brokenBound, type Clock, formatBytes, utf8Text } from '@weir/core';
import { HttpProblem } from '@weir/http';
import { namedSchema, type RecordSchemas } from '@weir/registry/decoding';
import type { Access } from '@weir/security';
import type { RecordCursor } from '@weir/wire';
import { gatewayLimits } from '../limits.ts';
import type { PartFormat, RecordFormats } from './record-formats.ts';
import { headersJson } from './record-json.ts';

type Part = 'key' | 'value';
type Payloads = Parameters<typeof namedSchema>[1];

/** A key or value as text in a format. JSON and what a schema decoded is JSON as text. */
export interface FormattedPart {
  readonly format: Exclude<PartFormat, 'auto'>;
  readonly text: string;
  /** The schema that it names, once it was asked for. */
  readonly schema?: NamedSchema;
  /** Why it is base64 instead of what was asked for. */
  readonly problem?: string;
}

interface NamedSchema {
  readonly ref: number | string;
  readonly type?: string | undefined;
  readonly subjects?: readonly string[] | undefined;
}

interface FormattingDeps {
  readonly schemas: RecordSchemas | undefined;
  readonly clock: Clock;
  readonly pause: () => Promise<void>;
}

/** Time of the serving thread after which other work runs. */
const sliceMs = 5;
/** Rights on subjects that are remembered within one answer. */
const knownRightsMax = 10_000;
const noRegistry = 'this agent has no schema registry';

/** Returns nothing for records that are shown as base64. */
export async function formattedRecords(
  formats: RecordFormats,
  registryAccess: () => Access,
  deps: FormattingDeps,
): Promise<FormattedRecords | undefined> {
  const given = [formats.key, formats.value];
  if (given.every((format) => format === 'base64')) return undefined;
  if (deps.schemas === undefined && given.includes('schema'))
    throw new HttpProblem(
      422,
      'This agent has no schema registry for the format schema; start it with -externalSchemaRegistryURL.',
    );
  return await recordFormatter(formats, registryAccess, deps);
}

/** The same for any formats. Without a registry, what names a schema is base64. */
export async function recordFormatter(
  formats: RecordFormats,
  registryAccess: () => Access,
  deps: FormattingDeps,
): Promise<FormattedRecords> {
  if (![formats.key, formats.value].some((format) => format === 'schema' || format === 'auto'))
    return new FormattedRecords(formats, () => true, deps);
  // Not before a client needs it: it loads the formats of schemas.
  const { mayReadSubject } = await import('../schema-registry/registry-rights.ts');
  const access = registryAccess();
  return new FormattedRecords(formats, (subject) => mayReadSubject(access, subject), deps);
}

/** Prints records with keys and values in the formats of a request. What does not fit is base64 with the reason. */
export class FormattedRecords {
  readonly #formats: RecordFormats;
  readonly #deps: FormattingDeps;
  readonly #mayRead: (subject: string) => boolean;
  readonly #rights = new Map<string, boolean>();
  #chars = 0;
  #sliceEndMs: number;

  constructor(formats: RecordFormats, mayRead: (subject: string) => boolean, deps: FormattingDeps) {
    this.#formats = formats;
    this.#deps = deps;
    this.#mayRead = mayRead;
    this.#sliceEndMs = deps.clock.monotonicMs() + sliceMs;
  }

  /** Whether an answer has enough: a small payload can be large as JSON. */
  get isFull(): boolean {
    return this.#chars > gatewayLimits.httpFetchFormattedCharsMax;
  }

  /** The fields about parts of a record that is too large to be decoded, and so is shown as base64. */
  aboutLarge({ key, value }: RecordCursor): string {
    const problem = `it is part of a record of more than ${formatBytes(gatewayLimits.httpFormattedRecordBytesMax)}`;
    let about = '';
    for (const [part, bytes] of [['key', key] as const, ['value', value] as const])
      if (bytes !== null && this.#formats[part] !== 'base64')
        about += `,"${part}_format":"base64","${part}_problem":"${problem}"`;
    return about;
  }

  /** Counts what was printed elsewhere. */
  count(chars: number): void {
    this.#chars += chars;
  }

  async json(record: RecordCursor): Promise<string> {
    const { clock, pause } = this.#deps;
    if (clock.monotonicMs() >= this.#sliceEndMs) {
      await pause();
      this.#sliceEndMs = clock.monotonicMs() + sliceMs;
    }
    const { headers } = record;
    const payloads = { key: record.key, value: record.value, headers };
    const key = this.#print('key', await this.part('key', payloads));
    const value = this.#print('value', await this.part('value', payloads));
    const json = `{"offset":${record.offset},"timestamp":${record.timestamp},"key":${key.json},"value":${value.json},"headers":[${headersJson(headers)}]${key.about}${value.about}}`;
    this.#chars += json.length;
    return json;
  }

  /** A key or value in the format of the request; `null` if the record has none. */
  async part(part: Part, payloads: Payloads): Promise<FormattedPart | null> {
    const bytes = payloads[part] as Buffer | null;
    if (bytes === null) return null;
    const format = this.#formats[part];
    switch (format) {
      case 'base64':
        return inBase64(bytes);
      case 'string': {
        const text = utf8Text(bytes);
        return text === undefined ? inBase64(bytes, 'it is not UTF-8') : { format, text };
      }
      case 'json': {
        const found = jsonText(bytes);
        return 'problem' in found ? inBase64(bytes, found.problem) : { format, text: found.text };
      }
      case 'schema':
        return await this.#bySchema(part, payloads, bytes);
      case 'auto': {
        if (namedSchema(part, payloads) !== undefined) return await this.#bySchema(part, payloads, bytes);
        const text = utf8Text(bytes);
        return text === undefined ? inBase64(bytes) : { format: 'string', text };
      }
    }
  }

  /** A part as JSON, and the fields of the record about it, unless base64 was asked for. */
  #print(part: Part, found: FormattedPart | null): { readonly json: string; readonly about: string } {
    if (found === null) return { json: 'null', about: '' };
    const { format, text, schema, problem } = found;
    const isText = format === 'string' || format === 'base64';
    const json = isText ? JSON.stringify(text) : text;
    if (this.#formats[part] === 'base64') return { json, about: '' };
    let about = `,"${part}_format":"${format}"`;
    if (schema !== undefined) {
      const { ref, type, subjects } = schema;
      about += typeof ref === 'number' ? `,"${part}_schema_id":${ref}` : `,"${part}_schema_guid":"${ref}"`;
      if (type !== undefined)
        about += `,"${part}_schema_type":"${type}","${part}_subjects":${JSON.stringify(subjects)}`;
    }
    if (problem !== undefined) about += `,"${part}_problem":${JSON.stringify(problem)}`;
    return { json, about };
  }

  async #bySchema(part: Part, payloads: Payloads, bytes: Buffer): Promise<FormattedPart> {
    const { schemas } = this.#deps;
    if (schemas === undefined) return inBase64(bytes, noRegistry);
    const decoded = await schemas.decoder.decodePart(part, payloads, { mayRead: (name) => this.#may(name) });
    if (decoded.kind === 'plain') return inBase64(bytes, 'it names no schema');
    const { ref, type, subjects } = decoded;
    const schema = { ref, type, subjects };
    return decoded.kind === 'decoded'
      ? { format: 'schema', text: decoded.json, schema }
      : { ...inBase64(bytes, decoded.reason), schema };
  }

  /** Records of one answer mostly name the same subjects. */
  #may(subject: string): boolean {
    const known = this.#rights.get(subject);
    if (known !== undefined) return known;
    const found = this.#mayRead(subject);
    if (this.#rights.size < knownRightsMax) this.#rights.set(subject, found);
    return found;
  }
}

function inBase64(bytes: Buffer, problem?: string): FormattedPart {
  const text = bytes.toString('base64');
  return { format: 'base64', text, ...(problem === undefined ? {} : { problem }) };
}

/** JSON as it is in the payload: numbers that are parsed and printed again would lose digits. */
export function jsonText(bytes: Buffer): { readonly text: string } | { readonly problem: string } {
  const { httpJsonPayloadBytesMax: bytesMax, httpJsonPayloadDepthMax: depthMax } = gatewayLimits;
  if (bytes.length > bytesMax) return { problem: `it has more than ${bytesMax} bytes` };
  const text = utf8Text(bytes);
  if (text === undefined) return { problem: 'it is not UTF-8' };
  if (brokenBound(text, { depthMax, valuesMax: Number.POSITIVE_INFINITY }) !== undefined)
    return { problem: `it has more than ${depthMax} lists and objects within each other` };
  try {
    JSON.parse(text);
    return { text };
  } catch {
    return { problem: 'it is not JSON' };
  }
}
