import { eventTypeNames } from '../event-types.ts';
import type { Filter } from '../filter/tree.ts';
import { eventLimits } from '../limits.ts';
import { needsRecords } from '../sidecar/stripe-filter.ts';
import { type Part, partsOf } from './parts.ts';
import { rangesOfChunks } from './read-chunks.ts';
import type { EstimateAnswer, EstimateRequest } from './request.ts';
import { openParts, type ScanTools } from './scan-part.ts';
import { chunksWanted } from './scan-stripe.ts';

interface EstimateTools extends ScanTools {
  /** Resolves when the query has to end, for any reason. */
  readonly whenOver: Promise<void>;
}

interface Sums {
  events: number;
  bytes: number;
}

/**
 * Estimates what a search of the whole window would scan and read, without reading events: from the metadata of topics
 * and from the footers of sidecars, which the search needs as well.
 */
export async function estimate(
  { types, window, filter }: EstimateRequest,
  tools: EstimateTools,
): Promise<Omit<EstimateAnswer, 'stats'>> {
  const { source, receipt, signal } = tools;
  const topics = await source.topics(types.length === 0 ? eventTypeNames : [...new Set(types)]);
  const sums: Sums = { events: 0, bytes: 0 };
  const adding = addTopics();
  // The query does not wait for a source that hangs, and a late rejection is not an error.
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
      const chunks = chunksWanted({ filter }, part.stripe, part.topic.type);
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
