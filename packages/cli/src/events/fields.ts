import { formatDurationMs } from '@weir/core';
import { apiClient, orFailure } from '../api-client.ts';
import { clusterId } from '../api-cluster.ts';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { table } from '../results/table.ts';
import { filterHints } from './filter-hints.ts';

/** Values shown per field. */
const valuesShown = 3;

/** Prints the fields of events, and their values. */
export const listEventFields: Handler<'cli events fields'> = async (values, deps) => {
  const { output } = deps;
  const client = apiClient(values, deps);
  const virtual_cluster_id = await clusterId(client, values.cluster);
  const found = await orFailure(
    client.call('list_event_fields', {
      virtual_cluster_id,
      event_types: [...values.types],
      time_range: { relative: formatDurationMs(values.last) },
      filter: values.filter ?? '',
    }),
  );
  const query = { clusterId: virtual_cluster_id, ...values };
  const hints = found.sampled_events === 0 ? await filterHints(client, query) : [];
  for (const hint of hints) output.err(`weir cli events fields: ${hint}\n`);
  const rows = found.fields.map(({ name, types, events, top_values }) => [
    name,
    types.join(', '),
    `${events} of ${found.sampled_events}`,
    top_values
      .slice(0, valuesShown)
      .map(({ value }) => JSON.stringify(value))
      .join(', '),
  ]);
  printResult(values, deps, {
    json: found,
    text: () => (rows.length === 0 ? '' : table(['FIELD', 'TYPE', 'EVENTS', 'VALUES'], rows)),
  });
  if (values.output === 'json') return 0;
  const sample = found.is_sample ? 'the newest ' : '';
  output.err(
    `weir cli events fields: ${found.message ?? `${rows.length} fields of ${sample}${found.sampled_events} events`}\n`,
  );
  return 0;
};
