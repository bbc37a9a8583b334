import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);

/** The text of a scrape, compressed once for all requests. */
export class HostedText {
  readonly plain: Buffer;
  #gzipped: Promise<Buffer> | undefined;

  constructor(text: string) {
    this.plain = Buffer.from(text);
  }

  gzipped(): Promise<Buffer> {
    this.#gzipped ??= compress(this.plain);
    return this.#gzipped;
  }
}
