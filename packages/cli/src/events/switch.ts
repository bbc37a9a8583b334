import { apiClient, orFailure } from '../api-client.ts';
import { clusterId } from '../api-cluster.ts';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';

/** Enables or disables the events of a cluster; with `-types`, only these types. */
function switching(enabled: boolean): Handler<'cli events enable'> {
  return async (values, deps) => {
    const client = apiClient(values, deps);
    const virtual_cluster_id = await clusterId(client, values.cluster);
    const ofTypes = Object.fromEntries(values.types.map((type) => [type, { enabled }]));
    await orFailure(
      client.call('update_events_state', {
        virtual_cluster_id,
        // Disabling single types leaves the others enabled.
        ...(enabled || values.types.length === 0 ? { enabled } : {}),
        ...(values.types.length === 0 ? {} : { event_types: ofTypes }),
      }),
    );
    const { event_types, enabled: isOn } = await orFailure(
      client.call('get_events_state', { virtual_cluster_id }),
    );
    const recorded = Object.entries(event_types).filter(([, state]) => state?.enabled === true);
    const names = recorded.map(([name]) => name);
    printResult(values, deps, {
      json: { virtual_cluster_id, enabled: isOn, event_types: isOn ? names : [] },
      text: () => (isOn ? `events enabled: ${names.join(', ') || 'none'}\n` : 'events disabled\n'),
    });
    return 0;
  };
}

export const enableEvents = switching(true);
export const disableEvents: Handler<'cli events disable'> = switching(false);
