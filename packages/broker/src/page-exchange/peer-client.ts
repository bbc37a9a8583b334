import { type Clock, isFileReference } from '@weir/core';
import type { AgentPeers } from '@weir/security';
import { brokerLimits } from '../limits.ts';
import { Page } from '../read-path/page.ts';
import type { Answer, AnswerHead } from './answer-reader.ts';
import type { ExchangeKey } from './exchange-key.ts';
import { type PageAddress, pagePath } from './page-path.ts';
import { proofHeader } from './page-routes.ts';
import { PeerConnection, StaleConnection } from './peer-connection.ts';
import { PeerFailure, type PeerFailureReason } from './peer-failure.ts';

interface PeerClientOptions {
  readonly key: ExchangeKey;
  /** How other agents are authenticated over TLS. If set, only TLS is used; if absent, only plain connections. */
  readonly peers?: AgentPeers;
  readonly clock: Clock;
}

/** A live agent answers within this time: with the page, or that it is reading it. */
export const answerMsMax = 1_000;
/** An agent that announced a page has it from the bucket within this time. Reading it here would hardly be faster. */
export const workMsMax = 10_000;
/** The bytes of a page arrive within this time. */
export const bodyMsMax = 3_000;

/** Agents close connections that are idle for five seconds, and a request at that moment would fail needlessly. */
const idleMsMax = 4_000;

const plainProtocol = { name: 'http:', port: 80 } as const;
const secureProtocol = { name: 'https:', port: 443 } as const;

const reasonByStatus: Readonly<Record<number, PeerFailureReason>> = {
  401: 'refused',
  404: 'missing',
  503: 'busy',
};

/** Requests pages from other agents over reused connections. The caller limits the number of requests. */
export class PeerClient {
  readonly #options: PeerClientOptions;
  /** By host and port, the last used last. */
  readonly #idle = new Map<string, PeerConnection[]>();
  readonly #busy = new Set<PeerConnection>();

  constructor(options: PeerClientOptions) {
    this.#options = options;
  }

  /** Reads a page from the agent at `url`. Rejects only with a `PeerFailure`. */
  async read(url: string, address: PageAddress): Promise<Page> {
    const { host, port } = this.#addressOf(url);
    if (!isFileReference(address.fileId))
      throw new PeerFailure('broken', `invalid file id ${address.fileId}`);
    const idle = this.#takeIdle(host, port);
    if (idle !== undefined) {
      try {
        return await this.#request(idle, host, port, address);
      } catch (error) {
        if (!(error instanceof StaleConnection)) throw error;
      }
    }
    const connection = new PeerConnection(host, port, this.#options.peers?.connectOptions());
    return await this.#request(connection, host, port, address);
  }

  close(): void {
    for (const connections of this.#idle.values()) {
      for (const connection of connections) connection.destroy();
    }
    this.#idle.clear();
    for (const connection of this.#busy) connection.destroy();
  }

  async #request(
    connection: PeerConnection,
    host: string,
    port: number,
    address: PageAddress,
  ): Promise<Page> {
    const { key, clock } = this.#options;
    const path = pagePath(address);
    this.#busy.add(connection);
    let cancel = () => {};
    let lateProblem: string | undefined;
    function within(ms: number, what: string): void {
      cancel();
      cancel = clock.after(ms, () => {
        lateProblem = `no ${what} within ${ms} ms`;
        connection.destroy();
      });
    }
    try {
      const { authorization, signature } = key.sign('GET', path);
      within(answerMsMax, 'response');
      const answer = await connection.ask(
        `GET ${path} HTTP/1.1\r\nhost: ${host}:${port}\r\nauthorization: ${authorization}\r\n\r\n`,
        {
          onInformation: () => within(workMsMax, 'page'),
          onHead: (head) => {
            within(bodyMsMax, 'end of the page');
            this.#verifyHead(head, address.pageBytes, signature);
          },
        },
      );
      this.#addIdle(connection, host, port);
      return pageIn(answer);
    } catch (error) {
      connection.destroy();
      if (lateProblem !== undefined) throw new PeerFailure('silent', lateProblem, { cause: error });
      throw error instanceof PeerFailure ? error : new PeerFailure('broken', String(error), { cause: error });
    } finally {
      cancel();
      this.#busy.delete(connection);
    }
  }

  /** Checks that the body will be a page from an agent of the cluster. */
  #verifyHead({ contentBytes, headers }: AnswerHead, pageBytes: number, signature: string): void {
    if (contentBytes === undefined || contentBytes > pageBytes) {
      throw new PeerFailure(
        'broken',
        `expected a page of ${pageBytes} bytes, got ${contentBytes ?? 'unknown'}`,
      );
    }
    if (!this.#options.key.isProven(signature, contentBytes, headers.get(proofHeader))) {
      throw new PeerFailure('refused', 'peer is not an agent of this cluster');
    }
  }

  #addressOf(url: string): { readonly host: string; readonly port: number } {
    const parsed = URL.parse(url);
    if (parsed === null) throw new PeerFailure('broken', `invalid URL ${JSON.stringify(url)}`);
    const { protocol, hostname, port } = parsed;
    const wanted = this.#options.peers === undefined ? plainProtocol : secureProtocol;
    if (protocol !== wanted.name) {
      throw new PeerFailure(
        'broken',
        `protocol ${protocol} does not match this agent; expected ${wanted.name}`,
      );
    }
    return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || wanted.port) };
  }

  #takeIdle(host: string, port: number): PeerConnection | undefined {
    const connections = this.#idle.get(`${host} ${port}`);
    const oldestMs = this.#options.clock.monotonicMs() - idleMsMax;
    for (;;) {
      const connection = connections?.pop();
      if (connection === undefined) return undefined;
      if (connection.isOpen && connection.idleSinceMs > oldestMs) return connection;
      connection.destroy();
    }
  }

  #addIdle(connection: PeerConnection, host: string, port: number): void {
    if (!connection.isOpen) return;
    const endpoint = `${host} ${port}`;
    const connections = this.#idle.get(endpoint) ?? [];
    this.#idle.set(endpoint, connections);
    connection.idleSinceMs = this.#options.clock.monotonicMs();
    connections.push(connection);
    if (connections.length > brokerLimits.peerPageReadsPerPeerMax) connections.shift()!.destroy();
    // Connections of agents that are gone are closed; remove them when another agent is used.
    for (const [other, left] of this.#idle) {
      if (left.every(({ isOpen }) => !isOpen)) this.#idle.delete(other);
    }
  }
}

function pageIn({ status, body }: Answer): Page {
  if (status === 200) return new Page(body.length === 0 ? [] : [body]);
  throw new PeerFailure(reasonByStatus[status] ?? 'broken', `${status} ${body}`);
}
