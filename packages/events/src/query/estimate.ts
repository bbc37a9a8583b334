import { eventTypeNames } from '../event-types.ts';
import type { Filter } from '../filter/tree.ts';
import { eventLimits } from '../limits.ts';
import { needsRecords } from '../sidecar/stripe-filter.ts';
import { type LookTools, openParts } from './look.ts';
import { type Part, partsOf } from './parts.ts';
import { rangesOfChunks } from './read-chunks.ts';
import type { EstimateAnswer, EstimateRequest } from './request.ts';
import { chunksWanted } from './scan-stripe.ts';

interface EstimateTools extends LookTools {
  /** Resolves when the query has to end, for whatever reason. */
  readonly whenOver: Promise<void>;
}

interface Sums {
  events: number;
  bytes: number;
}

/**
 * What a search through the whole window would look at and read, found out without a look at any event: from the metadata of topics, and from the
 * footers of sidecars, which the search will need as well.
 */
export async function estimate(
  { types, window, filter }: EstimateRequest,
  tools: EstimateTools,
): Promise<Omit<EstimateAnswer, 'stats'>> {
  const { source, receipt, signal } = tools;
  const topics = await source.topics(types.length === 0 ? eventTypeNames : [...new Set(types)]);
  const sums: Sums = { events: 0, bytes: 0 };
  const adding = addTopics();
  // A source that hangs is not waited for, and what it still says when nobody listens is no failure.
  adding.catch(() => {});
  await Promise.race([adding, tools.whenOver]);
  signal.throwIfAborted();
  return {
    kind: 'estimate',
    ...sums,
    partial: receipt.exhausted,
    hasNoData: topics.every(({ startOffset, endOffset }) => startOffset >= endOffset),
  };

  async function addTopics(): Promise<void> {
    const parts = (await Promise.all(topics.map((topic) => partsOf(topic, window, source)))).flat();
    for (
      let next = 0;
      next < parts.length && receipt.exhausted === undefined;
      next += eventLimits.queryReadsMax
    ) {
      const some = parts.slice(next, next + eventLimits.queryReadsMax);
      await Promise.all(some.map((part) => addPart(part, filter, sums, tools)));
    }
  }
}

async function addPart(part: Part, filter: Filter, sums: Sums, tools: EstimateTools): Promise<void> {
  const { topic, fromOffset, toOffset } = part;
  const recordBytes = () => tools.source.storedBytes(topic, fromOffset, toOffset);
  switch (part.kind) {
    case 'sidecar':
      for (const inner of await openParts(part, tools)) await addPart(inner, filter, sums, tools);
      return;
    case 'stripe': {
      const chunks = chunksWanted({ filter }, part.stripe);
      if (chunks === undefined) return;
      const columnBytes = rangesOfChunks(chunks).reduce((sum, { start, end }) => sum + end - start, 0);
      sums.events += toOffset - fromOffset;
      sums.bytes += columnBytes + (needsRecords(filter, part.stripe) ? await recordBytes() : 0);
      return;
    }
    case 'raw':
      sums.events += toOffset - fromOffset;
      sums.bytes += await recordBytes();
  }
}
