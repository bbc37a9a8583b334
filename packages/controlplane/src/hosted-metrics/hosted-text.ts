import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);

/** What a scrape answers, compressed once for all who ask for it so. */
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
