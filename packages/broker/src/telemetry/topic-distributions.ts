import type { MetricRow, Metrics, Series } from '@weir/core';
import type { ClusterView } from '../cluster/cluster-view.ts';

type TopicRow = MetricRow<'topic'>;

const requestBytesBuckets: readonly number[] = [
  256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
];

/** With one series per topic, so they are off by default: `-kafkaHighCardinalityDistributionMetrics`. */
export const topicDistributionRows = {
  produced: {
    name: 'agent_kafka_produce_uncompressed_bytes_per_topic_single_produce_request_distribution',
    kind: 'histogram',
    help: 'Estimated bytes of one topic in a Produce request, before compression. Off by default.',
    labels: ['topic'],
    buckets: requestBytesBuckets,
  },
  fetched: {
    name: 'agent_kafka_fetch_uncompressed_bytes_per_topic_single_fetch_request_distribution',
    kind: 'histogram',
    help: 'Upper bound of the bytes of one topic in a Fetch response, before compression. Off by default.',
    labels: ['topic'],
    buckets: requestBytesBuckets,
  },
} as const satisfies Record<string, TopicRow>;

interface TopicPart {
  readonly topicId: string;
  readonly uncompressedBytes: number;
}

/** How much of each topic a request carries. */
export class TopicDistribution {
  readonly #metrics: Metrics;
  readonly #row: TopicRow;
  readonly #byTopic = new Map<string, { readonly name: string; readonly series: Series }>();

  constructor(metrics: Metrics, row: TopicRow) {
    this.#metrics = metrics;
    this.#row = row;
  }

  /** Counts the parts of one request. Parts of a topic need not be neighbours. */
  note(cluster: Pick<ClusterView, 'topicById'>, parts: Iterable<TopicPart>): void {
    const sums = new Map<string, number>();
    for (const { topicId, uncompressedBytes } of parts) {
      sums.set(topicId, (sums.get(topicId) ?? 0) + uncompressedBytes);
    }
    for (const [topicId, bytes] of sums) this.#seriesOf(topicId, cluster)?.observe(bytes);
  }

  #seriesOf(topicId: string, cluster: Pick<ClusterView, 'topicById'>): Series | undefined {
    const known = this.#byTopic.get(topicId);
    if (known !== undefined) return known.series;
    const topic = cluster.topicById(topicId);
    if (topic === undefined) return undefined;
    this.#forgetDeleted(cluster);
    const series = this.#metrics.series(this.#row, { topic: topic.name });
    this.#byTopic.set(topicId, { name: topic.name, series });
    return series;
  }

  /** Topics that come and go would otherwise use up the series of the metric. */
  #forgetDeleted(cluster: Pick<ClusterView, 'topicById'>): void {
    for (const [topicId, { name }] of this.#byTopic) {
      if (cluster.topicById(topicId) !== undefined) continue;
      this.#byTopic.delete(topicId);
      this.#metrics.remove(this.#row, { topic: name });
    }
  }
}
