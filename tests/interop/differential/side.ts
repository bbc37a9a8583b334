import type { Address } from '@weir/client';
import {
  type Api,
  type ApiName,
  type Apis,
  apis,
  type Decoded,
  decodeResponse,
  type Encodable,
  encodeRequest,
  errors,
} from '@weir/wire';
import { pause } from '../brokers/waiting.ts';
import type { Struct } from '../clients/struct.ts';
import { RawConnection } from './raw-connection.ts';

export type SideName = 'apache' | 'weir';

export type Body<Name extends ApiName> = Encodable<Apis[Name]['request']>;
export type AnswerOf<Name extends ApiName> = Decoded<Apis[Name]['response']>;

/** An answer, or why there is none. */
export type Outcome = { readonly body: Struct } | 'closed' | 'silent' | 'unreadable';

/** As the client id of every request, it begins the ids of members that servers choose. */
export const clientId = 'differential';

const answerTimeoutMs = 12_000;
const repeatEveryMs = 100;
const repeatsMax = 30;
/**
 * Errors after which every client sends the same request again. Whether a server has them is a matter of time, so what
 * is compared is the answer that ends them.
 */
const repeated: ReadonlySet<number> = new Set([
  errors.COORDINATOR_LOAD_IN_PROGRESS.code,
  errors.COORDINATOR_NOT_AVAILABLE.code,
  errors.NOT_COORDINATOR.code,
  errors.CONCURRENT_TRANSACTIONS.code,
]);

/** One of the two servers, and what it has said that later requests need. */
export class Side {
  readonly name: SideName;
  readonly address: Address;
  /** Names of topics by their ids. */
  readonly topicNames = new Map<string, string>();
  readonly versions = new Map<number, { readonly lowest: number; readonly highest: number }>();
  nodeId = -1;
  clusterId = '';
  #connection: RawConnection | undefined;
  #lastCorrelationId = 0;

  constructor(name: SideName, address: Address) {
    this.name = name;
    this.address = address;
  }

  /** Learns what the server calls itself, and which versions it serves. */
  async introduce(): Promise<void> {
    const served = await this.answer('ApiVersions', 4, {
      clientSoftwareName: clientId,
      clientSoftwareVersion: '1',
    });
    for (const { apiKey, minVersion, maxVersion } of served.apiKeys) {
      this.versions.set(apiKey, { lowest: minVersion, highest: maxVersion });
    }
    const { clusterId, brokers } = await this.answer('Metadata', 12, { topics: [] });
    this.clusterId = clusterId ?? '';
    this.nodeId = brokers[0]!.nodeId;
  }

  /** The id of a topic that `learnTopic` has seen. */
  topicId(name: string): string {
    for (const [id, known] of this.topicNames) if (known === name) return id;
    throw new Error(`${this.name} has told no id of ${name}`);
  }

  /** The id of a topic, or one that no topic has. */
  idOrNone(name: string): string {
    const known = [...this.topicNames].find(([, topic]) => topic === name);
    return known?.[0] ?? Buffer.alloc(16, 9).toString('base64url');
  }

  /** Waits until the topic has leaders, and keeps its id. */
  async learnTopic(name: string): Promise<void> {
    for (;;) {
      const { topics } = await this.answer('Metadata', 12, {
        topics: [{ name }],
        allowAutoTopicCreation: false,
      });
      const [topic] = topics;
      if (topic?.errorCode === 0 && topic.partitions.every(({ leaderId }) => leaderId >= 0)) {
        this.topicNames.set(topic.topicId, name);
        const partitions = topic.partitions.map(({ partitionIndex }) => ({ partitionIndex, timestamp: -1n }));
        const { topics: listed } = await this.answer('ListOffsets', 7, {
          replicaId: -1,
          topics: [{ name, partitions }],
        });
        // A leader may be announced before it has a log.
        if (listed[0]!.partitions.every(({ errorCode }) => errorCode === 0)) return;
      }
      await pause();
    }
  }

  /** Sends a request that has to be answered. */
  async answer<Name extends ApiName>(name: Name, version: number, body: Body<Name>): Promise<AnswerOf<Name>> {
    const outcome = await this.ask(apis[name] as unknown as Api, version, body as Struct);
    if (typeof outcome === 'string') throw new Error(`${name} v${version} of ${this.name}: ${outcome}`);
    return outcome.body as AnswerOf<Name>;
  }

  /** Sends a request, again and again while a client would. */
  async ask(api: Api, version: number, body: Struct): Promise<Outcome> {
    for (let repeats = 0; ; repeats++) {
      const outcome = await this.#askOnce(api, version, body);
      if (typeof outcome === 'string' || repeats === repeatsMax || !asksForRepetition(outcome.body))
        return outcome;
      await pause(repeatEveryMs);
    }
  }

  /** Sends the bytes of a request as they are. */
  async send(api: Api, version: number, frame: readonly Uint8Array[]): Promise<Outcome> {
    const connection = await this.#connected();
    const reply = await connection.exchange(frame, answerTimeoutMs);
    if (typeof reply === 'string') return reply;
    try {
      return { body: decodeResponse(api, version, reply).body as Struct };
    } catch {
      return 'unreadable';
    }
  }

  nextCorrelationId(): number {
    return ++this.#lastCorrelationId;
  }

  close(): void {
    this.#connection?.close();
  }

  #askOnce(api: Api, version: number, body: Struct): Promise<Outcome> {
    const header = { correlationId: this.nextCorrelationId(), clientId };
    return this.send(api, version, encodeRequest(api, version, header, body as never));
  }

  async #connected(): Promise<RawConnection> {
    if (this.#connection === undefined || this.#connection.isClosed) {
      this.#connection = await RawConnection.open(this.address);
    }
    return this.#connection;
  }
}

/** Whether an error at any depth is one of those that clients repeat. */
function asksForRepetition(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(asksForRepetition);
  if (value === null || typeof value !== 'object' || Buffer.isBuffer(value)) return false;
  return Object.entries(value).some(
    ([name, inner]) => (name === 'errorCode' && repeated.has(inner as number)) || asksForRepetition(inner),
  );
}
