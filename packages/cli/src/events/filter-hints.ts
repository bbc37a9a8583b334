import type { Client } from '@weir/api';
import type { EventTypeName } from '@weir/core';
import { orFailure } from '../api-client.ts';

/**
 * Returns a line for each field of a filter that no event has. Such a filter matches nothing, which would look as if
 * there were no events.
 */
export async function filterHints(
  client: Client,
  query: {
    readonly clusterId: string;
    readonly filter: string | undefined;
    readonly types: readonly EventTypeName[];
  },
): Promise<string[]> {
  const { clusterId: virtual_cluster_id, filter = '', types } = query;
  if (filter === '') return [];
  const { warnings } = await orFailure(
    client.call('check_event_filter', { virtual_cluster_id, filter, event_types: [...types] }),
  );
  return warnings.map(({ message, suggestion }) => {
    return `warning: ${message}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`;
  });
}
