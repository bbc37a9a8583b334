import type * as z from 'zod';
import type { OwnErrorCode } from './errors.ts';
import { apiPath } from './paths.ts';

/** Whether it changes anything. Reads may be called by read-only keys, and with GET. */
export type Access = 'read' | 'write';

/**
 * What a caller needs the right to:
 *
 * - `public`: nothing; it proves who it is by the call itself.
 * - `user`: to be known, as a user or by any key.
 * - `account`: the whole account, by an account key or as an administrator of all workspaces.
 * - `workspace`: the workspace that `workspace_id` names, or those that the caller reaches.
 * - `cluster`: the workspace of the cluster that `virtual_cluster_id` names.
 */
export const scopes = ['public', 'user', 'account', 'workspace', 'cluster'] as const;
export type Scope = (typeof scopes)[number];

/** One thing that the control plane can do. Everything that shows or serves it is derived from here. */
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
  /** What a caller has to know besides. */
  readonly description?: string;
  readonly access: Access;
  readonly scope: Scope;
  /** Strict: a field that it does not have is a mistake of the caller. */
  readonly input: Input;
  /** Not strict: a client has to ignore fields that it does not know. */
  readonly output: Output;
  /** Beyond the common ones. */
  readonly errors: readonly OwnErrorCode[];
  /** The secret in the input could be guessed, so that failures are counted per address and per name. */
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

/** The HTTP methods that it is called with. */
export function methodsOf(operation: Pick<Operation, 'access'>): readonly ('GET' | 'POST')[] {
  return operation.access === 'read' ? ['GET', 'POST'] : ['POST'];
}
