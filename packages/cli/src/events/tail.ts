import type { Client, EventResponse } from '@weir/api';
import { pauseUnlessStopped } from '@weir/core';
import { EventTail, tailPollMs } from '@weir/events/event-tail';
import { apiClient, orFailure } from '../api-client.ts';
import { clusterId } from '../api-cluster.ts';
import type { Deps } from '../deps.ts';
import type { CommandValues } from '../flags/catalogue.ts';
import { type Handler, stoppedStatus } from '../handler.ts';
import { ResultRows } from '../results/results.ts';
import { eventColumns, eventRow, eventTone } from './event-rows.ts';
import { filterHints } from './filter-hints.ts';

/** Pages per poll. A reader that is further behind continues with the next poll. */
const pagesMax = 10;

/** Prints events as they happen, until it is stopped. It polls every two seconds, with at most one call in flight. */
export const tailEvents: Handler<'cli events tail'> = async (values, deps) => {
  const { clock, output, stop } = deps;
  const client = apiClient(values, deps);
  const virtualClusterId = await clusterId(client, values.cluster);
  // A filter that matches nothing would print nothing forever.
  for (const hint of await filterHints(client, { clusterId: virtualClusterId, ...values }))
    output.err(`weir cli events tail: ${hint}\n`);
  const tail = new EventTail(clock.nowMs() - values.last);
  const rows = new ResultRows<EventResponse>(values, deps, {
    header: eventColumns,
    cells: eventRow,
    json: (event) => event,
    tone: eventTone,
  });
  while (!stop.aborted) {
    for await (const events of searchOnce(client, values, { virtualClusterId, tail, deps })) {
      const fresh = tail.fresh(events);
      if (fresh.length > 0) await rows.print(fresh);
    }
    await pauseUnlessStopped(clock, tailPollMs, stop);
  }
  return stoppedStatus;
};

interface SearchContext {
  readonly virtualClusterId: string;
  readonly tail: EventTail;
  readonly deps: Deps;
}

async function* searchOnce(
  client: Client,
  { types, filter = '' }: CommandValues<'cli events tail'>,
  { virtualClusterId, tail, deps: { clock, stop } }: SearchContext,
): AsyncGenerator<readonly EventResponse[], void, undefined> {
  const time_range = tail.windowAt(clock.nowMs());
  let cursor: string | null | undefined;
  for (let pages = 0; pages < pagesMax && cursor !== null && !stop.aborted; pages++) {
    const answer = await orFailure(
      client.call('search_events', {
        virtual_cluster_id: virtualClusterId,
        event_types: [...types],
        time_range,
        filter,
        sort: 'asc',
        ...(cursor === undefined ? {} : { cursor }),
      }),
    ).catch((error: Error) => {
      if (stop.aborted) return undefined;
      throw error;
    });
    if (answer === undefined) return;
    yield answer.events;
    cursor = answer.next_cursor;
  }
}
