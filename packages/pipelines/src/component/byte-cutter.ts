/**
 * Cuts a stream of bytes. `cut` gets what is there and returns how many bytes it took, or the number that it needs in
 * all as a negative one. Bytes are joined when enough are there, so that the cost does not depend on how they arrive.
 */
export class ByteCutter {
  readonly #cut: (bytes: Buffer) => number;
  #chunks: Buffer[] = [];
  #count = 0;
  #needed = 1;

  constructor(cut: (bytes: Buffer) => number) {
    this.#cut = cut;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#count += chunk.length;
    if (this.#count < this.#needed) return;
    let bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    this.#needed = 1;
    while (bytes.length > 0) {
      const taken = this.#cut(bytes);
      if (taken <= 0) {
        this.#needed = Math.max(-taken, bytes.length + 1);
        break;
      }
      bytes = bytes.subarray(taken);
    }
    this.#chunks = bytes.length === 0 ? [] : [bytes];
    this.#count = bytes.length;
  }
}
