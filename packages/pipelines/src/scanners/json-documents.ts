import { parseDocument } from '@weir/bloblang';
import { componentOf } from '../component/component-spec.ts';
import { Message } from '../component/message.ts';
import { pipelineLimits } from '../limits.ts';

const quote = 0x22;
const backslash = 0x5c;

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Finds where documents end. It remembers where in a document it is, so that each byte is looked at once. */
class Documents {
  #parts: Buffer[] = [];
  #byteCount = 0;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #isInScalar = false;

  /** The documents that end in this chunk. */
  *add(chunk: Buffer): Generator<Buffer> {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (!this.#isInDocument && isSpace(byte)) from = at + 1;
      else if (this.#endsBefore(byte)) {
        yield this.#take(chunk.subarray(from, at));
        from = at;
        at--;
      } else if (this.#endsWith(byte)) {
        yield this.#take(chunk.subarray(from, at + 1));
        from = at + 1;
      }
    }
    this.#keep(chunk.subarray(from));
  }

  /** What is left at the end of all, a number perhaps. */
  *end(): Generator<Buffer> {
    if (this.#byteCount > 0) yield this.#take(Buffer.alloc(0));
  }

  get #isInDocument(): boolean {
    return this.#depth > 0 || this.#isInString || this.#isInScalar;
  }

  #endsBefore(byte: number): boolean {
    return this.#isInScalar && (isSpace(byte) || '"{['.includes(String.fromCharCode(byte)));
  }

  #endsWith(byte: number): boolean {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === backslash) this.#isEscaped = true;
      else if (byte === quote) this.#isInString = false;
      return !this.#isInString && this.#depth === 0;
    }
    if (byte === quote) this.#isInString = true;
    else if (byte === 0x7b || byte === 0x5b) this.#depth++;
    else if ((byte === 0x7d || byte === 0x5d) && this.#depth > 0) return --this.#depth === 0;
    else if (this.#depth === 0) this.#isInScalar = true;
    return false;
  }

  #keep(bytes: Buffer): void {
    this.#byteCount += bytes.length;
    if (this.#byteCount > pipelineLimits.scannedMessageBytesMax)
      throw new Error(`a document has more than ${pipelineLimits.scannedMessageBytesMax} bytes`);
    if (bytes.length > 0) this.#parts.push(bytes);
  }

  #take(last: Buffer): Buffer {
    this.#keep(last);
    const document = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#byteCount = 0;
    this.#isInScalar = false;
    return document;
  }
}

export const jsonDocuments = componentOf('scanner', {
  name: 'json_documents',
  about: 'Makes a message of each JSON document; they may follow each other with or without spaces.',
  fields: {},
  open: () => ({
    async *scan(source) {
      const documents = new Documents();
      for await (const chunk of source)
        for (const document of documents.add(chunk)) yield [new Message({ value: parseDocument(document) })];
      for (const document of documents.end()) yield [new Message({ value: parseDocument(document) })];
    },
  }),
});
