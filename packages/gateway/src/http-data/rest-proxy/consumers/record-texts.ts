import type { Place } from '@weir/client';
import type { RecordSchemas } from '@weir/registry/decoding';
import type { Access } from '@weir/security';
import type { RecordCursor } from '@weir/wire';
import { jsonText } from '../../formatted-records.ts';
import { base64Json } from '../../record-json.ts';
import { type RecordFormat, schemaTypeOf } from '../media-types.ts';
import { unprocessable } from '../proxy-problems.ts';
import { undecodable } from './consumer-problems.ts';

/** Returns the key and value of a record as JSON. Throws a problem if they are not in the format. */
export type RecordTexts = (record: RecordCursor, place: Place) => Promise<KeyAndValue> | KeyAndValue;

interface KeyAndValue {
  readonly key: string;
  readonly value: string;
}

type Part = 'key' | 'value';

/** `registryAccess` are the rights of the caller to subjects. */
export async function textsOf(
  format: RecordFormat,
  schemas: RecordSchemas | undefined,
  registryAccess: () => Access,
): Promise<RecordTexts> {
  if (format === 'binary') return binaryTexts;
  if (format === 'json') return jsonTexts;
  if (schemas === undefined)
    throw unprocessable(
      `This agent has no schema registry for the format ${format}; start it with -externalSchemaRegistryURL.`,
    );
  const { decoder } = schemas;
  // Not before a client needs it: it loads the formats of schemas.
  const { mayReadSubject } = await import('../../../schema-registry/registry-rights.ts');
  const access = registryAccess();
  const options = { only: schemaTypeOf[format], mayRead: (name: string) => mayReadSubject(access, name) };
  return async (record, place) => {
    const { offset, key, value, headers } = record;
    const payloads = { key, value, headers };
    const textOf = async (part: Part) => {
      if (payloads[part] === null) return 'null';
      const decoded = await decoder.decodePart(part, payloads, options);
      if (decoded.kind === 'decoded') return decoded.json;
      throw problem(part, offset, place, decoded.kind === 'plain' ? 'it names no schema' : decoded.reason);
    };
    return { key: await textOf('key'), value: await textOf('value') };
  };
}

function binaryTexts({ key, value }: RecordCursor): KeyAndValue {
  return { key: base64Json(key), value: base64Json(value) };
}

/** Keys and values are JSON already, and keep all digits of their numbers. */
function jsonTexts(record: RecordCursor, place: Place): KeyAndValue {
  const textOf = (part: Part) => {
    const bytes = record[part];
    if (bytes === null) return 'null';
    const found = jsonText(bytes);
    if ('problem' in found) throw problem(part, record.offset, place, found.problem);
    return found.text;
  };
  return { key: textOf('key'), value: textOf('value') };
}

function problem(part: Part, offset: bigint, { topic, partition }: Place, reason: string) {
  return undecodable(
    `The ${part} at offset ${offset} in partition ${partition} of topic ${topic} cannot be decoded: ${reason}.`,
  );
}
