import { isHandedOver, type ManagedTopic, managedTopicNamespace, readManagedTopic } from '@weir/cluster';
import type { ClusterView } from '../cluster/cluster-view.ts';

/** The topics that a migration manages, as the agent knows them from the change stream. */
export class ManagedTopicsView {
  readonly #view: Pick<ClusterView, 'records'>;
  #version = -1;
  /** Without those that are handed over. */
  #topics: ReadonlyMap<string, ManagedTopic> = new Map();

  constructor(view: Pick<ClusterView, 'records'>) {
    this.#view = view;
  }

  /** Managed topics by id. The map is replaced whenever one changes. */
  get topics(): ReadonlyMap<string, ManagedTopic> {
    const { version, byKey } = this.#view.records(managedTopicNamespace);
    if (version === this.#version) return this.#topics;
    const topics = new Map<string, ManagedTopic>();
    for (const [topicId, value] of byKey) {
      const topic = readManagedTopic(value);
      if (!isHandedOver(topic)) topics.set(topicId, topic);
    }
    this.#topics = topics;
    this.#version = version;
    return topics;
  }
}
