import type * as z from 'zod';
import type { OwnErrorCode } from './errors.ts';
import { apiPath } from './paths.ts';

/** Whether it changes anything. Reads accept read-only keys and GET. */
export type Access = 'read' | 'write';

/**
 * The permission that a caller needs:
 *
 * - `public`: none; the call itself proves the identity.
 * - `user`: any user or any key.
 * - `account`: the whole account, by an account key or as an administrator of all workspaces.
 * - `workspace`: the workspace that `workspace_id` names, or those that the caller can access.
 * - `cluster`: the workspace of the cluster that `virtual_cluster_id` names.
 */
export const scopes = ['public', 'user', 'account', 'workspace', 'cluster'] as const;
export type Scope = (typeof scopes)[number];

/** One operation of the control plane. Its routes, clients and documentation are derived from this. */
export interface Operation<
  Name extends string = string,
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
> {
  /** The route below `/api/v1/`. */
  readonly name: Name;
  readonly title: string;
  /** One sentence. */
  readonly summary: string;
  /** What a caller has to know in addition. */
  readonly description?: string;
  readonly access: Access;
  readonly scope: Scope;
  /** Strict: an unknown field is an error. */
  readonly input: Input;
  /** Not strict: a client ignores unknown fields. */
  readonly output: Output;
  /** In addition to the common ones. */
  readonly errors: readonly OwnErrorCode[];
  /** The input has a secret that could be guessed, so failures are rate-limited per address and per name. */
  readonly isGuessable?: true;
  readonly example: {
    readonly input: NoInfer<z.input<Input>>;
    readonly output: NoInfer<z.output<Output>>;
  };
}

export function defineOperation<
  const Name extends string,
  Input extends z.ZodObject,
  Output extends z.ZodObject,
>(operation: Operation<Name, Input, Output>): Operation<Name, Input, Output> {
  return operation;
}

export function pathOf(operation: Pick<Operation, 'name'>): string {
  return `${apiPath}/${operation.name}`;
}

/** Returns the HTTP methods of an operation. */
export function methodsOf(operation: Pick<Operation, 'access'>): readonly ('GET' | 'POST')[] {
  return operation.access === 'read' ? ['GET', 'POST'] : ['POST'];
}

/** The first words of operations that only read. */
const readingVerbs: readonly string[] = [
  'check',
  'describe',
  'explain',
  'get',
  'list',
  'locate',
  'preview',
  'query',
  'search',
];

/** Whether an operation only reads, by its name alone: as its access in the catalogue, which is large. */
export function readsByName(name: string): boolean {
  const [verb = ''] = name.slice(name.lastIndexOf('/') + 1).split('_');
  return readingVerbs.includes(verb);
}
