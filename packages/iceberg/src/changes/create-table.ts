import type { Catalog, LoadedTable, TableName } from '../catalogs/catalog.ts';
import { randomUuid } from '../files/random-uuid.ts';
import type { TableUpdate } from '../metadata/updates.ts';
import { type NewPartitionField, newSpec } from '../partitions/partition-spec.ts';
import { type SortOrder, unsorted } from '../partitions/sort-order.ts';
import { idsAfter, withFreshIds } from '../schema/fresh-ids.ts';
import { Schema } from '../schema/schema.ts';
import type { Column } from '../schema/types.ts';
import type { ChangeDeps } from './table-change.ts';

export interface NewTable {
  /** Ids are given anew, from 1. */
  readonly columns: readonly Column[];
  readonly partitions?: readonly NewPartitionField[] | undefined;
  /** By the new ids. */
  readonly sortOrder?: ((schema: Schema) => SortOrder) | undefined;
  /** Chosen by the catalog if absent. */
  readonly location?: string | undefined;
  readonly properties?: Readonly<Record<string, string>> | undefined;
}

/** Creates a table of format version 2. Throws `TableExists`. */
export function createTable(
  catalog: Catalog,
  name: TableName,
  table: NewTable,
  deps: Pick<ChangeDeps, 'random'>,
): Promise<LoadedTable> {
  const { columns, partitions = [], sortOrder, location, properties = {} } = table;
  const ids = idsAfter(0);
  const schema = new Schema({ id: 0, columns: withFreshIds(columns, ids.next) });
  const updates: TableUpdate[] = [
    { action: 'assign-uuid', uuid: randomUuid(deps.random) },
    { action: 'upgrade-format-version', formatVersion: 2 },
    { action: 'add-schema', schema, lastColumnId: ids.last() },
    { action: 'set-current-schema', schemaId: -1 },
    { action: 'add-spec', spec: newSpec(schema, partitions) },
    { action: 'set-default-spec', specId: -1 },
    { action: 'add-sort-order', order: sortOrder?.(schema) ?? unsorted },
    { action: 'set-default-sort-order', orderId: -1 },
    ...(location === undefined ? [] : [{ action: 'set-location' as const, location }]),
    { action: 'set-properties', updates: properties },
  ];
  return catalog.create(name, updates);
}
