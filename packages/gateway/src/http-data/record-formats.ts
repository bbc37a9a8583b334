import { HttpProblem } from '@weir/http';

/**
 * How keys or values are in an answer. `schema` decodes payloads by the schema that they name. `auto` does, and shows
 * others as text if they are text.
 */
export const partFormats = ['base64', 'string', 'json', 'schema', 'auto'] as const;
export type PartFormat = (typeof partFormats)[number];

export interface RecordFormats {
  readonly key: PartFormat;
  readonly value: PartFormat;
}

const formats: ReadonlySet<unknown> = new Set(partFormats);

/** The formats that a request names; base64 if it names none. */
export function formatsIn(fieldOf: (name: string) => unknown): RecordFormats {
  return { key: formatOf('key_format', fieldOf), value: formatOf('value_format', fieldOf) };
}

function formatOf(name: string, fieldOf: (name: string) => unknown): PartFormat {
  const given = fieldOf(name) ?? 'base64';
  if (!formats.has(given)) throw new HttpProblem(400, `${name} must be one of ${[...formats].join(', ')}.`);
  return given as PartFormat;
}
