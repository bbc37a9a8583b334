/** The tools that show and change quotas of Kafka clients. */

import { alterQuotas, describeQuotas, type EntityQuotas, type QuotaFilter } from '@weir/client';
import { clientQuotas, formatBytes, isQuotaKey } from '@weir/core';
import type { CommandValues } from '../flags/catalogue.ts';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { table } from '../results/table.ts';
import { onCluster } from './connection.ts';

const ofDefault = '<default>';

export const describeQuotasTool: Handler<'cli describe-quotas'> = async (values, deps) => {
  const found = await onCluster(values, deps, (cluster) => describeQuotas(cluster, entityOf(values)));
  const rows = found.toSorted((a, b) => (entityText(a) < entityText(b) ? -1 : 1));
  return printResult(values, deps, { json: rows, text: () => quotasTable(rows) });
};

export const alterQuotasTool: Handler<'cli alter-quotas'> = async (values, deps) => {
  const entity = entityOf(values);
  await onCluster(values, deps, (cluster) => alterQuotas(cluster, entity, values.quota!));
  return printResult(values, deps, {
    json: values.quota!.map(({ name, value }) => ({ quota: name, value })),
    text: () =>
      table(
        ['QUOTA', 'VALUE'],
        values.quota!.map(({ name, value }) => [name, value === null ? 'unlimited' : valueText(name, value)]),
      ),
  });
};

function entityOf(values: CommandValues<'cli describe-quotas'>): readonly QuotaFilter[] {
  const parts = [
    ['user', values['quota-user']],
    ['client-id', values['quota-client-id']],
    ['ip', values['quota-ip']],
  ] as const;
  return parts.flatMap(([type, name]) =>
    name === undefined ? [] : [{ type, name: name === ofDefault ? null : name }],
  );
}

function entityText({ entity }: EntityQuotas): string {
  return entity.map(({ type, name }) => `${type} ${name ?? ofDefault}`).join(', ');
}

function quotasTable(rows: readonly EntityQuotas[]): string {
  return table(
    ['ENTITY', 'QUOTA', 'VALUE'],
    rows.flatMap((row) =>
      Object.entries(row.quotas).map(([name, value]) => [entityText(row), name, valueText(name, value)]),
    ),
  );
}

/** As `-quota` takes it. */
function valueText(name: string, value: number): string {
  const isBytes = isQuotaKey(name) && clientQuotas[name].unit === 'bytes per second';
  return isBytes ? formatBytes(value) : String(value);
}
