import { createWritePath, type WritePath, type WritePathOptions } from '../write-path.ts';
import { AgentSequences } from './agent-sequences.ts';
import { lightningRows } from './lightning-metrics.ts';
import { topicPaths } from './topic-paths.ts';

interface LightningOptions extends Omit<WritePathOptions, 'sequences' | 'lateCommits' | 'hedgesUploads'> {
  readonly agentId: string;
}

/** Where the store charges per request, a file of lightning topics waits for no longer than this for others. */
const lightningWindowMs = 25;

/**
 * Adds lightning topics to the write path of other topics: their records lie in files of their own, which are
 * acknowledged as soon as they are stored and committed behind that (ADR 0202).
 */
export function withLightning(classic: WritePath, options: LightningOptions): WritePath {
  const { agentId, cluster, clock, random, log, metrics, flush } = options;
  const live = metrics.series(lightningRows.replayed, { live: 'true' });
  const closed = metrics.series(lightningRows.closed, {});
  const outstanding = metrics.series(lightningRows.outstanding, {});
  const latency = metrics.series(lightningRows.latency, {});
  const sequences = new AgentSequences({
    agentId,
    port: () => cluster.port,
    clock,
    random,
    log,
    onClosed: () => closed.add(1),
  });
  const lightning = createWritePath({
    ...options,
    // Beside those of other topics.
    bufferedBytesMax: options.bufferedBytesMax / 2,
    flush: { ...flush, windowMs: Math.min(flush.windowMs, lightningWindowMs) },
    sequences,
    lateCommits: {
      acknowledged: () => outstanding.add(1),
      left(tookMs) {
        outstanding.add(-1);
        if (tookMs === undefined) return;
        live.add(1);
        latency.observe(tookMs / 1000);
      },
    },
  });
  return topicPaths({ classic, lightning, sequences });
}
