import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, type Log, type Metrics, Semaphore } from '@weir/core';
import { plain, type Route } from '@weir/http';
import { joinSmallSlices, ObjectNotFound } from '@weir/storage';
import { brokerLimits } from '../limits.ts';
import type { Page } from '../read-path/page.ts';
import type { ExchangeKey } from './exchange-key.ts';
import { type ServedOutcome, serveMetrics } from './exchange-metrics.ts';
import { pagesPath, parsePagePath } from './page-path.ts';

export interface PageRoutesOptions {
  readonly key: ExchangeKey;
  readonly pageBytes: number;
  /** Returns a page of this cluster, synchronously if it is in memory. It is released when it was sent. */
  readonly lendPage: (fileId: string, index: number) => Page | Promise<Page>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Time limit for the peer to take a page, after which it is cut off: until then the page stays in memory. */
export const sendMsMax = 10_000;

/** The header with the proof that an answer comes from an agent of the cluster. */
export const proofHeader = 'service-page-proof';

/**
 * `GET /v1/internal/files/<file id>?page=3&pageBytes=4194304`, for agents of the same cluster only. Nothing about files
 * is revealed before the signature is verified. A page that is not in memory is announced with `102 Processing`, so
 * that the client can distinguish a slow bucket from a dead agent.
 */
export function pageRoutes(options: PageRoutesOptions): Route[] {
  const { key, pageBytes, lendPage, clock, log } = options;
  const metrics = serveMetrics(options.metrics);
  const slots = new Semaphore({ permits: brokerLimits.peerPagesServedMax });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<ServedOutcome> {
    const target = request.url ?? '';
    const verified = key.verify('GET', target, request.headers.authorization);
    if ('problem' in verified) return refuse(response, 401, verified.problem, 'unsigned');
    const address = parsePagePath(target);
    if ('problem' in address) return refuse(response, 400, address.problem, 'malformed');
    if (address.pageBytes !== pageBytes) {
      return refuse(response, 400, `page size of this agent is ${pageBytes} bytes`, 'malformed');
    }
    if (!slots.tryAcquire()) {
      metrics.tooMany.add(1);
      return refuse(response, 503, 'too many concurrent page requests; read from the bucket', 'busy');
    }
    metrics.serving.set(slots.running);
    try {
      const found = lendPage(address.fileId, address.index);
      const isHit = !(found instanceof Promise);
      if (!isHit) response.writeProcessing();
      const page = await found;
      try {
        const proof = verified.prove(page.byteLength);
        if (!(await send(response, page, proof, clock))) return 'cut';
        metrics.servedBytes.add(page.byteLength);
        return isHit ? 'hit' : 'miss';
      } finally {
        page.release();
      }
    } catch (error) {
      if (error instanceof ObjectNotFound) return refuse(response, 404, 'not found', 'missing');
      log.warn('failed to read page for peer', {
        fileId: address.fileId,
        page: address.index,
        error: String(error),
      });
      return refuse(response, 502, 'failed to read the page from the bucket', 'failure');
    } finally {
      slots.release();
      metrics.serving.set(slots.running);
    }
  }

  return [
    {
      method: 'GET',
      path: pagesPath,
      async handle(request, response) {
        const startMs = clock.monotonicMs();
        const outcome = await serve(request, response);
        metrics.served(outcome).add(1);
        metrics.servedSeconds.observe((clock.monotonicMs() - startMs) / 1000);
      },
    },
  ];
}

function refuse(
  response: ServerResponse,
  status: number,
  problem: string,
  outcome: ServedOutcome,
): ServedOutcome {
  if (!response.destroyed) plain(response, status, problem);
  return outcome;
}

/**
 * Passes the slices of a page to the socket without a copy. Resolves to false if the reader did not take all of them.
 */
function send(response: ServerResponse, page: Page, proof: string, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    if (response.destroyed) {
      resolve(false);
      return;
    }
    const cancel = clock.after(sendMsMax, () => response.destroy());
    response.once('close', () => {
      cancel();
      resolve(response.writableFinished);
    });
    response.writeHead(200, {
      'content-type': 'application/octet-stream',
      'content-length': page.byteLength,
      [proofHeader]: proof,
    });
    const slices: Buffer[] = [];
    page.collect(0, page.byteLength, slices);
    response.cork();
    for (const slice of joinSmallSlices(slices)) response.write(slice);
    response.end();
    response.uncork();
  });
}
