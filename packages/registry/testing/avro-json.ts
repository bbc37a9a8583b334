import type { AvroSchema } from '../src/avro/avro-format.ts';
import { type AvroType, branchName } from '../src/avro/avro-type.ts';

/** The JSON text of a value for Avro's Java library, which wants longs as numbers. */
export function avroJson(schema: AvroSchema, value: unknown): string {
  return textOf(schema.root, value);
}

function textOf(type: AvroType, value: unknown): string {
  switch (type.kind) {
    case 'long':
      return String(value);
    case 'union': {
      if (value === null) return 'null';
      const [[name, content]] = Object.entries(value as object) as [[string, unknown]];
      const branch = type.branches.find((candidate) => branchName(candidate) === name)!;
      return `{${JSON.stringify(name)}:${textOf(branch, content)}}`;
    }
    case 'array':
      return `[${(value as unknown[]).map((item) => textOf(type.items, item)).join(',')}]`;
    case 'map':
      return objectText(value as object, () => type.values);
    case 'record':
      return objectText(value as object, (key) => type.fieldByName.get(key)!.type);
    default:
      return JSON.stringify(value);
  }
}

function objectText(value: object, typeOf: (key: string) => AvroType): string {
  const entries = Object.entries(value).map(
    ([key, content]) => `${JSON.stringify(key)}:${textOf(typeOf(key), content)}`,
  );
  return `{${entries.join(',')}}`;
}
