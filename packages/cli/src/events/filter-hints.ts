import type { Client } from '@weir/api';
import type { EventTypeName } from '@weir/core';
import { orFailure } from '../api-client.ts';

/** A field that no event has lets nothing pass, which looks like a quiet hour. Gives a line for each such field of a filter. */
export async function filterHints(
  client: Client,
  asked: {
    readonly clusterId: string;
    readonly filter: string | undefined;
    readonly types: readonly EventTypeName[];
  },
): Promise<string[]> {
  const { clusterId: virtual_cluster_id, filter = '', types } = asked;
  if (filter === '') return [];
  const { warnings } = await orFailure(
    client.call('check_event_filter', { virtual_cluster_id, filter, event_types: [...types] }),
  );
  return warnings.map(({ message, suggestion }) => {
    return `warning: ${message}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`;
  });
}
