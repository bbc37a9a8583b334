import { workOf } from '../src/payload-work.ts';
import {
  InvalidPayload,
  InvalidSchema,
  type ParsedSchema,
  type SchemaFormat,
  type SchemaType,
} from '../src/schema-format.ts';

/**
 * A format for tests: a schema is the text with which payloads must begin, and the name of their record. The text
 * `invalid` is no schema.
 */
export function textFormat(type: SchemaType): SchemaFormat {
  return {
    type,
    parse({ text }) {
      if (text === 'invalid') throw new InvalidSchema('the text says so');
      return { type, canonicalText: text };
    },
    normalizedText: ({ canonicalText }) => canonicalText,
    incompatibilities: () => [],
    usedNames: () => [],
    readTags: ({ text }) => ({ places: [], text: () => text }),
    formattedText: ({ canonicalText }) => canonicalText,
    codec: codecOf,
  };
}

function codecOf({ canonicalText }: ParsedSchema) {
  const problemOf = (bytes: Uint8Array, start = 0, end = bytes.length, work = workOf(end - start)) => {
    work.spend(end - start);
    return Buffer.from(bytes.subarray(start, end)).toString().startsWith(canonicalText)
      ? undefined
      : `must begin with ${canonicalText}`;
  };
  return {
    problemOf,
    decode(payload: Uint8Array) {
      const problem = problemOf(payload);
      if (problem !== undefined) throw new InvalidPayload(problem);
      return Buffer.from(payload).toString();
    },
    encode: (value: unknown) => Buffer.from(String(value)),
    recordName: () => `record.${canonicalText}`,
  };
}
