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
    const turnedOn = Object.entries(event_types).flatMap(([type, state]) =>
      isOn && state?.enabled === true ? [{ type, isEmitted: state.emitted !== false }] : [],
    );
    const recorded = turnedOn.filter(({ isEmitted }) => isEmitted).map(({ type }) => type);
    const chosen: readonly string[] = values.types;
    // Types that were not named are those that were on before.
    const others = chosen.length === 0 ? [] : recorded.filter((type) => !chosen.includes(type));
    const shown = recorded.filter((type) => !others.includes(type));
    const unemitted = turnedOn.filter(({ isEmitted }) => !isEmitted).map(({ type }) => type);
    printResult(values, deps, {
      json: {
        virtual_cluster_id,
        enabled: isOn,
        ...(chosen.length === 0 ? {} : { changed: chosen }),
        event_types: recorded,
        not_emitted: unemitted,
      },
      text: () => {
        if (!isOn) return 'events disabled\n';
        const lines = enabled
          ? [`events enabled: ${shown.join(', ') || 'none'}`]
          : [`events disabled: ${chosen.join(', ')}`];
        if (others.length > 0)
          lines.push(`${enabled ? 'enabled before' : 'still enabled'}: ${others.join(', ')}`);
        const named = unemitted.filter((type) => chosen.length === 0 || chosen.includes(type));
        if (named.length > 0) lines.push(`not emitted by this release: ${named.join(', ')}`);
        return `${lines.join('\n')}\n`;
      },
    });
    return 0;
  };
}

export const enableEvents = switching(true);
export const disableEvents: Handler<'cli events disable'> = switching(false);
