/** Columns that a configuration lists itself: the older form, without a schema of records. */
import { parsePrimitive } from '@weir/iceberg';
import { type Column, ColumnIds, type SchemaColumns, UnusableSchema } from './columns.ts';

interface ListedField {
  readonly name: string;
  readonly type: string;
  readonly id?: number | undefined;
}

/** Other names of types. */
const aliases: Readonly<Record<string, string>> = {
  bool: 'boolean',
  integer: 'int',
  bigint: 'long',
  bytes: 'binary',
  text: 'string',
  'timestamp-tz': 'timestamptz',
};

/** Which field is wrong, and how. */
export class UnusableField extends UnusableSchema {
  readonly index: number;
  readonly field: 'name' | 'type' | 'id';

  constructor(index: number, field: 'name' | 'type' | 'id', message: string) {
    super(message);
    this.index = index;
    this.field = field;
  }
}

/** All columns are optional: the form has no word for others. Throws `UnusableField`. */
export function listedColumns(fields: readonly ListedField[]): SchemaColumns {
  const ids = new ColumnIds();
  const [names, givenIds] = [new Set<string>(), new Set<number>()];
  const columns = fields.map(({ name, type, id }, index): Column => {
    if (name === '') throw new UnusableField(index, 'name', 'is empty');
    if (names.has(name)) throw new UnusableField(index, 'name', 'is there twice');
    if (id !== undefined && givenIds.has(id)) throw new UnusableField(index, 'id', 'is there twice');
    names.add(name);
    if (id !== undefined) givenIds.add(id);
    const known = Object.hasOwn(aliases, type) ? aliases[type]! : type;
    try {
      const parsed = parsePrimitive(known, name.slice(0, 80));
      if (parsed.kind === 'fixed')
        throw new UnusableField(index, 'type', `${type}: some readers cannot read such columns; use binary`);
      return { id: ids.next(), name, isRequired: false, type: parsed };
    } catch (error) {
      if (error instanceof UnusableSchema) throw error;
      throw new UnusableField(index, 'type', (error as Error).message.replace(`${name.slice(0, 80)}: `, ''));
    }
  });
  return { columns, units: ids.units };
}
