import * as s from '../shapes/shape.ts';
import { migrationStates } from './migration-states.ts';

/** The namespace of key-value entries with the migrations of topics, by topic id. Agents follow it. */
export const managedTopicNamespace = 'managedTopic';

/**
 * Producer ids of this cluster begin here once it has a managed topic, far above those of any source. So an idempotent
 * producer keeps its id when agents pass its batches on to the source, and after the cut-over.
 */
export const migratedProducerIdMin = 2 ** 40;

const managedTopicShape = s.struct({
  pipelineId: s.text,
  /** The name at the source. */
  sourceTopic: s.text,
  /** The id at the source; empty if the source has no ids (before Apache Kafka 2.8). */
  sourceTopicId: s.text,
  state: s.oneOf(...migrationStates),
  /** Rises by one with each transition, from 1. */
  epoch: s.whole,
  /** When the state began. */
  changedMs: s.whole,
  /** Who changed it: a user, a key, `migration`, or `timeout`. */
  changedBy: s.text,
  /** Why, in one line; may be empty. */
  reason: s.text,
  /** When the state ends by itself; see `migrationTransitions`. */
  deadlineMs: s.optional(s.whole),
});

/** The migration of a topic: durable, and known to all agents. A topic without one was always ours. */
export type ManagedTopic = s.TypeOf<typeof managedTopicShape>;

/** Whether clients may write to the topic, change and delete it, and its configs apply. */
export function isHandedOver({ state }: ManagedTopic): boolean {
  return state === 'MIGRATED';
}

export function writeManagedTopic(topic: ManagedTopic): Buffer {
  return Buffer.from(JSON.stringify(topic));
}

/** Reads an entry. Throws for one that no release has written. */
export function readManagedTopic(value: Uint8Array): ManagedTopic {
  const read: unknown = JSON.parse(Buffer.from(value).toString());
  const problem = managedTopicShape(read, 'a managed topic');
  if (problem !== undefined) throw new TypeError(problem);
  return read as ManagedTopic;
}
