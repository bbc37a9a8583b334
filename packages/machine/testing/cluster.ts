import type { ClusterChange, FileCommit, TopicError } from '@weir/cluster';
import type { Command, ReplyOf } from '../src/command.ts';
import { ClusterMachine } from '../src/machine.ts';
import { defaultLimits, type MachineLimits } from '../src/machine-limits.ts';
import { type BatchToCommit, fileCommit } from './file-commit.ts';

/** Ids of files in tests have no time. */
const testLimits: MachineLimits = { ...defaultLimits, fileCommitMsMax: Number.MAX_SAFE_INTEGER };

/** A machine with a clock and a journal in an array, for scenario tests. */
export class Cluster {
  machine: ClusterMachine;
  readonly journal: Buffer[] = [];
  nowMs = 1_000_000;
  #fileCount = 0;

  readonly limits: MachineLimits;

  constructor(limits: Partial<MachineLimits> = {}) {
    this.limits = { ...testLimits, ...limits };
    this.machine = ClusterMachine.empty('vci_test', this.limits);
  }

  execute<C extends Command>(command: C): ReplyOf<C> {
    return this.#execute(command, undefined);
  }

  /** Executes a command with a request id, so that it is executed once. */
  request<C extends Command>(requestId: string, command: C): ReplyOf<C> {
    return this.#execute(command, requestId);
  }

  #execute<C extends Command>(command: C, requestId: string | undefined): ReplyOf<C> {
    const { entry, reply } = this.machine.execute(command, this.nowMs, requestId);
    if (entry !== undefined) this.journal.push(entry);
    return reply;
  }

  /** Creates a topic whose id is its name. */
  create(name: string, partitionCount = 1, configs: Record<string, string> = {}): TopicError {
    const topics = [{ name, partitionCount, configs }];
    return this.execute({ kind: 'createTopics', topics, topicIds: [name], validateOnly: false })[0]!.error;
  }

  delete(name: string): TopicError {
    return this.execute({ kind: 'deleteTopics', topics: [{ name }] })[0]!.error;
  }

  /** Commits a new file and returns `error` or `baseOffset` per batch. */
  commit(...batches: BatchToCommit[]): (string | number)[] {
    return this.commitFile(fileCommit(++this.#fileCount, batches));
  }

  commitFile(file: FileCommit): (string | number)[] {
    const { error, baseOffset } = this.execute({ kind: 'commitFiles', files: [file] })[0]!;
    return Array.from(error, (code, row) => (code === 0 ? baseOffset[row]! : `error ${code}`));
  }

  /** Returns a machine that applied the journal from the start, and the changes. */
  replay(): { machine: ClusterMachine; changes: ClusterChange[] } {
    const machine = ClusterMachine.empty('vci_test');
    const changes = this.journal.flatMap((entry) => machine.apply(entry));
    return { machine, changes };
  }

  /** Returns a snapshot of the state. */
  saved(): Buffer {
    return Buffer.concat(this.machine.save());
  }
}
