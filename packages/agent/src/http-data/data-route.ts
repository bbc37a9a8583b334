import type { Clock } from '@weir/core';
import type { RecordSchemas } from '@weir/registry/decoding';
import type { RouteDefinition } from '../http/route-definition.ts';
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

/** One row of the table of routes: its definition, and how it is served. An answer is JSON, as a whole or in pieces. */
export interface DataRoute extends RouteDefinition {
  readonly operation: string;
  readonly clientId: string;
  /** Whether numbers of the body which a double cannot hold stay as they are, as `JSON.rawJSON`. */
  readonly keepsNumbers?: boolean;
  readonly answer: RouteDefinition['answer'] & { readonly types: readonly [string, ...string[]] };
  /** Error codes of HTTP statuses that have no other one. */
  readonly errorCodes?: Readonly<Record<number, number>>;
  serve(input: DataInput, deps: DataDeps): Promise<string> | AsyncIterable<string>;
}
