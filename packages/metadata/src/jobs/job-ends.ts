import type { ListedJob } from '@weir/cluster';
import type { Command, ReplyOf } from '@weir/machine';
import type { AskMachine } from './ask-machine.ts';

/** Where the ends of lasting jobs are, so that the next leader does not run them once more. */
export interface JobEnds {
  load(): Promise<readonly ListedJob[]>;
  /** Resolves when it is durable. */
  put(job: ListedJob): Promise<void>;
  remove(scopes: readonly string[]): Promise<void>;
}

type PutEntries = Extract<Command, { readonly kind: 'putEntries' }>;

/** The ends of jobs of a kind, in the metadata of the cluster. */
export function jobEnds(
  kind: string,
  ask: AskMachine,
  submit: (command: PutEntries) => Promise<Pick<ReplyOf<PutEntries>, 'message'>>,
): JobEnds {
  const namespace = 'jobEnd';
  const start = `${kind}/`;
  const change = async (changes: PutEntries['changes']) => {
    const { message } = await submit({ kind: 'putEntries', changes });
    if (message !== null) throw new Error(message);
  };
  return {
    load: () =>
      ask(({ kv }) =>
        Array.from(kv.of(namespace)).flatMap(([key, value]) =>
          key.startsWith(start) ? [JSON.parse(value.toString()) as ListedJob] : [],
        ),
      ),
    put: (job) =>
      change([{ namespace, key: `${start}${job.scope}`, value: Buffer.from(JSON.stringify(job)) }]),
    remove: (scopes) => change(scopes.map((scope) => ({ namespace, key: `${start}${scope}`, value: null }))),
  };
}
