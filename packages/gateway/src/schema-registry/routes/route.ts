import type { NeededOperation } from '@weir/core';
import type { RegistryErrorName, RegistryService } from '@weir/registry';
import type { QueryOf, QueryShape } from '../request/query.ts';

/**
 * The right that a request needs, if the cluster has ACLs.
 *
 * - `authenticated`: none beyond the login.
 * - `subject`: on the subject of the path. A name that is only a context, such as `:.eu:`, is the registry.
 * - `registry`: on the registry as a whole.
 * - `exporter`: the same, and READ on every subject that the exporter copies, which the registry checks.
 * - `schema`: on any subject that has the schema of the path.
 * - `listed`: the answer leaves out subjects without the right.
 */
export type Needs =
  | { readonly on: 'authenticated' }
  | {
      readonly on: 'subject' | 'registry' | 'exporter' | 'schema' | 'listed';
      readonly operation: NeededOperation;
    };

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
type Endpoint = `${Method} /${string}`;

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** Values of the path, decoded. Ids are numbers. */
type PathValues<At extends Endpoint> = {
  readonly [Name in NamesIn<At>]: Name extends 'id' ? number : string;
};

/** Fields of a body with their descriptions, for the reference page. The registry checks bodies. */
type BodyFields = Readonly<Record<string, string>>;

/** A request as its route sees it. */
interface RouteInput<At extends Endpoint, Query extends QueryShape> {
  readonly path: PathValues<At>;
  readonly query: QueryOf<Query>;
  /** The JSON of the body as it arrived. */
  readonly body: unknown;
  /**
   * Whether the caller has the right of the row on a subject, which may be one of a list or another one that the
   * subject of the path stands for; `undefined` if it has it on all. Of exporters, whether it may read a subject.
   */
  readonly isAllowed: ((subject: string) => boolean) | undefined;
  /** Whether the caller may delete a subject; `undefined` for all. Only batches of changes need it. */
  readonly isDeletable: ((subject: string) => boolean) | undefined;
}

/** One row of the table: matching, rights, the reference page and metrics derive from it. */
interface RouteDefinition<At extends Endpoint = Endpoint, Query extends QueryShape = QueryShape> {
  /** Its name in metrics and logs. */
  readonly operation: string;
  readonly endpoint: At;
  readonly summary: string;
  readonly query?: Query;
  /** If absent, a body is ignored. */
  readonly body?: BodyFields;
  readonly needs: Needs;
  readonly errors?: readonly RegistryErrorName[];
  /** The status of responses. Default: 200, or 204 for those without content. */
  readonly status?: 207;
  /** The response is the text of a schema as it is, not JSON. */
  readonly isRawText?: true;
  serve(service: RegistryService, input: RouteInput<At, Query>): unknown;
}

export interface RouteRow extends RouteDefinition {
  readonly method: Method;
  readonly path: string;
  /** Whether a read-only credential may do it. */
  readonly isReadOnly: boolean;
}

const readOperations: ReadonlySet<NeededOperation> = new Set(['READ', 'DESCRIBE', 'DESCRIBE_CONFIGS']);

/** Checks a row by its own path and query; the table then holds rows of any shape. */
export function route<At extends Endpoint, const Query extends QueryShape = Record<never, never>>(
  row: RouteDefinition<At, Query>,
): RouteRow {
  const [method, path] = row.endpoint.split(' ') as [Method, string];
  const isReadOnly = row.needs.on === 'authenticated' || readOperations.has(row.needs.operation);
  return { ...(row as unknown as RouteDefinition), method, path, isReadOnly };
}
