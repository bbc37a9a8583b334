import { isUtf8 } from 'node:buffer';
import {
  Bytes,
  contentOf,
  type ExtendedText,
  type MappingMessage,
  parseDocument,
  printMessage,
  type Value,
} from '@weir/bloblang';
import type { ValueToWrite } from '@weir/wire';

export type Metadata = ReadonlyMap<string, Value>;

const noMetadata: Metadata = new Map();

/** Why a component failed on a message. The message flows on with it. */
interface MessageFailure {
  readonly message: string;
  /** Of the component. */
  readonly label?: string;
  readonly path?: string;
  readonly type?: string;
}

/** What messages of one delivery share, and their copies keep. */
export interface Origin {
  /** Where it was in the delivery, so that the input knows which messages failed. */
  readonly index: number;
  /**
   * Where `sync_response` leaves answers; absent if the input takes none. If messages that failed are delivered again,
   * `isReplayed`, the answer is sent when they are written at last.
   */
  readonly answers?: { store(batch: readonly Message[]): void; readonly isReplayed?: boolean } | undefined;
  /** How often the message was delivered again; the same object each time. */
  readonly replay?: { attempts: number } | undefined;
}

interface MessageParts {
  readonly content?: Buffer | undefined;
  readonly value?: Value | undefined;
  /** The text of the value, if it need not be printed. */
  readonly text?: ExtendedText | undefined;
  /** Whether the value has only what JSON has. */
  readonly isPlain?: boolean;
  readonly metadata?: Metadata;
  readonly error?: MessageFailure | undefined;
  readonly origin?: Origin | undefined;
}

/**
 * A message that flows through a pipeline. It does not change: components make changed copies. Its content is bytes or
 * a document, and each is made of the other when it is asked for.
 */
export class Message implements MappingMessage, ValueToWrite {
  readonly metadata: Metadata;
  readonly error: MessageFailure | undefined;
  readonly origin: Origin | undefined;
  #content: Buffer | undefined;
  /** The printed document, or what its text is put together of, until a caller wants its bytes apart. */
  #text: string | ExtendedText | undefined;
  #value: Value | undefined;
  /** Whether the document would be the same if it were parsed again. */
  #isPlain: boolean;
  #byteLength = -1;

  constructor({ content, value, text, isPlain = false, metadata = noMetadata, error, origin }: MessageParts) {
    // A text that a mapping makes is the content, and no document; it is parsed when it is asked for.
    const isContent = typeof value === 'string' || value instanceof Bytes;
    this.#content = isContent ? contentOf(value) : content;
    this.#value = isContent ? undefined : value;
    this.#text = text;
    this.#isPlain = isPlain;
    this.metadata = metadata;
    this.error = error;
    this.origin = origin;
  }

  static of(content: Buffer | string, metadata?: Metadata, origin?: Origin): Message {
    return new Message({
      content: typeof content === 'string' ? Buffer.from(content) : content,
      ...(metadata && { metadata }),
      origin,
    });
  }

  /** The bytes; a document is printed once. */
  get content(): Buffer {
    if (this.#content === undefined) {
      const text = this.#printed();
      this.#content = typeof text === 'string' ? Buffer.from(text) : text.toBuffer();
      this.#text = undefined;
    }
    return this.#content;
  }

  #printed(): string | ExtendedText {
    this.#text ??= this.#value === undefined ? '' : printMessage(this.#value);
    return this.#text;
  }

  /** The document if it was parsed already; see `document()`. */
  get value(): Value | undefined {
    return this.#value;
  }

  /** The bytes of the document, unless they had to be printed, have less than the document, or are no UTF-8. */
  get source(): Buffer | undefined {
    const isThere = this.#content !== undefined || typeof this.#text === 'object';
    return this.#isPlain && isThere && isUtf8(this.content) ? this.content : undefined;
  }

  /** The document; throws if the content is not JSON. */
  document(): Value {
    if (this.#value === undefined) this.keep(parseDocument(this.content));
    return this.#value!;
  }

  keep(document: Value): void {
    this.#value = document;
    this.#isPlain = true;
  }

  /**
   * Lets go of the document, if the same can be parsed again of the content. What waits for an acknowledgement then
   * takes less memory, and fewer objects that a garbage collection has to look at.
   */
  forget(): void {
    if (this.#isPlain && (this.#content !== undefined || this.#text !== undefined)) this.#value = undefined;
  }

  /** How many bytes the content has, which is how much memory it is charged for. */
  get byteLength(): number {
    if (this.#byteLength < 0) this.#byteLength = this.#content?.length ?? byteLengthOf(this.#printed());
    return this.#byteLength;
  }

  /** Writes the content where the caller has reserved `byteLength` bytes. */
  writeTo(target: Buffer, at: number): void {
    if (this.#content !== undefined) target.set(this.#content, at);
    else {
      const text = this.#printed();
      // Most texts are ASCII, which need not be encoded.
      if (typeof text === 'string')
        target.write(text, at, this.byteLength === text.length ? 'latin1' : 'utf8');
      else text.writeTo(target, at);
    }
  }

  withContent(content: Buffer): Message {
    const { metadata, error, origin } = this;
    return new Message({ content, metadata, error, origin });
  }

  /** `isPlain` says that the value has only what JSON has, and `text` what it is printed as. */
  withValue(
    value: Value,
    metadata: Metadata = this.metadata,
    isPlain = false,
    text?: ExtendedText | undefined,
  ): Message {
    const { error, origin } = this;
    return new Message({ value, text, isPlain, metadata, error, origin });
  }

  withMetadata(metadata: Metadata): Message {
    return this.#with(metadata, this.error, this.origin);
  }

  /** With one more entry of metadata. */
  withEntry(key: string, value: Value): Message {
    return this.withMetadata(new Map(this.metadata).set(key, value));
  }

  /** Failed, or mended if `error` is undefined. */
  withError(error: MessageFailure | undefined): Message {
    return this.#with(this.metadata, error, this.origin);
  }

  withOrigin(origin: Origin | undefined): Message {
    return this.#with(this.metadata, this.error, origin);
  }

  #with(metadata: Metadata, error: MessageFailure | undefined, origin: Origin | undefined): Message {
    const copy = new Message({
      content: this.#content,
      value: this.#value,
      isPlain: this.#isPlain,
      metadata,
      error,
      origin,
    });
    copy.#text = this.#text;
    copy.#byteLength = this.#byteLength;
    return copy;
  }
}

function byteLengthOf(text: string | ExtendedText): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : text.byteLength;
}

/** Messages that flow together. A batch is never empty. */
export type Batch = readonly Message[];
