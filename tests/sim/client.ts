import {
  type Api,
  type Apis,
  apis,
  decodeRequestBody,
  decodeResponse,
  encodeRequest,
  encodeResponse,
  type Fields,
  type ReadStruct,
  requestHeaderVersion,
  type WriteStruct,
} from '@weir/wire';
import { openSession } from '../../packages/security/src/session/client-session.ts';
import type { SimAgent } from './agent.ts';
import { type Deps, delayMs } from './deps.ts';

export type RequestBody<A> = A extends Api<infer Request, Fields> ? WriteStruct<Request> : never;
export type ResponseBody<A> = A extends Api<Fields, infer Response> ? ReadStruct<Response> : never;

/** API versions of the simulated clients. Produce and Fetch identify topics by id. */
const versions = {
  Produce: 13,
  Fetch: 17,
  ListOffsets: 9,
  Metadata: 12,
  OffsetCommit: 9,
  OffsetFetch: 9,
  JoinGroup: 9,
  Heartbeat: 4,
  IncrementalAlterConfigs: 1,
  LeaveGroup: 5,
  SyncGroup: 5,
  CreateTopics: 7,
  DeleteRecords: 2,
  InitProducerId: 5,
  EndTxn: 5,
  TxnOffsetCommit: 5,
  ConsumerGroupHeartbeat: 1,
  StreamsGroupHeartbeat: 0,
} as const;
export type ClientApi = keyof typeof versions;

/** A broker as clients see it. */
export interface Broker {
  readonly agentId: string;
  /** The address in Metadata. */
  readonly address: { readonly host: string; readonly port: number };
}

/** The connection interface of producers and readers, simulated or real. */
export interface Connection {
  readonly broker: Broker;
  readonly isOpen: boolean;
  /** Requests in flight. */
  readonly inFlight: number;
  /** Fails with `ConnectionLost` when the connection ends or the request times out, which also ends the connection. */
  request<Name extends ClientApi>(
    name: Name,
    body: RequestBody<Apis[Name]>,
    timeoutMs: number,
  ): Promise<ResponseBody<Apis[Name]>>;
  close(reason: string): void;
}

export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** A Kafka client's connection to an agent. Requests and responses keep their order, as on a socket. */
export class ClientConnection implements Connection {
  readonly broker: SimAgent;
  readonly #world: Deps;
  readonly #closed = new AbortController();
  readonly #session = openSession({ remoteAddress: '10.0.0.1', remotePort: 40_000 });
  readonly #waiting = new Set<(error: ConnectionLost) => void>();
  /** Settles when all earlier requests are answered. */
  #answered: Promise<unknown> = Promise.resolve();
  #requestDueMs = 0;
  #answerDueMs = 0;
  #isOpen = true;
  /** Whether the agent is closing the connection. */
  #isRefused = false;

  constructor(world: Deps, agent: SimAgent) {
    this.#world = world;
    this.broker = agent;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get inFlight(): number {
    return this.#waiting.size;
  }

  request<Name extends ClientApi>(
    name: Name,
    body: RequestBody<Apis[Name]>,
    timeoutMs: number,
  ): Promise<ResponseBody<Apis[Name]>> {
    const { clock } = this.#world;
    return new Promise((resolve, reject) => {
      if (!this.#isOpen) return reject(new ConnectionLost('the connection is closed'));
      const fail = (error: ConnectionLost) => {
        this.#waiting.delete(fail);
        cancelTimeout();
        reject(error);
      };
      const cancelTimeout = clock.after(timeoutMs, () => this.close(`no answer to ${name}`));
      this.#waiting.add(fail);
      const frame = this.#encode(name, body);
      this.#requestDueMs = Math.max(this.#requestDueMs, clock.monotonicMs() + delayMs(this.#world));
      clock.after(this.#requestDueMs - clock.monotonicMs(), () => {
        const { process } = this.broker;
        // The process is dead: its machine refuses the connection.
        if (!process.isAlive) return this.close('connection refused');
        process.whenRunning(() => {
          const answer = this.#serve(name, frame);
          const inTurn = Promise.all([answer, this.#answered]).then(([bytes]) => bytes);
          this.#answered = inTurn.catch(() => undefined);
          inTurn.then(
            (bytes) =>
              this.#carryBack(() => {
                if (!this.#waiting.delete(fail)) return;
                cancelTimeout();
                if (bytes === undefined) reject(new ConnectionLost('closed by the agent'));
                else
                  resolve(decodeResponse(apis[name] as unknown as Api, versions[name], bytes).body as never);
                if (bytes === undefined) this.close('closed by the agent');
              }),
            (error) => {
              this.#world.note(`a handler failed: ${String(error)}`);
              this.close('a handler failed');
            },
          );
        });
      });
    });
  }

  /** Requests already sent still arrive; their responses are dropped. */
  close(reason: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const fail of [...this.#waiting]) fail(new ConnectionLost(reason));
    this.broker.process.whenRunning(() => this.#closed.abort('closed'));
  }

  #carryBack(deliver: () => void): void {
    const { clock } = this.#world;
    if (!this.broker.process.isAlive) return;
    this.#answerDueMs = Math.max(this.#answerDueMs, clock.monotonicMs() + delayMs(this.#world));
    clock.after(this.#answerDueMs - clock.monotonicMs(), deliver);
  }

  #encode<Name extends ClientApi>(name: Name, body: RequestBody<Apis[Name]>): Buffer {
    const api = apis[name] as unknown as Api;
    const slices = encodeRequest(
      api,
      versions[name],
      { correlationId: 1, clientId: null },
      body as unknown as WriteStruct<Fields>,
    );
    return Buffer.concat(slices).subarray(4);
  }

  /**
   * Returns the response as bytes, so that neither side can change it in transit; undefined when the agent closes the
   * connection.
   */
  async #serve(name: ClientApi, frame: Buffer): Promise<Buffer | undefined> {
    const { server, process } = this.broker;
    // Requests after the one that made the agent close are not served.
    if (server === undefined || this.#isRefused) {
      this.#isRefused = true;
      return undefined;
    }
    const api = apis[name] as unknown as Api;
    const apiVersion = versions[name];
    const headerBytes = requestHeaderVersion(api, apiVersion) === 2 ? 11 : 10;
    const { body } = decodeRequestBody(api, apiVersion, frame, headerBytes);
    const response = await server.serve({
      api,
      apiVersion,
      correlationId: 1,
      clientId: null,
      requestBytes: frame.length,
      session: this.#session,
      body,
      closed: this.#closed.signal,
    });
    if (response === 'close') this.#isRefused = true;
    if (response === 'noReply' || response === 'close' || !process.isAlive) return undefined;
    return Buffer.concat(encodeResponse(api, apiVersion, 1, response)).subarray(4);
  }
}
