import { readDefinitions } from '../src/definition/index.ts';
import type { SourceRecord } from '../src/rows/row-reader.ts';
import type { RowDeps, TableDefinition } from '../src/table-definition.ts';

/** A record with a value, as a topic has it. */
export function recordOf(value: string | Uint8Array | null, more: Partial<SourceRecord> = {}): SourceRecord {
  return {
    partition: 0,
    offset: 0n,
    timestampMs: 1_700_000_000_000,
    key: null,
    value: typeof value === 'string' ? Buffer.from(value) : value,
    headers: [],
    ...more,
  };
}

const noRegistry: RowDeps = {
  openRegistry: () => {
    throw new Error('the table names no registry');
  },
};

/** The definition of one table, of fields as YAML has them; values are JSON. */
export async function tableOf(
  fields: Readonly<Record<string, unknown>>,
  deps: RowDeps = noRegistry,
): Promise<TableDefinition> {
  const reading = readDefinitions(
    JSON.stringify({
      source_clusters: [{ name: 'shop', bootstrap_brokers: [{ hostname: 'broker', port: 9092 }] }],
      tables: [{ source_cluster_name: 'shop', source_topic: 'orders', ...fields }],
    }),
  );
  if ('problems' in reading) throw new Error(reading.problems.map(({ message }) => message).join('; '));
  return await reading.definitions[0]!.resolve(deps);
}

/** A table of JSON whose columns have these schemas. */
export async function jsonTable(
  properties: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {},
): Promise<TableDefinition> {
  return await tableOf({ input_schema: JSON.stringify({ properties }), ...more });
}

export { noRegistry };
