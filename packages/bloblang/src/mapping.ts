import { systemClock, systemRandom } from '@weir/core';
import type { Environment } from './compile/environment.ts';
import { type CompiledMapping, compiledMapping, type Importer, runStatements } from './compile/maps.ts';
import { type References, referencesOf } from './compile/references.ts';
import { pipelineEnvironment } from './environments.ts';
import { Budget, type RunLimits, usualRunLimits } from './runtime/budget.ts';
import { Frame, unparsed } from './runtime/frame.ts';
import type { MappingMessage } from './runtime/message.ts';
import type { Ports } from './runtime/ports.ts';
import { catchable } from './runtime/query.ts';
import { Run } from './runtime/run.ts';
import { checkSize } from './values/check-size.ts';
import { type ExtendedText, extendedText } from './values/extended-text.ts';
import { LimitError } from './values/mapping-error.ts';
import { parseJson } from './values/parse-json.ts';
import { deletedValue, nothingValue, type Value } from './values/value.ts';

interface MappingOptions {
  /** The names that the mapping may use; those of pipelines unless given. */
  readonly environment?: Environment;
  /** Reads imported files; nothing can be imported without it. */
  readonly importer?: Importer;
}

/** What becomes of a message. Metadata is absent if it stays as it was. */
export type MappingResult =
  | {
      readonly kind: 'value';
      readonly value: Value;
      /** Whether it is the same after it was printed and parsed: it has no bytes, no timestamps and the like. */
      readonly isPlain: boolean;
      readonly metadata: ReadonlyMap<string, Value> | undefined;
      /** The text of the value, if it is the document with more fields; absent if it has to be printed. */
      readonly text?: ExtendedText;
    }
  | { readonly kind: 'unchanged'; readonly metadata: ReadonlyMap<string, Value> | undefined }
  | { readonly kind: 'deleted' };

interface ApplyOptions {
  /** The other messages, for functions that look at them, and where the message is among them. */
  readonly batch?: readonly MappingMessage[];
  readonly index?: number;
  /** Whether assignments change the document instead of making a new one, as in a `mutation`. */
  readonly startsFromDocument?: boolean;
  /** Assignments change this message instead, and `@` is its metadata: what a branch came from. */
  readonly onto?: MappingMessage;
  readonly limits?: Partial<RunLimits>;
}

/** A mapping failed on a message; the text is one line. */
export class MappingFailure extends Error {
  /** Whether it exceeded a limit, which will not change with another message of its kind. */
  readonly isLimit: boolean;
  constructor(message: string, isLimit: boolean) {
    super(message);
    this.isLimit = isLimit;
  }
}

/** Parses, checks and compiles a mapping; throws a `BloblangError` that says where it is wrong. */
export function parseMapping(text: string, options: MappingOptions = {}): Mapping {
  return new Mapping(compiledMapping(text, options.environment ?? pipelineEnvironment, options.importer));
}

/** Parses the content of a message as a document. Throws a `MappingFailure` if it is none. */
export function parseDocument(content: Buffer): Value {
  try {
    return parseJson(content.toString(), (why) => `parse as json: ${why}`);
  } catch (error) {
    throw failureOf(error);
  }
}

const systemPorts: Ports = { clock: systemClock, random: systemRandom, counters: new Map() };

export class Mapping {
  readonly #compiled: CompiledMapping;
  readonly #usualLimits = usualRunLimits;

  constructor(compiled: CompiledMapping) {
    this.#compiled = compiled;
  }

  /** Maps a message. Throws a `MappingFailure` if the mapping fails on it. */
  apply(message: MappingMessage, options: ApplyOptions = {}, ports: Ports = systemPorts): MappingResult {
    const { maps, statements, source } = this.#compiled;
    const limits =
      options.limits === undefined ? this.#usualLimits : { ...this.#usualLimits, ...options.limits };
    const index = options.index ?? 0;
    const { onto } = options;
    const run = new Run(options.batch ?? [message], index, new Budget(limits), ports, maps, onto);
    const frame = new Frame(run, unparsed, 0, index);
    let isPlain: boolean;
    let text: ExtendedText | undefined;
    try {
      if (onto !== undefined) frame.root = run.ontoDocument();
      else if (options.startsFromDocument) frame.root = documentOrNothing(frame);
      runStatements(statements, frame, source);
      text = onto === undefined ? extendedText(message, frame.root) : undefined;
      isPlain = text?.isPlain ?? checkSize(frame.root);
      if (run.metadata !== undefined) for (const value of run.metadata.values()) checkSize(value);
    } catch (error) {
      throw failureOf(error);
    }
    const { metadata } = run;
    const { root } = frame;
    if (root === deletedValue) return { kind: 'deleted' };
    if (root === nothingValue) return { kind: 'unchanged', metadata };
    if (text !== undefined) return { kind: 'value', value: root, isPlain, metadata, text };
    return { kind: 'value', value: root, isPlain, metadata };
  }

  /** What it reads of its message and what it assigns, as far as its text says so. */
  references(): References {
    return referencesOf(this.#compiled.source.text);
  }
}

function failureOf(error: unknown): MappingFailure {
  try {
    return new MappingFailure(catchable(error).message, false);
  } catch (other) {
    if (other instanceof LimitError) return new MappingFailure(other.message, true);
    throw other;
  }
}

function documentOrNothing(frame: Frame): Value {
  try {
    return frame.current(undefined);
  } catch (error) {
    catchable(error);
    return nothingValue;
  }
}
