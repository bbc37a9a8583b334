import { fail, MappingError } from '../values/mapping-error.ts';
import { parseJson } from '../values/parse-json.ts';
import { printMessage } from '../values/print-json.ts';
import { Bytes, nothingValue, type Value } from '../values/value.ts';
import type { Budget } from './budget.ts';
import { type MappingMessage, noMetadata } from './message.ts';
import type { Ports } from './ports.ts';

/** A map of a mapping, applied to a value; it runs within limits of the run, `depth` maps deep. */
export type MapBody = (value: Value, run: Run, depth: number, index: number) => Value;

/** One run of a mapping: the messages that it may see, and what it does to the metadata. */
export class Run {
  readonly budget: Budget;
  readonly ports: Ports;
  readonly maps: ReadonlyMap<string, MapBody>;
  readonly batch: readonly MappingMessage[];
  readonly index: number;
  /** The message that is changed, if it is not the one that is mapped. */
  readonly #onto: MappingMessage | undefined;
  /** Of the message that is mapped, and of others of the batch. */
  #document: Value | MappingError | undefined;
  #others: Map<number, Value | MappingError> | undefined;
  /** The new metadata, once the mapping changed it. */
  metadata: Map<string, Value> | undefined;

  constructor(
    batch: readonly MappingMessage[],
    index: number,
    budget: Budget,
    ports: Ports,
    maps: ReadonlyMap<string, MapBody>,
    onto?: MappingMessage,
  ) {
    this.#onto = onto;
    this.maps = maps;
    this.batch = batch;
    this.index = index;
    this.budget = budget;
    this.ports = ports;
  }

  messageAt(index: number): MappingMessage {
    return this.batch[index] ?? {};
  }

  /** The document of the message that is mapped; `field` is what was asked of it. */
  document(field: string | undefined): Value {
    const document = this.#documentAt(this.index);
    if (!(document instanceof MappingError)) return document;
    const asked = field === undefined ? 'this' : `this.${field}`;
    return fail(`unable to reference message as structured (with '${asked}'): ${document.message}`);
  }

  documentAt(index: number): Value {
    const document = this.#documentAt(index);
    if (document instanceof MappingError) throw document;
    return document;
  }

  #documentAt(index: number): Value | MappingError {
    const message = this.messageAt(index);
    if (message.value !== undefined) return message.value;
    if (index === this.index) {
      this.#document ??= parsed(message);
      return this.#document;
    }
    this.#others ??= new Map();
    let document = this.#others.get(index);
    if (document === undefined) {
      document = parsed(message);
      this.#others.set(index, document);
    }
    return document;
  }

  contentAt(index: number): Bytes {
    const { content, value } = this.messageAt(index);
    if (content !== undefined) return new Bytes(Buffer.from(content));
    return new Bytes(value === undefined ? Buffer.alloc(0) : contentOf(value));
  }

  inputMetadata(index: number): ReadonlyMap<string, Value> {
    return this.messageAt(index).metadata ?? noMetadata;
  }

  /** The metadata as the mapping left it so far. */
  currentMetadata(): ReadonlyMap<string, Value> {
    return this.metadata ?? this.#metadataBefore();
  }

  changedMetadata(): Map<string, Value> {
    this.metadata ??= new Map(this.#metadataBefore());
    return this.metadata;
  }

  #metadataBefore(): ReadonlyMap<string, Value> {
    return this.#onto === undefined ? this.inputMetadata(this.index) : (this.#onto.metadata ?? noMetadata);
  }

  /** The document of the message that is changed; nothing if it has none. */
  ontoDocument(): Value {
    if (this.#onto === undefined) return nothingValue;
    if (this.#onto.value !== undefined) return this.#onto.value;
    const document = parsed(this.#onto);
    return document instanceof MappingError ? nothingValue : document;
  }
}

function parsed(message: MappingMessage): Value | MappingError {
  const text = message.content?.toString() ?? '';
  if (text === '') return MappingError.of('message is empty');
  try {
    const document = parseJson(text, (why) => `parse as json: ${why}`);
    message.keep?.(document);
    return document;
  } catch (error) {
    if (error instanceof MappingError) return error;
    throw error;
  }
}

/** The bytes of a value as a message: strings and byte arrays as they are, the rest as JSON. */
export function contentOf(value: Value): Buffer {
  if (typeof value === 'string') return Buffer.from(value, 'utf8');
  if (value instanceof Bytes) return value.buffer;
  return Buffer.from(printMessage(value), 'utf8');
}
