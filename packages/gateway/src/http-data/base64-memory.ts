const slabBytesMin = 1024;
const slabBytesMax = 64 * 1024;

/** Memory for the decoded keys and values of one body: few large pieces cost less than one of each record's own. */
export class Base64Memory {
  #slab: Buffer;
  #at = 0;

  /** `bodyBytes` is the size of the body, from which that of its base64 follows roughly. */
  constructor(bodyBytes: number) {
    this.#slab = Buffer.allocUnsafeSlow(Math.min(Math.max(bodyBytes, slabBytesMin), slabBytesMax));
  }

  /** Skips what is no base64, as the decoder of Node does. */
  decode(text: string): Buffer {
    const bytesMax = Math.ceil((text.length * 3) / 4);
    if (bytesMax > slabBytesMax / 2) return Buffer.from(text, 'base64');
    if (bytesMax > this.#slab.length - this.#at) {
      this.#slab = Buffer.allocUnsafeSlow(slabBytesMax);
      this.#at = 0;
    }
    const from = this.#at;
    this.#at += this.#slab.write(text, from, 'base64');
    return this.#slab.subarray(from, this.#at);
  }
}
