import type { OutputOf } from '@weir/api/client';

export type TableSchema = OutputOf<'dl/describe_table'>['schemas'][number];
type Field = TableSchema['fields'][number];

export interface SchemaChange {
  readonly kind: 'added' | 'removed' | 'changed';
  /** The field, as it is now; as it was if it is gone. */
  readonly fieldId: number;
  /** What happened, in one sentence. */
  readonly text: string;
}

/** What a schema changes about the one before it. Fields are the same if their ids are. */
export function schemaChanges(
  before: readonly Field[] | undefined,
  after: readonly Field[],
): readonly SchemaChange[] {
  if (before === undefined) return [];
  const old = new Map(before.map((field) => [field.id, field]));
  const now = new Set(after.map(({ id }) => id));
  return [
    ...after.flatMap((field): readonly SchemaChange[] => {
      const was = old.get(field.id);
      if (was === undefined)
        return [{ kind: 'added', fieldId: field.id, text: `${field.name} ${field.type} was added.` }];
      return changesOfField(was, field).map((text) => ({ kind: 'changed', fieldId: field.id, text }));
    }),
    ...before
      .filter(({ id }) => !now.has(id))
      .map(({ id, name }): SchemaChange => ({ kind: 'removed', fieldId: id, text: `${name} was removed.` })),
  ];
}

function changesOfField(was: Field, is: Field): readonly string[] {
  return [
    ...(was.name === is.name ? [] : [`${was.name} was renamed to ${is.name}.`]),
    ...(was.type === is.type ? [] : [`${is.name} changed from ${was.type} to ${is.type}.`]),
    ...(was.required === is.required ? [] : [`${is.name} is ${is.required ? 'required' : 'optional'} now.`]),
  ];
}
