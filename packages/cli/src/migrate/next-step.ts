import type { Described } from './own-migration.ts';

/** What a person does next, with the command for it. */
interface NextStep {
  readonly step: 'create' | 'resume' | 'repair' | 'wait' | 'forward' | 'cut-over' | 'done';
  readonly message: string;
  readonly command?: string;
}

/** The steps of a migration in their order; the first that is not done yet comes next. */
export function nextStep(migration: Described | undefined): NextStep {
  if (migration === undefined)
    return {
      step: 'create',
      message:
        'The cluster has no migration. Write a configuration (docs/guides/migration.md begins with one), see what would become of everything, then create it.',
      command: 'weir cli migrate preflight -config-file migration.yaml',
    };
  const { pipeline_state, topics, topics_by_state: counts, errors } = migration;
  const open = counts.waiting + counts.replicating + counts.proxy + counts.blocked;
  if (topics.length > 0 && open === 0)
    return {
      step: 'done',
      message: `All ${counts.migrated} topics that can be copied are migrated. Stop the source when nothing reads from it any more, and pause the migration.`,
      command: 'weir cli migrate pause',
    };
  if (pipeline_state === 'paused')
    return {
      step: 'resume',
      message: 'The migration is paused; nothing is copied.',
      command: 'weir cli migrate resume',
    };
  const [error] = errors;
  if (error !== undefined)
    return {
      step: 'repair',
      message: `The migration is stuck: ${error}`,
      command: 'weir cli migrate status',
    };
  const stopped = topics.find(({ stopped_partitions }) => stopped_partitions > 0);
  if (stopped !== undefined)
    return {
      step: 'repair',
      message: `Partitions of ${stopped.topic} are stopped until you decide: mend the source, then pause and resume; or have the topic copied again with weir cli migrate recopy.`,
      command: `weir cli migrate status -topic ${stopped.topic}`,
    };
  if (counts.blocked > 0 || topics.some(({ cut_over_requested }) => cut_over_requested))
    return {
      step: 'wait',
      message:
        'A cut-over is under way; it goes back to forwarding by itself if it does not succeed in time.',
      command: 'weir cli migrate status -watch',
    };
  if (counts.waiting > 0)
    return { step: 'wait', message: 'Topics are being created.', command: 'weir cli migrate status -watch' };
  if (counts.replicating > 0)
    return {
      step: 'forward',
      message: `${counts.replicating} topics are copied and read-only. When their lag is small, let agents pass writes on to the source, and point producers at the agents one by one.`,
      command: 'weir cli migrate forward',
    };
  return {
    step: 'cut-over',
    message: 'Agents pass all writes on to the source. When nothing holds the topics back, cut over.',
    command: 'weir cli migrate cut-over -watch',
  };
}
