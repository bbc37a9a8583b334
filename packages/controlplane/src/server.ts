import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MetricRow } from '@weir/core';
import {
  cutReasonsHelp,
  HttpConnections,
  isHostMissing,
  refuseUnreadable,
  securityHeaders,
} from '@weir/http';
import { mcpLimits } from '@weir/mcp/limits';
import { AgentListener, type AgentListenerOptions } from './agent-listener.ts';
import { asksForPage, type Handler, pathOf, type RouteHandlers, routeOf } from './http/route-table.ts';
import { controlPlaneLimits } from './limits.ts';
import { ownChangelog } from './release-feed/own-changelog.ts';
import { releaseFeed } from './release-feed/release-feed.ts';
import { answerHeaders } from './security-headers.ts';

export interface ControlPlaneOptions extends AgentListenerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Whether this process is ready. */
  readonly readiness: () => boolean;
  /** Whether it could lead its clusters at once; it is not ready before, though alive. By default always. */
  readonly hasCaughtUp?: () => boolean;
  /** Whether the disk of the database has no space, which makes the process not ready. */
  readonly isDiskFull?: (() => boolean) | undefined;
  /** The addresses of all control-plane processes as agents reach them, including this one. */
  readonly members: (region?: string) => readonly string[];
  /** Handlers of routes that this server does not answer itself. */
  readonly handlers?: RouteHandlers;
  /** Overrides of the default limits, for tests. */
  readonly patience?: Partial<Patience>;
}

/** Limits on slow and many peers. */
export interface Patience {
  readonly headersMsMax: number;
  readonly requestMsMax: number;
  readonly unreadBytesMax: number;
  readonly connectionsMax: number;
}

const usualPatience: Patience = {
  headersMsMax: mcpLimits.controlPlaneHeadersMsMax,
  requestMsMax: mcpLimits.controlPlaneRequestMsMax,
  unreadBytesMax: controlPlaneLimits.controlPlaneUnreadBytesMax,
  connectionsMax: controlPlaneLimits.controlPlaneConnectionsMax,
};

export interface ControlPlane {
  readonly url: string;
  readonly port: number;
  /** Stops the server: agents are sent elsewhere once their calls are answered. */
  close(): Promise<void>;
}

/** The keep-alive timeout between two requests. */
const keepAliveMsMax = 5_000;
/** No byte for this long ends a connection that has not become an agent's. */
const silenceMsMax = 30_000;
/** When the process stops, agents whose calls are not answered within this time are disconnected. */
const closeGraceMs = 5_000;

type Answer = readonly [status: number, body: string | Uint8Array, contentType?: string];

export const connectionsCutRow: MetricRow<'reason'> = {
  name: 'control_plane_connections_cut_total',
  kind: 'counter',
  help: `Connections that were ended since ${cutReasonsHelp}.`,
  labels: ['reason'],
};

const plainText = 'text/plain; charset=utf-8';
const prometheusText = 'text/plain; version=0.0.4; charset=utf-8';
const rss = 'application/rss+xml; charset=utf-8';

/** Starts the HTTP server of a control-plane process: probes, metrics, and the connections of agents. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const agentListener = new AgentListener(options);
  const handlers: RouteHandlers = { ...options.handlers, ...ownHandlers(options) };
  const { metrics } = options;
  const { headersMsMax, requestMsMax, unreadBytesMax, connectionsMax } = {
    ...usualPatience,
    ...options.patience,
  };
  const connections = new HttpConnections({
    limits: {
      connections: {
        max: connectionsMax,
        reserved: controlPlaneLimits.controlPlaneReservedConnectionsMax,
      },
      requestsWaitingMax: controlPlaneLimits.controlPlaneRequestsWaitingMax,
      unread: { msMax: controlPlaneLimits.controlPlaneUnreadMsMax, bytesMax: unreadBytesMax },
    },
    clock: options.clock,
    onCut: (reason) => metrics.series(connectionsCutRow, { reason }).add(1),
  });
  let closed: Promise<void> | undefined;
  const server = createServer(
    {
      maxHeaderSize: controlPlaneLimits.controlPlaneHeaderBytesMax,
      headersTimeout: headersMsMax,
      requestTimeout: requestMsMax,
      keepAliveTimeout: keepAliveMsMax,
      connectionsCheckingInterval: headersMsMax / 2,
      noDelay: true,
      // Node would answer by itself, without the headers of every answer.
      requireHostHeader: false,
      // Some HTTP clients offer HTTP/2 with every request; they are not refused.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
    },
    (request, response) => {
      secure(request, response);
      if (isHostMissing(request)) {
        response.writeHead(400, { connection: 'close' }).end();
        return;
      }
      const route = routeOf(pathOf(request)) ?? (asksForPage(request) ? 'consoleUnknown' : undefined);
      const handler = (route === undefined ? undefined : handlers[route]) ?? answerNotFound;
      // A connection that stays open after the last answer would delay the end of the server.
      response.once('close', () => {
        if (closed !== undefined) server.closeIdleConnections();
      });
      connections.serve(request, response, () => void handler(request, response));
    },
  );
  // Nothing is known about the sender of what is no request.
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuseUnreadable(error, socket, securityHeaders(false)),
  );
  server.on('checkExpectation', (request, response) => {
    secure(request, response);
    response.setHeader('connection', 'close');
    response.writeHead(417).end();
  });
  connections.attach(server);
  server.timeout = silenceMsMax;
  server.on('upgrade', (request, socket, head) => {
    connections.upgraded(request.socket);
    agentListener.upgrade(request, socket, head);
  });
  server.listen(options.port, options.host);
  try {
    await once(server, 'listening');
  } catch (error) {
    await agentListener.close(0);
    throw error;
  }

  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}`,
    port,
    close() {
      closed ??= close();
      return closed;
    },
  };

  function secure(request: IncomingMessage, response: ServerResponse): void {
    const headers = answerHeaders(request, options.isBehindProxy ?? false);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  }

  async function close(): Promise<void> {
    const done = once(server, 'close');
    // Calls in flight are answered; agents are disconnected meanwhile.
    server.close();
    server.closeIdleConnections();
    let cancelGrace = () => {};
    const grace = new Promise<void>((resolve) => {
      cancelGrace = options.clock.after(closeGraceMs, resolve);
    });
    await Promise.all([agentListener.close(closeGraceMs), Promise.race([done, grace])]);
    cancelGrace();
    server.closeAllConnections();
    await done;
  }
}

function ownHandlers({
  readiness,
  hasCaughtUp = () => true,
  isDiskFull = () => false,
  metrics,
  members,
  clock,
}: ControlPlaneOptions): RouteHandlers {
  let wasReady = false;
  let changelog: string | undefined;

  function isReady(): boolean {
    const isReadyNow = readiness();
    wasReady ||= isReadyNow;
    return isReadyNow;
  }

  const ready = answerReads(() => {
    // The reason alone: the probe answers everyone, and a path is nothing for everyone.
    if (isDiskFull()) return [503, 'not ready: disk full'];
    if (!isReady()) return [503, 'not ready'];
    return hasCaughtUp() ? [200, 'OK'] : [503, 'not ready: reading journals'];
  });
  return {
    // The liveness probe: killing a process that was ready once does not help.
    status: answerReads(() => (isReady() || wasReady ? [200, 'OK'] : [503, 'not ready'])),
    readiness: ready,
    ready,
    metrics: answerReads(() => [200, metrics.scrape(clock.monotonicMs()), prometheusText]),
    releaseFeed: answerReads(() => {
      changelog ??= ownChangelog();
      return [200, releaseFeed({ changelog, baseUrl: members()[0] ?? 'http://localhost' }), rss];
    }),
  };
}

function answerReads(answer: () => Answer): Handler {
  return (request, response) => {
    if (isRead(request)) return send(request, response, answer());
    response.setHeader('allow', 'GET, HEAD');
    send(request, response, [405, `${pathOf(request)}: GET only`]);
  };
}

export const answerNotFound: Handler = (request, response) =>
  send(request, response, [404, `${pathOf(request)}: not found`]);

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

function send(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const [status, body, contentType = plainText] = answer;
  // The body is not needed; the connection ends instead of reading it.
  if (!isRead(request)) response.setHeader('connection', 'close');
  response.setHeader('content-type', contentType);
  response.setHeader('content-length', Buffer.byteLength(body));
  response.writeHead(status).end(body);
}
