import type { Shape } from '../shapes/shape.ts';

/**
 * How a call that is sent again, because its answer may have been lost, does no harm.
 *
 * `dedupe-in-process`: the process that answers keeps the answer until the caller has confirmed it, and gives it again. The
 * machine also remembers committed files, beyond the life of the process.
 * `dedupe-durable`: the same, and the cluster itself remembers the answer with what was done, so that whichever process
 * leads by then gives it.
 * `reexecute`: it is done again; asking or saying something twice changes nothing.
 */
type OnRetry = 'dedupe-in-process' | 'dedupe-durable' | 'reexecute';

/**
 * Who answers a call.
 *
 * `command`: the state machine decides it and writes an entry of the journal.
 * `query`: the state machine is asked, and nothing changes.
 * `leader`: a part of the leader answers that holds state of its own, as the coordinator of groups.
 */
export type CallKind = 'command' | 'query' | 'leader';

interface CallOptions {
  /** After this the caller is told that the control plane is unavailable. */
  readonly deadlineMs?: number;
  readonly onRetry?: OnRetry;
  /**
   * The answer may depend on calls of others, as members of a group wait for each other. Such calls are counted apart
   * (`clusterLimits.rpcWaitingCallsMax`): if they used up the places of calls that are worked on, those that they wait for could
   * not come in.
   */
  readonly waits?: true;
  /**
   * Only processes of the control plane may call it. The rest is what an agent needs for itself and for its Kafka clients, whom
   * it authorises; a stolen agent key allows so much and no more (SECURITY.md).
   */
  readonly membersOnly?: true;
  /**
   * It takes a list and answers with one of the same order, in which every entry stands for itself, so that a long list goes in
   * several calls.
   */
  readonly splits?: true;
}

/** One call of the port: its arguments, who answers it, and how it travels. The type of the port follows from it. */
export interface Call<Args extends readonly unknown[], Answer, Kind extends CallKind = CallKind> {
  readonly kind: Kind;
  readonly args: Shape<Args>;
  readonly deadlineMs: number;
  readonly onRetry: OnRetry;
  readonly waits: boolean;
  readonly membersOnly: boolean;
  readonly splits: boolean;
  /** Only for the type. */
  readonly _answer?: Answer;
}

/** The calls of a table as methods. */
export type PortOf<Table> = {
  [Name in keyof Table]: Table[Name] extends Call<infer Args, infer Answer>
    ? (...args: Args) => Promise<Answer>
    : never;
};

const defaultDeadlineMs = 30_000;

export function command<Args extends readonly unknown[], Answer>(
  args: Shape<Args>,
  options: CallOptions = {},
): Call<Args, Answer, 'command'> {
  return callOf('command', args, { onRetry: 'dedupe-durable', ...options });
}

export function query<Args extends readonly unknown[], Answer>(
  args: Shape<Args>,
  options: CallOptions = {},
): Call<Args, Answer, 'query'> {
  return callOf('query', args, { onRetry: 'reexecute', ...options });
}

export function leaderCall<Args extends readonly unknown[], Answer>(
  args: Shape<Args>,
  options: CallOptions & { readonly onRetry: OnRetry },
): Call<Args, Answer, 'leader'> {
  return callOf('leader', args, options);
}

function callOf<Args extends readonly unknown[], Answer, Kind extends CallKind>(
  kind: Kind,
  args: Shape<Args>,
  options: CallOptions & { readonly onRetry: OnRetry },
): Call<Args, Answer, Kind> {
  const { deadlineMs = defaultDeadlineMs, onRetry } = options;
  return {
    kind,
    args,
    deadlineMs,
    onRetry,
    waits: options.waits === true,
    membersOnly: options.membersOnly === true,
    splits: options.splits === true,
  };
}
