import type { IncomingHttpHeaders } from 'node:http';
import type { AnswerMemory } from '@weir/broker';
import type { Clock } from '@weir/core';
import type { HttpProblem, RouteDefinition } from '@weir/http';
import type { RecordSchemas } from '@weir/registry/decoding';
import type { Access } from '@weir/security';
import type { HandlerClient } from './handler-client.ts';
import type { InflatedMemory } from './inflated-memory.ts';
import type { ConsumerInstances } from './rest-proxy/consumers/consumer-instances.ts';

/** A request before its body is inflated and parsed. */
export interface AdmittedInput {
  readonly path: Readonly<Record<string, string | number>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly client: HandlerClient;
}

/** A request as its route sees it. */
export interface DataInput extends AdmittedInput {
  /** The type of the answer that was agreed on, if the route has several. */
  readonly answerType: string | undefined;
  /** The header `Content-Type`. */
  readonly contentType: string | undefined;
  /** The JSON of the body; an empty body is an empty object. Of routes that take bytes, a `Buffer`. */
  readonly body: unknown;
  readonly bodyBytes: number;
  /** Counts memory that the request takes besides its body, until it is answered. */
  readonly countBytes: (bytes: number) => void;
  /** Rights in the schema registry. */
  readonly registryAccess: () => Access;
}

export interface DataDeps {
  readonly answers: AnswerMemory;
  readonly inflated: InflatedMemory;
  readonly clock: Clock;
  /** Consumer instances of the REST proxy. */
  readonly consumers: ConsumerInstances;
  /** The schemas by which the agent validates records, if it has a registry. */
  readonly schemas: RecordSchemas | undefined;
  /** The topic of logs that name none. */
  readonly logTopic: string | undefined;
  /** Yields to other work. */
  readonly pause: () => Promise<void>;
}

/** An answer with a status and type of its own. */
export interface WholeAnswer {
  readonly status: number;
  /** Absent if there is no body. */
  readonly contentType?: string;
  readonly body: string | Buffer;
}

/**
 * One row of the table of routes: its definition, and how it is served. An answer is JSON, as a whole or in pieces,
 * unless it says what it is.
 */
export interface DataRoute extends RouteDefinition {
  readonly operation: string;
  readonly clientId: string;
  /** Whether the body is passed on as inflated bytes, which the route parses; it says what its answer is. */
  readonly takesBytes?: boolean;
  /** Whether numbers of the body which a double cannot hold stay as they are, as `JSON.rawJSON`. */
  readonly keepsNumbers?: boolean;
  /** Types of its errors, if not those of the answer; the preferred one first. */
  readonly errorTypes?: readonly [string, ...string[]];
  /** Error codes of HTTP statuses that have no other one. */
  readonly errorCodes?: Readonly<Record<number, number>>;
  /** Whether it writes records, so that it counts for the quota of producers and not for that of consumers. */
  readonly writes?: boolean;
  /** Throws a problem for callers without a right that does not depend on the body. */
  admit?(input: AdmittedInput, deps: DataDeps): void;
  /** The encodings of a body, as in `Content-Encoding`, where another header says more. */
  encodingsIn?(headers: IncomingHttpHeaders): string | undefined;
  /** The value of `Authorization` of callers that have their credentials elsewhere. */
  authorizationIn?(headers: IncomingHttpHeaders): string | undefined;
  /** Errors as its clients read them; JSON with `error_code` and `message` if absent. */
  problemAnswer?(problem: HttpProblem, headers: IncomingHttpHeaders): WholeAnswer;
  serve(input: DataInput, deps: DataDeps): Promise<string | WholeAnswer> | AsyncIterable<string>;
}
