/** Opens a table so that it takes the rows of a definition: creates it, or evolves what is there. */
import type { Clock, Log, Random } from '@weir/core';
import {
  type Catalog,
  ChangeRefused,
  changesTowards,
  commitChange,
  createTable,
  currentSchema,
  InvalidTable,
  type LoadedTable,
  type NewPartitionField,
  PartitionEvolution,
  PropertyChange,
  parseTransform,
  SchemaEvolution,
  TableExists,
  type TableFiles,
  type TableName,
  TableNotFound,
} from '@weir/iceberg';
import type { Column } from '../parquet/parquet-writer.ts';
import type { PartitionBy, TableDefinition } from '../table-definition.ts';
import { TableBlocked } from './table-blocked.ts';

export interface TableDeps {
  readonly catalog: Catalog;
  readonly files: TableFiles;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface WantedTable {
  readonly name: TableName;
  readonly columns: readonly Column[];
  readonly partitionBy: readonly PartitionBy[];
  readonly properties: Readonly<Record<string, string>>;
}

export function wantedTable(definition: TableDefinition, name: TableName): WantedTable {
  const { columns, partitionBy, compression } = definition;
  const codec = compression === 'none' ? 'uncompressed' : compression;
  return {
    name,
    columns: columns.columns,
    partitionBy,
    properties: { 'write.parquet.compression-codec': codec },
  };
}

type TableOpening = 'table_created' | 'schema_evolved' | 'partitioning_evolved';

/** Attempts against others that evolve the table at the same time. */
const attemptsMax = 5;

/** Properties of every table: old metadata would pile up with every commit. */
const commonProperties = {
  'write.metadata.delete-after-commit.enabled': 'true',
  'write.metadata.previous-versions-max': '100',
};

export async function openTable(
  deps: TableDeps,
  wanted: WantedTable,
  onChange: (change: TableOpening, message: string) => void,
): Promise<LoadedTable> {
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        return await evolve(deps, wanted, await loadOrCreate(deps, wanted, onChange), onChange);
      } catch (error) {
        if (!(error instanceof ChangeRefused) || attempt === attemptsMax) throw error;
      }
    }
  } catch (error) {
    // Neither time nor another attempt makes the definition fit.
    if (error instanceof InvalidTable) throw new TableBlocked(error.message, { cause: error });
    throw error;
  }
}

async function loadOrCreate(
  deps: TableDeps,
  { name, columns, partitionBy, properties }: WantedTable,
  onChange: (change: TableOpening, message: string) => void,
): Promise<LoadedTable> {
  const { catalog } = deps;
  try {
    return await catalog.load(name);
  } catch (error) {
    if (!(error instanceof TableNotFound)) throw error;
  }
  try {
    const created = await createTable(
      catalog,
      name,
      {
        columns,
        partitions: partitionFields(partitionBy, columns),
        properties: { ...commonProperties, ...properties },
      },
      deps,
    );
    onChange('table_created', `created with ${columns.length} columns in ${created.metadata.location}`);
    return created;
  } catch (error) {
    if (!(error instanceof TableExists)) throw error;
    return await catalog.load(name);
  }
}

async function evolve(
  deps: TableDeps,
  { name, columns, partitionBy, properties }: WantedTable,
  found: LoadedTable,
  onChange: (change: TableOpening, message: string) => void,
): Promise<LoadedTable> {
  const { catalog } = deps;
  let loaded = found;
  const changes = changesTowards(currentSchema(loaded.metadata), columns);
  if (changes.length > 0) {
    loaded = await commitChange(catalog, name, new SchemaEvolution(changes, loaded.metadata), deps);
    const shown = changes.map((one) => `${one.change} ${'path' in one ? one.path.join('.') : ''}`.trim());
    onChange('schema_evolved', shown.slice(0, 20).join(', '));
  }
  const partitioning = new PartitionEvolution(partitionFields(partitionBy, columns));
  if (!partitioning.isIn(loaded.metadata)) {
    loaded = await commitChange(catalog, name, partitioning, deps);
    const shown = partitionBy.map(({ column, transform }) => `${transform}(${column})`);
    onChange('partitioning_evolved', shown.length === 0 ? 'not partitioned' : shown.join(', '));
  }
  const set = new PropertyChange({ set: properties });
  return set.isIn(loaded.metadata) ? loaded : await commitChange(catalog, name, set, deps);
}

/** Names of nested columns have dots; so may others. */
function partitionFields(
  partitionBy: readonly PartitionBy[],
  columns: readonly Column[],
): NewPartitionField[] {
  return partitionBy.map(({ column, transform }) => ({
    path: columns.some(({ name }) => name === column) ? [column] : column.split('.'),
    transform: parseTransform(transform, `partition by ${column}`),
  }));
}
