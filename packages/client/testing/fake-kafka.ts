/**
 * A Kafka cluster for tests: real sockets on free ports, answers built with `@weir/wire`, topics in memory. Every
 * answer can be replaced by a script, which may also stay silent or close the connection.
 */

import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { MiB, systemClock } from '@weir/core';
import {
  type ApiName,
  type Apis,
  apis,
  DecodeError,
  decodeRequestBody,
  decodeRequestHeader,
  encodeResponse,
  errors,
  FrameSplitter,
  RecordBatchView,
  type RequestOf,
  type ResponseOf,
  rewritePosition,
  zeroUuid,
} from '@weir/wire';

import { FakeSaslLogin, type FakeSaslOptions } from './fake-sasl.ts';

/** The reaction of a broker to a request. */
type Reaction<Name extends ApiName> = ResponseOf<Apis[Name]> | 'silence' | 'hang up';

export interface RequestContext {
  readonly nodeId: number;
  readonly version: number;
  /** How many requests of this API were received before, by any broker. */
  readonly earlier: number;
}

type Answers = {
  readonly [Name in ApiName]?: (
    request: RequestOf<Apis[Name]>,
    context: RequestContext,
  ) => Reaction<Name> | undefined | Promise<Reaction<Name> | undefined>;
};

export interface FakeKafkaOptions {
  readonly brokers?: number;
  /** The number of partitions by topic. */
  readonly topics?: Readonly<Record<string, number>>;
  /** Replaces the default answer; `undefined` gives the default. */
  readonly script?: Answers;
  /** The offered versions, if not all. */
  readonly versions?: { readonly [Name in ApiName]?: readonly [lowest: number, highest: number] };
  /** Brokers that are in the metadata and do not exist. */
  readonly ghosts?: readonly { readonly nodeId: number; readonly host: string; readonly port: number }[];
  readonly tls?: TlsOptions;
  /** The host that the brokers advertise. */
  readonly advertisedHost?: string;
  /** Enables logins. Without it the listener takes none. */
  readonly sasl?: FakeSaslOptions;
  /** Overrides the correlation id of an answer. */
  readonly correlationId?: (requested: number, api: ApiName) => number;
}

interface SeenRequest {
  readonly nodeId: number;
  readonly api: ApiName;
  readonly version: number;
  readonly clientId: string | null;
}

/** The state of one connection. */
interface Peer {
  readonly socket: Socket;
  readonly nodeId: number;
  login: FakeSaslLogin | undefined;
  isLoggedIn: boolean;
}

interface Partition {
  readonly batches: Buffer[];
  end: bigint;
}

interface Topic {
  readonly id: string;
  readonly partitions: readonly Partition[];
}

const rack = 'service-fake-rack';

export class FakeKafka {
  readonly requests: SeenRequest[] = [];
  readonly topics = new Map<string, Topic>();
  readonly #options: FakeKafkaOptions;
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();

  private constructor(options: FakeKafkaOptions) {
    this.#options = options;
    for (const [name, partitions] of Object.entries(options.topics ?? {})) this.createTopic(name, partitions);
  }

  static async start(options: FakeKafkaOptions = {}): Promise<FakeKafka> {
    const fake = new FakeKafka(options);
    for (let nodeId = 1; nodeId <= (options.brokers ?? 1); nodeId++) {
      const accept = (socket: Socket) => fake.#serve(socket, nodeId);
      const server = options.tls === undefined ? createServer(accept) : createTlsServer(options.tls, accept);
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      fake.#servers.push(server);
    }
    return fake;
  }

  /** The port of a broker, counted from 1. */
  port(nodeId = 1): number {
    return (this.#servers[nodeId - 1]!.address() as AddressInfo).port;
  }

  /** How many requests of an API were received. */
  count(api: ApiName): number {
    return this.requests.filter((request) => request.api === api).length;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    for (const server of this.#servers) {
      server.close();
      await once(server, 'close');
    }
  }

  createTopic(name: string, partitionCount: number): Topic {
    const id = Buffer.alloc(16, name).toString('base64url');
    const partitions = Array.from({ length: partitionCount }, () => ({ batches: [], end: 0n }));
    const topic = { id, partitions };
    this.topics.set(name, topic);
    return topic;
  }

  #serve(socket: Socket, nodeId: number): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => {});
    const splitter = new FrameSplitter(64 * MiB);
    const peer: Peer = { socket, nodeId, login: undefined, isLoggedIn: false };
    socket.on('data', (chunk) => {
      try {
        for (const frame of splitter.push(chunk)) void this.#answer(peer, Buffer.from(frame));
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
        socket.destroy();
      }
    });
  }

  async #answer(peer: Peer, frame: Buffer): Promise<void> {
    const { socket, nodeId } = peer;
    const {
      apiKey,
      apiVersion: version,
      correlationId,
      clientId,
      api,
      bodyStart,
    } = decodeRequestHeader(frame);
    const name = (Object.keys(apis) as ApiName[]).find((candidate) => apis[candidate].key === apiKey)!;
    const earlier = this.count(name);
    this.requests.push({ nodeId, api: name, version, clientId });
    const reply = (inVersion: number, body: never) => {
      const id = this.#options.correlationId?.(correlationId, name) ?? correlationId;
      for (const slice of encodeResponse(apis[name] as never, inVersion, id, body)) socket.write(slice);
    };

    const [lowest, highest] = this.#offered(name);
    if (version > highest || version < lowest || api === undefined) {
      if (name !== 'ApiVersions') socket.destroy();
      else
        reply(0, {
          errorCode: errors.UNSUPPORTED_VERSION.code,
          apiKeys: this.#apiKeys(['ApiVersions']),
        } as never);
      return;
    }
    const { body: request } = decodeRequestBody(api, version, frame, bodyStart);
    const context = { nodeId, version, earlier };
    const isLogin = name === 'SaslHandshake' || name === 'SaslAuthenticate';
    const isAllowed = peer.isLoggedIn || isLogin || name === 'ApiVersions';
    if (this.#options.sasl?.isRequired === true && !isAllowed) {
      socket.destroy();
      return;
    }
    if (isLogin) {
      this.#logIn(peer, name, request as never, (body) => reply(version, body as never));
      return;
    }
    // After the handshake of a login, a broker accepts nothing else until the login is complete.
    if (peer.login !== undefined) {
      socket.destroy();
      return;
    }
    const scripted = this.#options.script?.[name] as Answers[typeof name];
    const reaction =
      (await scripted?.(request as never, context)) ??
      (await (this.#usual[name] as Answers[typeof name])?.(request as never, context));
    if (reaction === 'silence' || socket.destroyed) return;
    if (reaction === 'hang up' || reaction === undefined) socket.destroy();
    else reply(version, reaction as never);
  }

  #logIn(
    peer: Peer,
    name: 'SaslHandshake' | 'SaslAuthenticate',
    request: { readonly mechanism?: string; readonly authBytes?: Buffer },
    reply: (body: object) => void,
  ): void {
    const { sasl } = this.#options;
    if (name === 'SaslHandshake') {
      const isEnabled = sasl?.mechanisms.includes(request.mechanism!) ?? false;
      if (isEnabled) peer.login = new FakeSaslLogin(sasl!, request.mechanism!);
      const refused =
        sasl === undefined ? errors.ILLEGAL_SASL_STATE.code : errors.UNSUPPORTED_SASL_MECHANISM.code;
      reply({ errorCode: isEnabled ? 0 : refused, mechanisms: sasl?.mechanisms ?? [] });
      return;
    }
    const answer = peer.login?.reply(request.authBytes!);
    if (answer === undefined || 'refuse' in answer) {
      const errorCode =
        errors[answer === undefined ? 'ILLEGAL_SASL_STATE' : 'SASL_AUTHENTICATION_FAILED'].code;
      reply({ errorCode, errorMessage: answer?.refuse ?? null, authBytes: Buffer.alloc(0) });
      peer.socket.end();
      return;
    }
    if (answer.isDone) {
      peer.login = undefined;
      peer.isLoggedIn = true;
    }
    const sessionLifetimeMs = BigInt(answer.isDone ? (sasl!.sessionLifetimeMs ?? 0) : 0);
    reply({ errorCode: 0, errorMessage: null, authBytes: answer.bytes, sessionLifetimeMs });
  }

  #offered(name: ApiName): readonly [lowest: number, highest: number] {
    const { versions, highestStableVersion } = apis[name];
    return this.#options.versions?.[name] ?? [versions.lowest, highestStableVersion];
  }

  #apiKeys(names: readonly ApiName[]) {
    return names.map((name) => {
      const [minVersion, maxVersion] = this.#offered(name);
      return { apiKey: apis[name].key, minVersion, maxVersion };
    });
  }

  #leaderOf(partition: number): number {
    return (partition % this.#servers.length) + 1;
  }

  #find(name: string, id: string): readonly [string, Topic] | undefined {
    return [...this.topics].find(([known, topic]) => (id === zeroUuid ? known === name : topic.id === id));
  }

  /** The partition, or the error code of a request for it to this broker. */
  #lookUp(nodeId: number, name: string, id: string, index: number): Partition | number {
    const partition = this.#find(name, id)?.[1].partitions[index];
    if (partition === undefined) return errors.UNKNOWN_TOPIC_OR_PARTITION.code;
    return this.#leaderOf(index) === nodeId ? partition : errors.NOT_LEADER_OR_FOLLOWER.code;
  }

  readonly #usual: Answers = {
    ApiVersions: () => ({
      errorCode: 0,
      apiKeys: this.#apiKeys([
        ...(Object.keys({ ...this.#usual, ...this.#options.script }) as ApiName[]),
        'SaslHandshake',
        'SaslAuthenticate',
      ]),
    }),

    Metadata: ({ topics }, { version }) => {
      const all = topics === null || (version === 0 && topics.length === 0);
      const names = all ? [...this.topics.keys()] : topics.map(({ name }) => name!);
      const brokers = this.#servers.map((_, index) => ({
        nodeId: index + 1,
        host: this.#options.advertisedHost ?? '127.0.0.1',
        port: this.port(index + 1),
        rack,
      }));
      return {
        brokers: [...brokers, ...(this.#options.ghosts ?? []).map((ghost) => ({ ...ghost, rack }))],
        clusterId: 'fake',
        controllerId: 1,
        topics: names.map((name) => {
          const topic = this.topics.get(name);
          return {
            errorCode: topic === undefined ? errors.UNKNOWN_TOPIC_OR_PARTITION.code : 0,
            name,
            topicId: topic?.id ?? zeroUuid,
            partitions: (topic?.partitions ?? []).map((_, partitionIndex) => {
              const leaderId = this.#leaderOf(partitionIndex);
              return {
                errorCode: 0,
                partitionIndex,
                leaderId,
                leaderEpoch: 4,
                replicaNodes: [leaderId],
                isrNodes: [leaderId],
              };
            }),
          };
        }),
      };
    },

    FindCoordinator: ({ coordinatorKeys }, { version }) => {
      const found = { nodeId: 1, host: '127.0.0.1', port: this.port(1), errorCode: 0, errorMessage: null };
      return version < 4 ? found : { coordinators: coordinatorKeys.map((key) => ({ key, ...found })) };
    },

    CreateTopics: ({ topics }) => ({
      throttleTimeMs: 0,
      topics: topics.map(({ name, numPartitions }) => {
        if (this.topics.has(name)) {
          return {
            name,
            errorCode: errors.TOPIC_ALREADY_EXISTS.code,
            errorMessage: `Topic '${name}' exists.`,
          };
        }
        const count = numPartitions < 0 ? 1 : numPartitions;
        const { id } = this.createTopic(name, count);
        return {
          name,
          topicId: id,
          errorCode: 0,
          errorMessage: null,
          numPartitions: count,
          replicationFactor: 1,
        };
      }),
    }),

    DeleteTopics: ({ topics, topicNames }) => ({
      throttleTimeMs: 0,
      responses: [...topics.map(({ name }) => name!), ...topicNames].map((name) => ({
        name,
        errorCode: this.topics.delete(name) ? 0 : errors.UNKNOWN_TOPIC_OR_PARTITION.code,
      })),
    }),

    ListOffsets: ({ topics }, { nodeId }) => ({
      topics: topics.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map(({ partitionIndex, timestamp }) => {
          const found = this.#lookUp(nodeId, name, zeroUuid, partitionIndex);
          return typeof found === 'number'
            ? { partitionIndex, errorCode: found }
            : { partitionIndex, errorCode: 0, offset: timestamp === -2n ? 0n : found.end };
        }),
      })),
    }),

    Produce: ({ acks, topicData }, { nodeId }) => {
      const responses = topicData.map(({ name, topicId, partitionData }) => ({
        name,
        topicId,
        partitionResponses: partitionData.map(({ index, records }) => {
          const found = this.#lookUp(nodeId, name, topicId, index);
          if (typeof found === 'number') return { index, errorCode: found, baseOffset: -1n };
          const baseOffset = found.end;
          rewritePosition(records!, baseOffset, 4);
          found.batches.push(records!);
          found.end = new RecordBatchView(records!).nextOffset;
          return { index, errorCode: 0, baseOffset };
        }),
      }));
      return acks === 0 ? 'silence' : { responses };
    },

    Fetch: async ({ topics, maxWaitMs }, { nodeId }) => {
      let isEmpty = true;
      const responses = topics.map(({ topic: name, topicId, partitions }) => ({
        topic: name,
        topicId,
        partitions: partitions.map(({ partition, fetchOffset }) => {
          const found = this.#lookUp(nodeId, name, topicId, partition);
          const base = { partitionIndex: partition, abortedTransactions: null };
          if (typeof found === 'number')
            return { ...base, errorCode: found, highWatermark: -1n, records: null };
          const batches = found.batches.filter(
            (batch) => new RecordBatchView(batch).nextOffset > fetchOffset,
          );
          if (batches.length > 0) isEmpty = false;
          return { ...base, errorCode: 0, highWatermark: found.end, records: batches };
        }),
      }));
      if (isEmpty) await new Promise<void>((resolve) => systemClock.after(maxWaitMs, resolve));
      return { throttleTimeMs: 0, responses };
    },
  };
}
