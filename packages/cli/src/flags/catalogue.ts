/**
 * Every setting, once: flags and environment variables of all commands. Parsing, validation, `--help` and the reference
 * page derive from these rows, and so do the types of the parsed values.
 */

import type { CommandName } from '../commands/catalogue.ts';
import type { ValueType } from '../values/value-type.ts';
import type { FlagRow } from './row.ts';
import { aclFlags } from './rows/acls.ts';
import { applyFlags } from './rows/apply.ts';
import { clusterFlags } from './rows/cluster.ts';
import { consoleFlags } from './rows/console.ts';
import { costFlags } from './rows/costs.ts';
import { credentialFlags } from './rows/credentials.ts';
import { readPathFlags, writePathFlags } from './rows/data-path.ts';
import { demoFlags } from './rows/demo.ts';
import { eventFlags } from './rows/events.ts';
import { jobFlags } from './rows/jobs.ts';
import { benchmarkFlags, connectionFlags, drillFlags, toolFlags } from './rows/kafka-tools.ts';
import { listenerFlags } from './rows/listeners.ts';
import { mcpFlags } from './rows/mcp.ts';
import { migrateFlags } from './rows/migrate.ts';
import { observabilityFlags } from './rows/observability.ts';
import { quotaFlags } from './rows/quotas.ts';
import { registryFlags } from './rows/registry.ts';
import { resetOffsetsFlags } from './rows/reset-offsets.ts';
import { schemaToolFlags } from './rows/schema-tools.ts';
import { schemaValidationFlags } from './rows/schema-validation.ts';
import { secretFlags } from './rows/secrets.ts';
import { authenticationFlags } from './rows/security.ts';
import { storageFlags } from './rows/storage.ts';
import { tableFlags } from './rows/tables.ts';
import { tlsFlags } from './rows/tls.ts';
import { zoneFlags } from './rows/zones.ts';

/** The rows by topic, in the order of the reference page. */
const groupedRows = [
  { title: 'Cluster and control plane', isShared: true, rows: clusterFlags },
  { title: 'Storage', isShared: true, rows: storageFlags },
  { title: 'Listeners', rows: listenerFlags },
  { title: 'Zones and assignment', rows: zoneFlags },
  { title: 'Write path', rows: writePathFlags },
  { title: 'Read path', rows: readPathFlags },
  { title: 'Authentication', isShared: true, rows: authenticationFlags },
  { title: 'TLS', isShared: true, rows: tlsFlags },
  { title: 'Schema registry', rows: registryFlags },
  { title: 'Schema validation', rows: schemaValidationFlags },
  { title: 'Jobs, pipelines and tables', rows: jobFlags },
  { title: 'Logs and metrics', rows: observabilityFlags },
  { title: 'Demo', rows: demoFlags },
  { title: 'Connection of the Kafka tools', isShared: true, rows: connectionFlags },
  { title: 'Kafka tools', rows: toolFlags },
  { title: 'Lines in, records out', rows: consoleFlags },
  { title: 'Offsets of groups', rows: resetOffsetsFlags },
  { title: 'Schema registry tools', rows: schemaToolFlags },
  { title: 'ACL tools', rows: aclFlags },
  { title: 'Quota tools', rows: quotaFlags },
  { title: 'Drills', rows: drillFlags },
  { title: 'Benchmarks', rows: benchmarkFlags },
  { title: 'Events', rows: eventFlags },
  { title: 'Costs', rows: costFlags },
  { title: 'Migrations', rows: migrateFlags },
  { title: 'Tables', rows: tableFlags },
  { title: 'Secrets', rows: secretFlags },
  { title: 'Credentials', rows: credentialFlags },
  { title: 'Models', rows: mcpFlags },
  { title: 'Apply', rows: applyFlags },
] as const;

type CatalogueRow = (typeof groupedRows)[number]['rows'][number];

export type FlagName = CatalogueRow['name'];

type ReadValue<Row> = Row extends { readonly type: ValueType<infer Value>; readonly default: infer Default }
  ? Default extends undefined
    ? Value | undefined
    : Value
  : never;

/** The parsed values of all rows. A row with a default always has a value. */
export type FlagValues = { readonly [Row in CatalogueRow as Row['name']]: ReadValue<Row> };

type TakenBy<Command, Row> =
  Row extends FlagRow<infer Name, unknown, infer Taker> ? (Command extends Taker ? Name : never) : never;

/** The parsed values of the rows of one command. */
export type CommandValues<Command extends CommandName> = Pick<
  FlagValues,
  TakenBy<Command, CatalogueRow> & FlagName
>;

export interface FlagGroup {
  readonly title: string;
  /** Whether its flags say how a tool reaches a cluster or a bucket, which most tools share. */
  readonly isShared?: boolean;
  readonly rows: readonly FlagRow<FlagName>[];
}

export const flagGroups: readonly FlagGroup[] = groupedRows;

export const flagRows: readonly FlagRow<FlagName>[] = flagGroups.flatMap(({ rows }) => rows);

const rowsByName: ReadonlyMap<string, FlagRow<FlagName>> = new Map(flagRows.map((row) => [row.name, row]));

/** Returns the row of a flag. Every name has one, because the names are taken from the rows. */
export function flagRow(name: FlagName): FlagRow<FlagName> {
  return rowsByName.get(name)!;
}

export function rowsOf(command: CommandName): readonly FlagRow<FlagName>[] {
  return flagRows.filter((row) => row.commands.includes(command));
}

/** The value of a row that is not set. */
export function defaultOf(row: FlagRow, command: CommandName): unknown {
  const ofCommand = row.defaultByCommand?.[command];
  return ofCommand === undefined ? row.default : ofCommand;
}
