import { Bytes, contentOf, type MappingMessage, parseDocument, type Value } from '@weir/bloblang';

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
  readonly metadata?: Metadata;
  readonly error?: MessageFailure | undefined;
  readonly origin?: Origin | undefined;
}

/**
 * A message that flows through a pipeline. It does not change: components make changed copies. Its content is bytes or
 * a document, and each is made of the other when it is asked for.
 */
export class Message implements MappingMessage {
  readonly metadata: Metadata;
  readonly error: MessageFailure | undefined;
  readonly origin: Origin | undefined;
  #content: Buffer | undefined;
  #value: Value | undefined;

  constructor({ content, value, metadata = noMetadata, error, origin }: MessageParts) {
    // A text that a mapping makes is the content, and no document; it is parsed when it is asked for.
    const isContent = typeof value === 'string' || value instanceof Bytes;
    this.#content = isContent ? contentOf(value) : content;
    this.#value = isContent ? undefined : value;
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
    this.#content ??= this.#value === undefined ? Buffer.alloc(0) : contentOf(this.#value);
    return this.#content;
  }

  /** The document if it was parsed already; see `document()`. */
  get value(): Value | undefined {
    return this.#value;
  }

  /** The document; throws if the content is not JSON. */
  document(): Value {
    this.#value ??= parseDocument(this.content);
    return this.#value;
  }

  keep(document: Value): void {
    this.#value = document;
  }

  /** How much memory it is charged for. */
  get byteCount(): number {
    return this.content.length;
  }

  withContent(content: Buffer): Message {
    const { metadata, error, origin } = this;
    return new Message({ content, metadata, error, origin });
  }

  withValue(value: Value, metadata: Metadata = this.metadata): Message {
    const { error, origin } = this;
    return new Message({ value, metadata, error, origin });
  }

  withMetadata(metadata: Metadata): Message {
    return this.#with({ metadata });
  }

  /** With one more entry of metadata. */
  withEntry(key: string, value: Value): Message {
    return this.withMetadata(new Map(this.metadata).set(key, value));
  }

  /** Failed, or mended if `error` is undefined. */
  withError(error: MessageFailure | undefined): Message {
    return this.#with({ error });
  }

  withOrigin(origin: Origin | undefined): Message {
    return this.#with({ origin });
  }

  #with(changed: MessageParts): Message {
    const { metadata, error, origin } = this;
    return new Message({ content: this.#content, value: this.#value, metadata, error, origin, ...changed });
  }
}

/** Messages that flow together. A batch is never empty. */
export type Batch = readonly Message[];
