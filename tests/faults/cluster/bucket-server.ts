import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock, Random } from '@weir/core';
import { BucketObjects } from './bucket-objects.ts';

/** Fractions of all requests, from 0 to 1. */
interface BucketFaults {
  /** The request has no effect and the answer is an error. */
  readonly refuses: number;
  /** The request takes effect, and the connection breaks before the answer. */
  readonly losesAnswer: number;
  readonly slow: number;
  readonly slowMs: number;
  /** The request takes effect, and the answer never arrives. */
  readonly hangs: number;
  /** The connection breaks during an upload, which is discarded, or during a download. */
  readonly tears: number;
}

export const wellBucket: BucketFaults = {
  refuses: 0,
  losesAnswer: 0,
  slow: 0,
  slowMs: 0,
  hangs: 0,
  tears: 0,
};

/** The subset of S3 that agents use, in memory, with faults. It does not check signatures. */
export class BucketServer {
  faults: BucketFaults = wellBucket;
  refused = 0;
  lost = 0;
  torn = 0;
  readonly objects: BucketObjects;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #server = createServer((request, response) => {
    const parts: Buffer[] = [];
    if (request.method === 'PUT' && this.#random.next() < this.faults.tears) {
      this.torn++;
      request.once('data', () => request.destroy());
      return;
    }
    request.on('data', (part) => parts.push(part));
    request.on('end', () => this.#serve(request, Buffer.concat(parts), response));
  });

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.objects = new BucketObjects(clock);
    this.#random = random;
  }

  /** Starts the server and returns its bucket URL. */
  async start(host = '127.0.0.1'): Promise<string> {
    this.#server.listen(0, host);
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    return `s3://faults?endpoint=${host}:${port}&disableSSL=true&s3ForcePathStyle=true&region=eu-west-1`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #serve(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const { refuses, losesAnswer, slow, slowMs, hangs, tears } = this.faults;
    const [refusal, loss, delay, hang, tear] = Array.from({ length: 5 }, () => this.#random.next()) as [
      number,
      number,
      number,
      number,
      number,
    ];
    this.#clock.after(delay < slow ? slowMs : 0, () => {
      if (refusal < refuses) {
        this.refused++;
        response.writeHead(503).end();
        return;
      }
      const answer = this.objects.answer(request, body);
      if (loss < losesAnswer) {
        this.lost++;
        response.destroy();
        return;
      }
      if (hang < hangs) {
        this.lost++;
        return;
      }
      response.writeHead(answer.status, { 'content-length': answer.body.length, ...answer.headers });
      if (request.method === 'GET' && answer.body.length > 1 && tear < tears) {
        this.torn++;
        response.write(answer.body.subarray(0, answer.body.length >> 1), () => response.destroy());
        return;
      }
      response.end(answer.body);
    });
  }
}
