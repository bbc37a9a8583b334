import { base64OrNull, integer, type JsonSchema, list, object, text } from '@weir/http';
import { partFormats } from '../record-formats.ts';

/** Parts of schemas that several routes for records share. */

export const int32Max = 2 ** 31 - 1;

export const partitionBounds = { min: 0, max: int32Max } as const;
export const offsetBounds = { min: 0, max: Number.MAX_SAFE_INTEGER } as const;

export const headersSchema: JsonSchema = list(object({ key: text() }, { value: base64OrNull() }));

/** How keys and values of answers are shown. */
export const formatFields = {
  key_format: formatSchema('keys'),
  value_format: formatSchema('values'),
} as const;

function formatSchema(parts: string): JsonSchema {
  return { type: 'string', enum: partFormats, default: 'base64', description: `How ${parts} are shown.` };
}

/** A record of an answer. */
export const recordSchema: JsonSchema = object(
  {
    offset: integer(),
    timestamp: integer('Milliseconds since 1970.'),
    key: { description: 'Base64, or as `key_format` of the request says; null if there is none.' },
    value: { description: 'Base64, or as `value_format` of the request says; null if there is none.' },
    headers: list(object({ key: text(), value: base64OrNull() })),
  },
  { ...aboutPart('key'), ...aboutPart('value') },
);

/** What a record says about a part that the request wants in another format than base64. */
function aboutPart(part: 'key' | 'value'): Readonly<Record<string, JsonSchema>> {
  return {
    [`${part}_format`]: { type: 'string', enum: partFormats, description: `How \`${part}\` is shown.` },
    [`${part}_problem`]: text('Why it is base64 instead.'),
    [`${part}_schema_id`]: integer('The schema that the payload names.'),
    [`${part}_schema_guid`]: text('The same, if it is named by a GUID.'),
    [`${part}_schema_type`]: text(),
    [`${part}_subjects`]: list(text()),
  };
}

export const errorCodeSchema: JsonSchema = integer("Kafka's number of the error, 0 for none.");
