import { type DecodedPayload, type DecodedRecord, namedSchema } from '@weir/registry/decoding';
import type { BatchRecord } from '@weir/wire';
import { JsonText } from '../../results/json-line.ts';

type Part = 'key' | 'value';

/** What the bytes of a key or value say about their schema, on one line. If they name none, only when decoding. */
export function shownSchema(
  part: Part,
  record: BatchRecord,
  decoded: DecodedRecord | undefined,
): string | undefined {
  const bytes = record[part];
  if (bytes === null) return undefined;
  const named = namedSchema(part, record);
  if (named === undefined) {
    if (decoded === undefined) return undefined;
    if (bytes.length === 0) return 'none: empty';
    return `none: starts with 0x${bytes.toString('hex', 0, 1)}, not with a magic byte and a schema id or GUID`;
  }
  const { ref, magicByte, header } = named;
  const name = typeof ref === 'number' ? `id ${ref}` : `GUID ${ref}`;
  const place = header === undefined ? 'at its beginning' : `in the header ${header}`;
  return `${name} after the magic byte ${magicByte} ${place}; ${verdict(decoded?.[part])}`;
}

function verdict(decoded: DecodedPayload | undefined): string {
  if (decoded === undefined || decoded.kind === 'plain') return 'set -decode auto to look it up';
  const { type, subjects } = decoded;
  const found = type === undefined ? '' : `${type}, ${subjectsText(subjects)}; `;
  if (decoded.kind === 'failed') return `${found}failed to decode: ${decoded.reason}`;
  const { recordName } = decoded;
  return `${found}decodes${recordName === undefined ? '' : ` as ${recordName}`}`;
}

function subjectsText(subjects: readonly string[]): string {
  if (subjects.length === 0) return 'under no subject';
  return `${subjects.length === 1 ? 'subject' : 'subjects'} ${subjects.join(', ')}`;
}

/** The same for JSON. `null` if the payload names no schema. */
export function schemaJson(part: Part, record: BatchRecord, decoded: DecodedRecord | undefined) {
  const named = record[part] === null ? undefined : namedSchema(part, record);
  if (named === undefined) return null;
  const { ref, magicByte, header } = named;
  const found = decoded?.[part];
  const isKnown = found !== undefined && found.kind !== 'plain' && found.type !== undefined;
  return {
    ...(typeof ref === 'number' ? { id: ref } : { guid: ref }),
    magic_byte: magicByte,
    header: header ?? null,
    type: isKnown ? found.type : null,
    subjects: isKnown ? found.subjects : [],
    record_name: found?.kind === 'decoded' ? (found.recordName ?? null) : null,
    decoded: found?.kind === 'decoded' ? new JsonText(found.json) : null,
    problem: found?.kind === 'failed' ? found.reason : null,
  };
}
