import type { JsonSchema } from './json-schema.ts';

type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * Who may call a route.
 *
 * - `open`: every caller; there is no login.
 * - `data`: as a Kafka client of the agent, with its logins and rights.
 * - `debug`: callers that log in and have the right, and others only from the machine itself.
 */
type RouteAccess = 'open' | 'data' | 'debug';

interface ParameterDefinition {
  readonly in: 'path' | 'query';
  /** Of the path they are required anyway. */
  readonly isRequired?: boolean;
  readonly schema: JsonSchema;
}

interface BodyDefinition {
  /** Content types that are accepted, the usual one first. */
  readonly types: readonly [string, ...string[]];
  /** Of the JSON; absent if the body is something else. */
  readonly schema?: JsonSchema;
}

interface AnswerDefinition {
  /** 200 if absent. */
  readonly status?: number;
  /** Content types, the preferred one first. None if the answer has no content. */
  readonly types: readonly string[];
  /** Of the JSON; absent if the answer is something else. */
  readonly schema?: JsonSchema;
  readonly description: string;
}

interface RouteExample {
  /** Path and query. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** JSON, or text. Absent if the answer has no content, or is too large to show. */
  readonly answer?: unknown;
}

/** What is said about a route. Registration, the OpenAPI document and the reference page derive from it. */
export interface RouteDefinition {
  /** Unique; the id of the operation in the OpenAPI document. */
  readonly id: string;
  /** Its name in metrics and logs, if it is counted. Routes for the same may share it. */
  readonly operation?: string;
  readonly method: HttpMethod;
  /** `{name}` is one segment; a parameter of the path. */
  readonly path: string;
  readonly summary: string;
  readonly access: RouteAccess;
  /** The right that it takes, if ACLs are enforced. */
  readonly right?: string;
  /** The client id of requests without the header `kafka-client-id`. */
  readonly clientId?: string;
  readonly parameters?: Readonly<Record<string, ParameterDefinition>>;
  readonly body?: BodyDefinition;
  readonly answer: AnswerDefinition;
  /** What each status of an error means, besides those of its kind of access. */
  readonly errors?: Readonly<Record<number, string>>;
  readonly example: RouteExample;
}
