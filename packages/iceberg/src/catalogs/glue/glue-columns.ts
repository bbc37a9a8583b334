/** Columns as Glue shows them, in the types of Hive. Engines take the schema from the metadata of the table. */
import type { JsonObject } from '../../json/exact-json.ts';
import type { Schema } from '../../schema/schema.ts';
import type { Type } from '../../schema/types.ts';

/** The longest comment of a column that Glue takes. */
const commentCharsMax = 255;
/** The longest type of a column that Glue takes. */
const typeCharsMax = 131_072;

export function glueColumns(schema: Schema): JsonObject[] {
  return schema.columns.map(({ id, name, type, isRequired, doc }) => {
    const text = hiveType(type);
    return {
      Name: name,
      // Too long a type would refuse the commit, and it is only shown.
      Type: text.length > typeCharsMax ? type.kind : text,
      Comment: doc?.slice(0, commentCharsMax),
      Parameters: {
        'iceberg.field.id': String(id),
        'iceberg.field.optional': String(!isRequired),
        'iceberg.field.current': 'true',
      },
    };
  });
}

function hiveType(type: Type): string {
  switch (type.kind) {
    case 'long':
      return 'bigint';
    case 'time':
    case 'uuid':
      return 'string';
    case 'timestamptz':
      return 'timestamp';
    case 'fixed':
      return 'binary';
    case 'decimal':
      return `decimal(${type.precision},${type.scale})`;
    case 'list':
      return `array<${hiveType(type.element)}>`;
    case 'map':
      return `map<${hiveType(type.key)},${hiveType(type.value)}>`;
    case 'struct':
      return `struct<${type.columns.map((one) => `${one.name}:${hiveType(one.type)}`).join(',')}>`;
    default:
      return type.kind;
  }
}
