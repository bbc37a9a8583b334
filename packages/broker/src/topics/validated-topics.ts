import {
  type ClusterPort,
  collisionKey,
  collisionProblem,
  type TopicResult,
  type TopicToCreate,
} from '@weir/cluster';

/**
 * Validates the topics of one request in parts, and compares those of later parts with those of earlier ones, as the
 * control plane does within a part: validated topics are not in its state.
 */
export class ValidatedTopics {
  readonly #port: ClusterPort;
  /** Names of valid topics, by what they collide with. */
  readonly #names = new Map<string, string>();
  #partitionCount = 0;

  constructor(port: ClusterPort) {
    this.#port = port;
  }

  async validate(part: readonly TopicToCreate[]): Promise<TopicResult[]> {
    const colliding = part.map(({ name }) => this.#names.get(collisionKey(name)));
    const toAsk = part.filter((_, at) => colliding[at] === undefined);
    const options = { validateOnly: true, partitionsBefore: this.#partitionCount };
    const answers = toAsk.length === 0 ? [] : await this.#port.createTopics(toAsk, options);
    for (const { topic } of answers) {
      if (topic === undefined) continue;
      this.#names.set(collisionKey(topic.name), topic.name);
      this.#partitionCount += topic.partitionCount;
    }
    let next = 0;
    return part.map(({ name }, at) => {
      const other = colliding[at];
      if (other === undefined) return answers[next++]!;
      const message = collisionProblem(name, other);
      return { error: 'INVALID_TOPIC_EXCEPTION', message, topic: undefined };
    });
  }
}
