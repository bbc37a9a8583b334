import type { Clock } from '@weir/core';
import type { RecordSchemas } from '@weir/registry/decoding';
import type { AnswerMemory } from '../pressure/answer-memory.ts';
import type { Access } from '../security/access.ts';
import type { HandlerClient } from './handler-client.ts';

/** A request as its route sees it. */
export interface DataInput {
  readonly path: Readonly<Record<string, string | number>>;
  readonly query: URLSearchParams;
  /** The header `Content-Type`. */
  readonly contentType: string | undefined;
  /** The JSON of the body; an empty body is an empty object. */
  readonly body: unknown;
  readonly bodyBytes: number;
  readonly client: HandlerClient;
  /** Rights in the schema registry. */
  readonly registryAccess: () => Access;
}

export interface DataDeps {
  readonly answers: AnswerMemory;
  readonly clock: Clock;
  /** The schemas by which the agent validates records, if it has a registry. */
  readonly schemas: RecordSchemas | undefined;
  /** Yields to other work. */
  readonly pause: () => Promise<void>;
}

/** One row of the table of routes. An answer is JSON, as a whole or in pieces. */
export interface DataRoute {
  /** Its name in metrics. */
  readonly operation: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Of requests without the header `kafka-client-id`. */
  readonly clientId: string;
  readonly takesBody: boolean;
  /** Whether numbers of the body which a double cannot hold stay as they are, as `JSON.rawJSON`. */
  readonly keepsNumbers?: boolean;
  /** Types of its answers, the preferred one first; `application/json` if absent. */
  readonly answerTypes?: readonly [string, ...string[]];
  /** Error codes of HTTP statuses that have no other one. */
  readonly errorCodes?: Readonly<Record<number, number>>;
  serve(input: DataInput, deps: DataDeps): Promise<string> | AsyncIterable<string>;
}
