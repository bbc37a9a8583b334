/**
 * A table in a catalog that others use too: it lies where the agents want it, and is never that of another. A property
 * names the table of the control plane, so that a table which was deleted and configured again is not the one before.
 */
import { Failure } from '@weir/core';
import { type Catalog, InvalidTable, type LoadedTable, type TableName, TableNotFound } from '@weir/iceberg';

const ownerKey = 'service.table-uuid';

interface OwnedTable {
  readonly name: TableName;
  readonly location: string;
}

interface OwnedCatalogOptions {
  readonly catalog: Catalog;
  readonly tableUuid: string;
  /** The table, and that of its kept records. */
  readonly tables: readonly OwnedTable[];
  /** One of others counts as absent instead of as an error; for removals. */
  readonly ignoresOthers?: boolean | undefined;
}

export function ownedCatalog({
  catalog,
  tableUuid,
  tables,
  ignoresOthers = false,
}: OwnedCatalogOptions): Catalog {
  const checked = (table: TableName, loaded: LoadedTable): LoadedTable => {
    const owner = loaded.metadata.properties[ownerKey];
    if (owner === tableUuid) return loaded;
    const shown = [...table.namespace, table.name].join('.');
    if (ignoresOthers) throw new TableNotFound(`${shown}: the catalog has none of this pipeline`);
    // The removal of a table that was deleted has not come yet, or another pipeline has this one.
    if (owner !== undefined)
      throw new Failure(
        `${shown}: the catalog has a table of another pipeline, or one that is still to be removed; if it stays, choose another namespace`,
      );
    throw new InvalidTable(
      `${shown}: the catalog has a table of this name that no pipeline made; rename it, or choose another namespace`,
    );
  };
  return {
    async create(table, updates) {
      const location = tables.find(({ name }) => name.name === table.name)?.location;
      return await catalog.create(table, [
        ...updates.filter(({ action }) => action !== 'set-location' && action !== 'set-properties'),
        ...(location === undefined ? [] : [{ action: 'set-location' as const, location }]),
        {
          action: 'set-properties',
          updates: {
            ...updates.find((update) => update.action === 'set-properties')?.updates,
            [ownerKey]: tableUuid,
          },
        },
      ]);
    },
    load: async (table) => checked(table, await catalog.load(table)),
    commit: (table, commit) => catalog.commit(table, commit),
    drop: (table, options) => catalog.drop(table, options),
    list: (namespace) => catalog.list(namespace),
  };
}
