import type { Broker, Connection } from './client.ts';
import type { ClientDeps } from './deps.ts';

/** How clients find brokers. */
export interface Bootstrap {
  readonly topicName: string;
  readonly topicId: string;
  readonly partitionCount: number;
  /** The bootstrap brokers that an operator would configure: the last ones started, alive or not. */
  brokers(): readonly Broker[];
  connect(broker: Broker): Connection;
}

const metadataTimeoutMs = 2_000;

/** State of one client: a connection per broker, and the last known leaders. */
export class ClientCluster {
  readonly #world: ClientDeps;
  readonly #bootstrap: Bootstrap;
  readonly #connections = new Map<Broker, Connection>();
  #leaders: readonly (Broker | undefined)[] = [];
  #refresh: Promise<void> | undefined;

  constructor(world: ClientDeps, bootstrap: Bootstrap) {
    this.#world = world;
    this.#bootstrap = bootstrap;
  }

  leaderOf(partition: number): Broker | undefined {
    return this.#leaders[partition];
  }

  connectionTo(broker: Broker): Connection {
    let connection = this.#connections.get(broker);
    if (connection?.isOpen !== true) {
      connection = this.#bootstrap.connect(broker);
      this.#connections.set(broker, connection);
    }
    return connection;
  }

  /** Breaks all connections, as a network fault does. */
  cut(): void {
    for (const connection of this.#connections.values()) connection.close('connection reset');
  }

  /** Refreshes metadata from any broker. On failure, the known metadata stays. */
  refresh(): Promise<void> {
    this.#refresh ??= this.#fetchMetadata().finally(() => {
      this.#refresh = undefined;
    });
    return this.#refresh;
  }

  async #fetchMetadata(): Promise<void> {
    const { random } = this.#world;
    const brokers = this.#bootstrap.brokers();
    const broker = brokers[random.below(brokers.length)]!;
    // A separate connection: a slow answer must not break the one for Produce requests.
    const connection = this.#bootstrap.connect(broker);
    try {
      const { topicName, partitionCount } = this.#bootstrap;
      const answer = await connection.request(
        'Metadata',
        { topics: [{ name: topicName }], allowAutoTopicCreation: false },
        metadataTimeoutMs,
      );
      const partitions = answer.topics[0]?.partitions ?? [];
      if (partitions.length !== partitionCount) return;
      const leaders = new Array<Broker | undefined>(partitionCount);
      for (const { partitionIndex, leaderId } of partitions) {
        const leader = answer.brokers.find(({ nodeId }) => nodeId === leaderId);
        leaders[partitionIndex] = brokers.find(
          ({ address }) => address.host === leader?.host && address.port === leader.port,
        );
      }
      this.#leaders = leaders;
    } catch {
      // The next attempt uses another broker.
    } finally {
      connection.close('no longer needed');
    }
  }
}
