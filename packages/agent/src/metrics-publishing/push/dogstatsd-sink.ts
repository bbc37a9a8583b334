import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { DogStatsdLines, datagramsOf } from './dogstatsd-lines.ts';
import type { MetricsSink, PushedName, ReadingsInParts, Tags } from './pushed-metrics.ts';

interface DogStatsdSinkOptions {
  readonly host: string;
  readonly port: number;
  readonly name: PushedName;
  readonly tags: Tags;
}

/** Pushes metrics by DogStatsD over UDP, without acknowledgement. */
export class DogStatsdSink implements MetricsSink {
  readonly kind = 'dogstatsd';
  readonly #options: DogStatsdSinkOptions;
  readonly #lines: DogStatsdLines;
  readonly #sockets = new Map<number, Socket>();

  constructor(options: DogStatsdSinkOptions) {
    this.#options = options;
    this.#lines = new DogStatsdLines(options.name, options.tags);
  }

  async push(parts: ReadingsInParts, stop: AbortSignal): Promise<void> {
    const { host, port } = this.#options;
    // Resolved each time, since the DogStatsD agent of the host may move; but once per push, not per datagram.
    const { address, family } = await lookup(host);
    const socket = this.#socket(family);
    for await (const readings of parts) {
      for (const datagram of datagramsOf(this.#lines.linesOf(readings))) {
        if (stop.aborted) return;
        await new Promise<void>((resolve, reject) => {
          socket.send(datagram, port, address, (error) => (error === null ? resolve() : reject(error)));
        });
      }
    }
    this.#lines.endRound();
  }

  close(): void {
    for (const socket of this.#sockets.values()) socket.close();
    this.#sockets.clear();
  }

  #socket(family: number): Socket {
    const found = this.#sockets.get(family);
    if (found !== undefined) return found;
    const made = createSocket(family === 6 ? 'udp6' : 'udp4');
    // Errors of a send are also passed to its callback.
    made.on('error', () => {});
    made.unref();
    this.#sockets.set(family, made);
    return made;
  }
}
