import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { clusterLimits } from '@weir/cluster/limits';
import type { Clock, Log, MetricRow, Metrics } from '@weir/core';
import {
  agentConnectPath,
  agentKeyHeader,
  clusterIdParameter,
  endCodes,
  ReplyMemory,
  type ServedCluster,
  type ServedConnection,
  serveConnection,
  subprotocol,
  webSocketChannel,
} from '@weir/rpc';
import { WebSocketServer } from 'ws';
import type { Authorize, Verdict } from './agent-keys.ts';
import { remoteAddressOf } from './http/remote-address.ts';
import { securityHeaders } from './security-headers.ts';

export interface AgentListenerOptions {
  readonly clusters: (clusterId: string) => ServedCluster | undefined;
  /** Asked before a cluster is said not to be here: it may have been made a moment ago. */
  readonly refreshClusters?: () => Promise<void>;
  readonly authorize: Authorize;
  /** Whether a key that opens the cluster is that of another control-plane process, which may do more than agents. */
  readonly isMember?: Authorize;
  /** Told of every call over an agent's connection that only the control plane may make. */
  readonly onForbiddenCall?: ((call: ForbiddenCall) => void) | undefined;
  readonly members: () => readonly string[];
  /**
   * Brings `members` up to date, asked when an agent connects: one that knew a single process, and loses it a moment
   * later, would know no other.
   */
  readonly refreshMembers?: () => Promise<void>;
  /** Whether what a proxy says of requests is believed. */
  readonly isBehindProxy?: boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** A call that an agent key does not allow, and who made it. */
export interface ForbiddenCall {
  readonly clusterId: string;
  readonly method: string;
  /** What opened the connection: the key of an agent, or its token. */
  readonly key: string;
  /** What the agent calls itself, if it has said so. */
  readonly agentId: string | undefined;
  readonly remoteAddress: string;
}

const refusedRow: MetricRow<'status'> = {
  name: 'agent_rpc_refused_total',
  kind: 'counter',
  help: 'Connections of agents that were not admitted, by HTTP status.',
  labels: ['status'],
};

/** An agent does not wait longer than this for the newest members. */
const refreshMsMax = 500;
/** A key that was withdrawn ends its connections after this long at the latest. */
const keyCheckIntervalMs = 10_000;

interface Refusal {
  readonly status: 400 | 401 | 404 | 503;
  readonly message: string;
}

interface Admission {
  readonly clusterId: string;
  readonly key: string;
  readonly remoteAddress: string;
  readonly isMember: boolean;
  /** `undefined` when that cannot be told just now. */
  readonly isStillAdmitted: () => Promise<Verdict>;
}

/** Takes the connections of agents: judges who comes before anything is upgraded, and then serves the cluster. */
export class AgentListener {
  readonly #options: AgentListenerOptions;
  readonly #memory: ReplyMemory;
  readonly #served = new Map<ServedConnection, Admission & { readonly ended: Promise<void> }>();
  readonly #sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // A call that is a little too large is refused by an answer, which the end of the connection would not be.
    maxPayload: clusterLimits.rpcCallBytesMax + clusterLimits.rpcCallSurplusBytesMax,
    perMessageDeflate: false,
    handleProtocols: () => subprotocol,
  });
  #isClosing = false;
  #cancelKeyCheck = () => {};

  constructor(options: AgentListenerOptions) {
    this.#options = options;
    this.#memory = new ReplyMemory(options.clock);
    this.#checkKeysLater();
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', (error) => {
      this.#options.log.debug('lost agent connection', { problem: error.message });
    });
    void this.#admit(request, socket, head);
  }

  async #admit(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const verdict = await this.#checkRequest(request);
    if ('status' in verdict) {
      this.#refuse(request, socket, verdict);
      return;
    }
    await this.#membersRefreshed();
    // The agent may have gone meanwhile, which is no error.
    if (socket.destroyed) return;
    if (this.#isClosing) {
      this.#refuse(request, socket, awayRefusal(verdict.clusterId));
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const ended = new Promise<void>((resolve) => webSocket.once('close', () => resolve()));
      this.#serve(webSocketChannel(webSocket, socket), verdict, ended);
    });
  }

  async #membersRefreshed(): Promise<void> {
    const { refreshMembers, clock } = this.#options;
    if (refreshMembers === undefined) return;
    let cancel = () => {};
    const late = new Promise<void>((resolve) => {
      cancel = clock.after(refreshMsMax, resolve);
    });
    await Promise.race([refreshMembers(), late]);
    cancel();
  }

  /** Lets agents go: calls under way are answered for at most `graceMs`. */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    this.#cancelKeyCheck();
    const all = [...this.#served];
    let cancelGrace = () => {};
    const grace = new Promise<void>((resolve) => {
      cancelGrace = this.#options.clock.after(graceMs, resolve);
    });
    const gone = Promise.all(all.map(([connection, { ended }]) => connection.drain().then(() => ended)));
    await Promise.race([gone, grace]);
    cancelGrace();
    for (const [connection] of all) connection.abort();
    await Promise.all(all.map(([, { ended }]) => ended));
  }

  async #checkRequest(request: IncomingMessage): Promise<Admission | Refusal> {
    const url = URL.parse(request.url ?? '/', 'http://control-plane');
    if (url?.pathname !== `/${agentConnectPath}`)
      return { status: 404, message: `not found; agents connect at /${agentConnectPath}` };
    const clusterId = url.searchParams.get(clusterIdParameter);
    if (clusterId === null) return { status: 400, message: `the parameter ${clusterIdParameter} is missing` };
    const key = request.headers[agentKeyHeader];
    const remoteAddress = remoteAddressOf(request, this.#options.isBehindProxy ?? false);
    const isStillAdmitted = async () =>
      typeof key === 'string' && (await this.#authorize(clusterId, key, remoteAddress));
    const isAdmitted = await isStillAdmitted();
    // Not a refusal: the agent would believe that its token is worth nothing.
    if (isAdmitted === undefined) return awayRefusal(clusterId);
    // The key comes first, so that without one it cannot be learned which clusters exist.
    if (!isAdmitted) {
      return {
        status: 401,
        message: `the key in ${agentKeyHeader} is not one for cluster ${JSON.stringify(clusterId)}: one of the two is wrong`,
      };
    }
    const spoken = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
    if (!spoken.includes(subprotocol)) {
      return { status: 400, message: `this control plane speaks ${subprotocol}` };
    }
    if (this.#isClosing || !(await this.#isHere(clusterId))) return awayRefusal(clusterId);
    const isMember = (await this.#options.isMember?.(clusterId, key as string)) === true;
    return { clusterId, key: key as string, remoteAddress, isMember, isStillAdmitted };
  }

  /** A failure to verify is no verdict. */
  async #authorize(...asked: Parameters<Authorize>): Promise<Verdict> {
    const { authorize, log } = this.#options;
    try {
      return await authorize(...asked);
    } catch (error) {
      log.warn('failed to verify agent key', { problem: (error as Error).message });
      return undefined;
    }
  }

  async #isHere(clusterId: string): Promise<boolean> {
    const { clusters, refreshClusters } = this.#options;
    if (clusters(clusterId) === undefined) await refreshClusters?.();
    return clusters(clusterId) !== undefined;
  }

  #refuse(request: IncomingMessage, socket: Duplex, { status, message }: Refusal): void {
    this.#options.metrics.series(refusedRow, { status: String(status) }).add(1);
    this.#options.log.info('refused agent connection', { status, problem: message });
    const body = `${message}\n`;
    socket.once('finish', () => socket.destroy());
    const headers = Object.entries({
      ...securityHeaders(request, this.#options.isBehindProxy ?? false),
      connection: 'close',
      'content-type': 'text/plain; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    });
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body}`);
  }

  #serve(channel: ReturnType<typeof webSocketChannel>, admission: Admission, ended: Promise<void>): void {
    const { clusters, members, onForbiddenCall, clock, log, metrics } = this.#options;
    const { clusterId, key, remoteAddress, isMember } = admission;
    const connection = serveConnection(channel, {
      clusterId,
      cluster: () => clusters(clusterId),
      members,
      isMember,
      onForbiddenCall: (method, agentId) =>
        onForbiddenCall?.({ clusterId, method, key, agentId, remoteAddress }),
      memory: this.#memory,
      clock,
      log,
      metrics,
    });
    this.#served.set(connection, { ...admission, ended });
    ended.then(() => this.#served.delete(connection));
  }

  #checkKeysLater(): void {
    this.#cancelKeyCheck = this.#options.clock.after(keyCheckIntervalMs, () => {
      void this.#checkKeys().then(() => {
        if (!this.#isClosing) this.#checkKeysLater();
      });
    });
  }

  async #checkKeys(): Promise<void> {
    for (const [connection, { isStillAdmitted, clusterId }] of [...this.#served]) {
      if ((await isStillAdmitted()) !== false) continue;
      this.#options.log.info('closed agent connection: key revoked or token expired', { clusterId });
      connection.close(endCodes.keyRefused, 'the agent key is not valid any more');
    }
  }
}

function awayRefusal(clusterId: string): Refusal {
  return { status: 503, message: `${clusterId} is not here just now` };
}
