import type { ClusterView } from '@weir/broker';
import { clusterConfigValue, type TopicDescription } from '@weir/cluster';
import type { Log } from '@weir/core';
import { type EventTypeName, eventTopicName, eventTypeNames } from '@weir/events/emission';

type EventTopicsView = Pick<ClusterView, 'topicByName' | 'clusterConfigs' | 'port'>;

/**
 * The event topics: one per type, created by the first agent with an event for it, with the retention that the cluster
 * configs say. Cluster defaults for client topics must not apply, so all relevant configs are set explicitly.
 */
export class EventTopics {
  readonly #view: EventTopicsView;
  readonly #log: Log;
  readonly #making = new Map<EventTypeName, Promise<string | undefined>>();
  readonly #altering = new Set<EventTypeName>();
  /** Types whose failure was logged, until they succeed again. */
  readonly #logged = new Set<EventTypeName>();

  constructor(view: EventTopicsView, log: Log) {
    this.#view = view;
    this.#log = log;
  }

  /** Returns the id of the topic if it exists, without a call. */
  known(type: EventTypeName): string | undefined {
    return this.#view.topicByName(eventTopicName(type))?.topicId;
  }

  /** Returns the id of the topic, which is created if necessary; `undefined` if that is not possible now. */
  async ensure(type: EventTypeName): Promise<string | undefined> {
    const known = this.#view.topicByName(eventTopicName(type));
    if (known !== undefined) {
      this.#followRetention(type, known);
      return known.topicId;
    }
    let made = this.#making.get(type);
    if (made === undefined) {
      made = this.#make(type).finally(() => this.#making.delete(type));
      this.#making.set(type, made);
    }
    return made;
  }

  /** Applies the configured retention to every existing topic. */
  keep(): void {
    for (const type of eventTypeNames) {
      const topic = this.#view.topicByName(eventTopicName(type));
      if (topic !== undefined) this.#followRetention(type, topic);
    }
  }

  async #make(type: EventTypeName): Promise<string | undefined> {
    const name = eventTopicName(type);
    const configs = {
      'cleanup.policy': 'delete',
      'message.timestamp.type': 'CreateTime',
      'retention.bytes': '-1',
      'retention.ms': this.#retentionMs(type),
      'service.partitions_auto_scaler.enabled': 'false',
    };
    try {
      const toCreate = [{ name, partitionCount: 1, configs }];
      const [result] = await this.#view.port.createTopics(toCreate, { validateOnly: false });
      // Another agent created it first; this agent receives the change soon.
      if (result!.error !== 'NONE' && result!.error !== 'TOPIC_ALREADY_EXISTS')
        this.#logOnce(type, `${result!.error}: ${result!.message}`);
      else this.#logged.delete(type);
      return result!.topic?.topicId;
    } catch (error) {
      this.#logOnce(type, String(error));
      return undefined;
    }
  }

  #followRetention(type: EventTypeName, { name, configs }: TopicDescription): void {
    const value = this.#retentionMs(type);
    if (configs['retention.ms'] === value || this.#altering.has(type)) return;
    this.#altering.add(type);
    const changes = [{ name: 'retention.ms', operation: 'set', value }] as const;
    this.#view.port
      .alterConfigs([{ kind: 'topic', name, replacesAll: false, changes }], { validateOnly: false })
      .catch((error) => this.#log.debug('failed to set retention of event topic', { error: String(error) }))
      .finally(() => this.#altering.delete(type));
  }

  #retentionMs(type: EventTypeName): string {
    const nanos = clusterConfigValue(`service.events.${type}.retention.nanos`, this.#view.clusterConfigs());
    return String(Math.max(1, Math.ceil(nanos / 1e6)));
  }

  #logOnce(type: EventTypeName, problem: string): void {
    if (this.#logged.has(type)) return;
    this.#logged.add(type);
    this.#log.warn('failed to create event topic', { topic: eventTopicName(type), error: problem });
  }
}
