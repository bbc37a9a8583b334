import type { OutputOf } from '@weir/api';
import { formatDurationMs, pauseUnlessStopped } from '@weir/core';
import { apiClient, orFailure } from '../api-client.ts';
import { clusterId } from '../api-cluster.ts';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';
import { styled } from '../results/style.ts';
import { table } from '../results/table.ts';
import { eventColumns, eventRow, eventTone } from './event-rows.ts';
import { filterHints } from './filter-hints.ts';

/** The pause between two searches that wait for a first event. */
const waitPollMs = 500;

/** Prints the events that match a filter, and what the search cost. */
export const searchEvents: Handler<'cli events search'> = async (values, deps) => {
  const { clock, output, stop } = deps;
  const client = apiClient(values, deps);
  const virtual_cluster_id = await clusterId(client, values.cluster);
  const search = () =>
    orFailure(
      client.call('search_events', {
        virtual_cluster_id,
        event_types: [...values.types],
        time_range: { relative: formatDurationMs(values.last) },
        filter: values.filter ?? '',
        sort: values.sort,
        limit: values.limit,
      }),
    );
  const endMs = clock.monotonicMs() + values.wait;
  let found = await search();
  while (found.events.length === 0 && clock.monotonicMs() < endMs && !stop.aborted) {
    await pauseUnlessStopped(clock, waitPollMs, stop);
    found = await search();
  }
  const query = { clusterId: virtual_cluster_id, ...values };
  const hints = found.events.length === 0 ? await filterHints(client, query) : [];
  for (const hint of hints) output.err(`weir cli events search: ${hint}\n`);
  const style = (line: string, index: number) =>
    styled(line, eventTone(found.events[index]!), output.colours?.out);
  printResult(values, deps, {
    json: found,
    text: () => (found.events.length === 0 ? '' : table(eventColumns, found.events.map(eventRow), style)),
  });
  if (values.output !== 'json') output.err(`weir cli events search: ${summary(found)}\n`);
  return 0;
};

function summary({ events, truncated, stats, partial, message }: OutputOf<'search_events'>): string {
  if (message !== undefined) return message;
  const more = truncated ? ', more exist' : '';
  const cut = partial === undefined ? '' : '; incomplete: the search reached a limit';
  const scanned = stats.events_scanned.toLocaleString('en');
  return `${events.length} events${more}; ${scanned} scanned in ${stats.ms} ms${cut}`;
}
