import type { Value } from '../values/value.ts';

/** A message to be mapped. Its parts are not changed. */
export interface MappingMessage {
  /** The bytes; needed if `value` is absent, or if the mapping asks for them. */
  readonly content?: Buffer | string | undefined;
  /** The document, if it has been parsed already. */
  readonly value?: Value | undefined;
  /** The bytes that `value` was parsed of, or printed as, if there are any, in UTF-8, which say all that it has. */
  readonly source?: Buffer | undefined;
  readonly metadata?: ReadonlyMap<string, Value> | undefined;
  /** What failed before, in a pipeline that goes on. */
  readonly error?: MessageError | undefined;
  /** Called with the document when it was parsed, so that the next mapping need not. */
  keep?(document: Value): void;
}

export interface MessageError {
  readonly message: string;
  readonly label?: string;
  readonly path?: string;
  readonly type?: string;
}

export const noMetadata: ReadonlyMap<string, Value> = new Map();
