import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock, Log, MetricRow, Metrics } from '@weir/core';
import {
  agentConnectPath,
  agentKeyHeader,
  clusterIdParameter,
  endCodes,
  ReplyMemory,
  regionParameter,
  type ServedCluster,
  type ServedConnection,
  serveConnection,
  servedChannel,
  subprotocol,
} from '@weir/rpc';
import { rpcLimits } from '@weir/rpc/limits';
import { WebSocketServer } from 'ws';
import type { Authorize, Verdict } from './agent-keys.ts';
import { remoteAddressOf } from './http/remote-address.ts';
import { answerHeaders } from './security-headers.ts';

export interface AgentListenerOptions {
  readonly clusters: (clusterId: string) => ServedCluster | undefined;
  /** Called before a cluster is reported as unknown: it may have just been created. */
  readonly refreshClusters?: () => Promise<void>;
  readonly authorize: Authorize;
  /** Whether a valid key is that of another control-plane process, which has more permissions than agents. */
  readonly isMember?: Authorize;
  /** Called for every call over an agent's connection that only the control plane may make. */
  readonly onForbiddenCall?: ((call: ForbiddenCall) => void) | undefined;
  /** The addresses of all processes, those of a region first. */
  readonly members: (region?: string) => readonly string[];
  /** The region of a process, by its address. */
  readonly regionOf?: ((url: string) => string | undefined) | undefined;
  /**
   * Refreshes `members` when an agent connects: an agent that knew a single process, and lost it right after, would
   * know no other.
   */
  readonly refreshMembers?: () => Promise<void>;
  /** Whether to trust the headers of a proxy. */
  readonly isBehindProxy?: boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** A call that an agent key does not allow, and its caller. */
export interface ForbiddenCall {
  readonly clusterId: string;
  readonly method: string;
  /** The credential of the connection: an agent key or token. */
  readonly key: string;
  /** The agent's id, if it has sent one. */
  readonly agentId: string | undefined;
  readonly remoteAddress: string;
}

export const refusedAgentsRow: MetricRow<'status'> = {
  name: 'agent_rpc_refused_total',
  kind: 'counter',
  help: 'Connections of agents that were not admitted, by HTTP status.',
  labels: ['status'],
};

/** The maximum time that an agent waits for the refreshed members. */
const refreshMsMax = 500;
/** A revoked key ends its connections after this long at the latest. */
const keyCheckIntervalMs = 10_000;

interface Refusal {
  readonly status: 400 | 401 | 404 | 503;
  readonly message: string;
}

interface Admission {
  readonly clusterId: string;
  /** Where the agent says that it is. */
  readonly region: string | undefined;
  readonly key: string;
  readonly remoteAddress: string;
  readonly isMember: boolean;
  /** `undefined` if it cannot be decided now. */
  readonly isStillAdmitted: () => Promise<Verdict>;
}

/** Accepts connections of agents: authenticates before the WebSocket upgrade, and then serves the cluster. */
export class AgentListener {
  readonly #options: AgentListenerOptions;
  readonly #memory: ReplyMemory;
  readonly #served = new Map<ServedConnection, Admission & { readonly ended: Promise<void> }>();
  readonly #sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // A call that is slightly too large is refused with a response instead of closing the connection.
    maxPayload: rpcLimits.rpcCallBytesMax + rpcLimits.rpcCallSurplusBytesMax,
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
      this.#options.log.debug('lost agent connection', { error: error.message });
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
    // The agent may have disconnected meanwhile, which is not an error.
    if (socket.destroyed) return;
    if (this.#isClosing) {
      this.#refuse(request, socket, awayRefusal(verdict.clusterId));
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const ended = new Promise<void>((resolve) => webSocket.once('close', () => resolve()));
      this.#serve(servedChannel(webSocket, socket), verdict, ended);
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

  /** Disconnects the agents: calls in flight are answered for at most `graceMs`. */
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
    // Not a refusal: the agent would treat its token as invalid.
    if (isAdmitted === undefined) return awayRefusal(clusterId);
    // The key is checked first, so that callers without one cannot learn which clusters exist.
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
    const region = url.searchParams.get(regionParameter) ?? undefined;
    return { clusterId, region, key: key as string, remoteAddress, isMember, isStillAdmitted };
  }

  /** A failed verification is not a refusal. */
  async #authorize(...args: Parameters<Authorize>): Promise<Verdict> {
    const { authorize, log } = this.#options;
    try {
      return await authorize(...args);
    } catch (error) {
      log.warn('failed to verify agent key', { error: (error as Error).message });
      return undefined;
    }
  }

  async #isHere(clusterId: string): Promise<boolean> {
    const { clusters, refreshClusters } = this.#options;
    if (clusters(clusterId) === undefined) await refreshClusters?.();
    return clusters(clusterId) !== undefined;
  }

  #refuse(request: IncomingMessage, socket: Duplex, { status, message }: Refusal): void {
    this.#options.metrics.series(refusedAgentsRow, { status: String(status) }).add(1);
    this.#options.log.info('refused agent connection', { status, error: message });
    const body = `${message}\n`;
    socket.once('finish', () => socket.destroy());
    const headers = Object.entries({
      ...answerHeaders(request, this.#options.isBehindProxy ?? false),
      connection: 'close',
      'content-type': 'text/plain; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    });
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body}`);
  }

  #serve(channel: ReturnType<typeof servedChannel>, admission: Admission, ended: Promise<void>): void {
    const { clusters, members, regionOf, onForbiddenCall, clock, log, metrics } = this.#options;
    const { clusterId, region, key, remoteAddress, isMember } = admission;
    const connection = serveConnection(channel, {
      clusterId,
      cluster: () => clusters(clusterId),
      members: () => members(region),
      regionOf,
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
    // Agents of a cluster share keys, and verifying one for each of ten thousand connections would take a tenth of a
    // second.
    const verdicts = new Map<string, Verdict>();
    for (const [connection, { isStillAdmitted, clusterId, key }] of [...this.#served]) {
      const credential = `${clusterId} ${key}`;
      if (!verdicts.has(credential)) verdicts.set(credential, await isStillAdmitted());
      if (verdicts.get(credential) !== false) continue;
      this.#options.log.info('closed agent connection: key revoked or token expired', { clusterId });
      connection.close(endCodes.keyRefused, 'the agent key is not valid any more');
    }
  }
}

function awayRefusal(clusterId: string): Refusal {
  return { status: 503, message: `${clusterId} is not here just now` };
}
