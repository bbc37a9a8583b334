import type { OutputOf } from '@weir/api/client';
import { type EventTypeName, fieldsOf } from '@weir/events';
import type { KnownField } from '../../../ui/editor/filter-language.ts';

type ListedField = OutputOf<'list_event_fields'>['fields'][number];

/** Fields that events of the types are defined to have, and those that events were seen to have, with their values. */
export function knownFields(
  types: readonly EventTypeName[],
  seen: readonly ListedField[] = [],
): readonly KnownField[] {
  const defined = fieldsOf(types.length === 0 ? undefined : types).map(({ name, description }) => ({
    name,
    description,
    values: [],
  }));
  const listed = seen.map(({ name, types: kinds, top_values: values }) => ({
    name,
    description: kinds.join(', '),
    values: values.map(({ value }) => value),
  }));
  const all = new Map<string, KnownField>(defined.map((field) => [field.name, field]));
  for (const field of listed)
    all.set(field.name, { ...field, description: all.get(field.name)?.description ?? field.description });
  return [...all.values()];
}
