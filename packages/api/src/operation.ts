import * as z from 'zod';
import type { OwnErrorCode } from './errors.ts';
import { clusterId, examples } from './fields.ts';
import { readsByName } from './reads-by-name.ts';

/**
 * What a call does with its object:
 *
 * - `read`: it reads metadata. Read-only keys and GET are accepted.
 * - `records`: it reads records of topics, which members do not see unless a role says so. Calls are audited.
 * - `write`: it changes something. Calls are audited.
 */
export type Access = 'read' | 'records' | 'write';

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

const noInput = z.strictObject({});
const noOutput = z.object({});

/** What an operation says of itself. The rest follows. */
interface Definition<Name extends string, Input extends z.ZodObject, Output extends z.ZodObject>
  extends Pick<Operation<Name>, 'name' | 'title' | 'summary' | 'description' | 'scope' | 'isGuessable'> {
  /** Without fields by default, as the output. */
  readonly input?: Input;
  readonly output?: Output;
  /** By the name by default. */
  readonly access?: 'records';
  readonly errors?: readonly OwnErrorCode[];
  readonly example?: {
    readonly input?: NoInfer<z.input<Input>>;
    readonly output?: NoInfer<z.output<Output>>;
  };
}

export function defineOperation<
  const Name extends string,
  Input extends z.ZodObject = typeof noInput,
  Output extends z.ZodObject = typeof noOutput,
>(definition: Definition<Name, Input, Output>): Operation<Name, Input, Output> {
  return {
    input: noInput as z.ZodObject as Input,
    output: noOutput as z.ZodObject as Output,
    errors: [],
    access: readsByName(definition.name) ? 'read' : 'write',
    ...definition,
    // A test validates examples, also these.
    example: { input: {} as z.input<Input>, output: {} as z.output<Output>, ...definition.example },
  };
}

const clusterTarget = { virtual_cluster_id: clusterId() };

/** The input of an operation of a cluster: the cluster, and what else it needs. */
export function clusterInput<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject({ ...clusterTarget, ...shape });
}

type ClusterInput = ReturnType<typeof clusterInput<Record<never, never>>>;

/** An operation of the cluster that `virtual_cluster_id` names. Without access, callers get `not_found`. */
export function defineClusterOperation<
  const Name extends string,
  Input extends z.ZodObject = ClusterInput,
  Output extends z.ZodObject = typeof noOutput,
>({
  input = clusterInput({}) as z.ZodObject as Input,
  errors = [],
  example,
  ...definition
}: Omit<Definition<Name, Input, Output>, 'scope' | 'example'> & {
  /** Without the cluster. */
  readonly example?: {
    readonly input?: NoInfer<Omit<z.input<Input>, 'virtual_cluster_id'>>;
    readonly output?: NoInfer<z.output<Output>>;
  };
}): Operation<Name, Input, Output> {
  const exampleInput = { virtual_cluster_id: examples.cluster, ...example?.input } as z.input<Input>;
  return defineOperation<Name, Input, Output>({
    ...definition,
    scope: 'cluster',
    input,
    errors: ['not_found', ...errors],
    example: { ...example, input: exampleInput },
  });
}

/** Returns the HTTP methods of an operation. */
export function methodsOf(operation: Pick<Operation, 'access'>): readonly ('GET' | 'POST')[] {
  return operation.access === 'read' ? ['GET', 'POST'] : ['POST'];
}
