import {
  type AbortedTransactions,
  type BatchesAnswer,
  deadFileScanKind,
  fileDeletionKind,
  keyCompactionKind,
  type Pointers,
  readDeletionTask,
} from '@weir/cluster';
import { clusterPrefix, logFileKey } from '@weir/storage';
import { bucketObject } from '../../../packages/jobs/src/bucket-object.ts';
import type { JobKind } from '../../../packages/jobs/src/job-kind.ts';
import type { LifeAgent } from './life-agent.ts';
import type { Sabotage } from './sabotage.ts';
import { clusterId, dayMs, hourMs, minuteMs } from './setting.ts';

interface PlantedBug {
  readonly sabotage: Sabotage;
  /** What the checks report. */
  readonly expected: RegExp;
  /** Whether it is found so soon that every run of CI can show it. */
  readonly isQuick?: boolean;
}

/** Replaces the work of one kind of job. */
function replaced(kindName: string, run: (agent: LifeAgent, kind: JobKind) => JobKind['run']): Sabotage {
  return { job: (kind, agent) => (kind.kind === kindName ? { ...kind, run: run(agent, kind) } : kind) };
}

function withOtherMarkers(pointers: Pointers): Pointers {
  const { markers } = pointers;
  if (markers === undefined) return pointers;
  return { ...pointers, markers: { ...markers, isCommit: markers.isCommit.map((flag) => 1 - flag) } };
}

/** Transactions that end with the markers of a range, as if all of them were aborted. */
function abortedBefore({ markers, baseOffset }: Pointers): AbortedTransactions {
  const rows = [...(markers?.row ?? [])];
  return {
    producerId: Float64Array.from(markers?.producerId ?? []),
    firstOffset: new Float64Array(rows.length),
    lastOffset: Float64Array.from(rows, (row) => baseOffset[row]!),
  };
}

/** By what is wrong. Each is found by the checks within a few seeds. */
export const plantedBugs: Readonly<Record<string, PlantedBug>> = {
  'a grace period that is too short': {
    sabotage: { graceMs: 30 * minuteMs },
    expected: /is deleted \d+ ms after it died|not exist|does not match/,
    isQuick: true,
  },
  'a scanner that deletes what it does not know, whatever its age': {
    sabotage: replaced(deadFileScanKind, ({ store, port }) => async () => {
      for await (const page of store.list(clusterPrefix(clusterId))) {
        const objects = page.map(({ key }) => bucketObject(clusterId, key));
        const fileIds = objects.flatMap((object) => (object.kind === 'file' ? [object.fileId] : []));
        for (const fileId of await port.unknownFiles(fileIds))
          await store.delete(logFileKey(clusterId, fileId));
      }
      return 'deleted';
    }),
    expected: /object not found|no such object|not exist|no object/i,
  },
  'a scanner that sees nothing': {
    sabotage: replaced(deadFileScanKind, () => async () => 'saw nothing'),
    expected: /is an orphan for/,
  },
  'deleted files that the cluster does not forget': {
    sabotage: replaced(fileDeletionKind, ({ store }) => async (task) => {
      const keys = readDeletionTask(task).map((fileId) => logFileKey(clusterId, fileId));
      await store.deleteMany(keys);
      return 'deleted';
    }),
    expected: /is dead for .* and still there/,
  },
  'forgotten files that were not deleted': {
    sabotage: replaced(fileDeletionKind, ({ port }) => async (task) => {
      await port.forgetDeadFiles(readDeletionTask(task));
      return 'deleted';
    }),
    expected: /is an orphan for|the bucket has/,
  },
  'a snapshot that loses dead files': {
    sabotage: {
      machine(machine, isRestored) {
        if (isRestored) machine.deadFiles = () => [];
      },
    },
    expected: /is dead for .* and still there/,
  },
  'a merge that turns the ends of transactions around': {
    sabotage: {
      merge: (merge) => (plan, options) =>
        merge(
          { ...plan, runs: plan.runs.map((run) => ({ ...run, pointers: withOtherMarkers(run.pointers) })) },
          options,
        ),
    },
    expected: /and its transaction (committed|aborted|open)/,
  },
  'a merge that mixes partitions up': {
    sabotage: {
      merge: (merge) => async (plan, options) => {
        const result = await merge(plan, options);
        const [first, second] = result.ranges;
        if (first === undefined || second === undefined) return result;
        const [{ pointers: ours }, { pointers: theirs }] = [first, second];
        if (ours.length !== 1 || theirs.length !== 1) return result;
        const swapped = [
          {
            ...first,
            pointers: [{ ...ours[0]!, byteStart: theirs[0]!.byteStart, byteLength: theirs[0]!.byteLength }],
          },
          {
            ...second,
            pointers: [{ ...theirs[0]!, byteStart: ours[0]!.byteStart, byteLength: ours[0]!.byteLength }],
          },
        ];
        return { ...result, ranges: [...swapped, ...result.ranges.slice(2)] };
      },
    },
    expected: /begins at|ends? at|where|is new|has \d+ offsets|lost|follows|CRC/,
    isQuick: true,
  },
  'a restore that leaves the last entries out': {
    sabotage: {
      restoreStore: (bucket) => ({
        ...bucket,
        async *list(prefix, options) {
          for await (const page of bucket.list(prefix, options)) {
            const segments = page.filter(
              ({ key }) => key.includes('/metadata/') && !key.includes('/snapshots/'),
            );
            const last = segments.filter(({ key }) => /\d-\d/.test(key)).at(-1);
            yield page.filter((object) => object !== last);
          }
        },
      }),
    },
    expected:
      /which was acknowledged|is lost|after it started|were deleted|in the wrong place|so is|where others are/,
  },
  'references of clones that are not counted': {
    sabotage: {
      machine(machine) {
        const shared = new Map<string, number>();
        const execute = machine.execute.bind(machine);
        machine.execute = (command, nowMs, requestId) => {
          const execution = execute(command, nowMs, requestId);
          if (command.kind !== 'cloneTopic') return execution;
          const query = { topicId: command.topicId, partition: 0, offset: 0, bytesMax: 1e9 };
          const [{ logStartOffset: offset }] = machine.findBatches([query]) as [BatchesAnswer];
          for (const fileId of machine.findBatches([{ ...query, offset: Math.max(0, offset) }])[0]!.pointers
            .fileId)
            if (fileId !== '') shared.set(fileId, nowMs);
          return execution;
        };
        const deadFiles = machine.deadFiles.bind(machine);
        machine.deadFiles = (wanted) => [
          ...deadFiles(wanted),
          ...Array.from(shared, ([fileId, deadMs]) => ({ fileId, fileBytes: 0, deadMs })).filter(
            ({ deadMs }) => deadMs < wanted.deadBeforeMs,
          ),
        ];
      },
    },
    expected: /object not found|no such object|is deleted \d+ ms after it died/,
  },
  'a compaction of keys that takes committed transactions for aborted ones': {
    sabotage: {
      compact: (compact) => (plan, options) =>
        compact(
          {
            ...plan,
            runs: plan.runs.map((run) => ({
              ...run,
              pointers: withOtherMarkers(run.pointers),
              aborted: abortedBefore(run.pointers),
            })),
          },
          options,
        ),
    },
    expected: /is lost, the latest of its key|its transaction|where .* was sent/,
  },
  'tombstones that go at once': {
    sabotage: {
      compact: (compact) => (plan, options) =>
        compact(
          {
            ...plan,
            nowMs: plan.nowMs + 60 * dayMs,
            runs: plan.runs.map((run) => ({ ...run, deleteRetentionMs: -60 * dayMs })),
          },
          options,
        ),
    },
    expected: /is lost, the latest of its key/,
  },
  'no compaction of keys': {
    sabotage: replaced(keyCompactionKind, () => async () => 'did nothing'),
    expected: /long after it was replaced/,
  },
  'no merges': {
    sabotage: { limits: { compactionJobsPerPlanMax: 0 } },
    expected: /files are left|long after it was replaced/,
  },
  'merges that rewrite nothing that is sparse': {
    sabotage: {
      // A file of which no pointer is known to lie in it is not looked at.
      merge: (merge) => async (plan, options) => {
        const files = new Set(plan.runs.flatMap(({ pointers }) => pointers.fileId.filter((id) => id !== '')));
        if (files.size === 1) throw new Error('one file is as good as another');
        return merge(plan, options);
      },
    },
    expected: /that are alive|files are left/,
  },
  'retention that goes too far': {
    sabotage: {
      machine(machine) {
        const execute = machine.execute.bind(machine);
        machine.execute = (command, nowMs, requestId) =>
          execute(command, command.kind === 'applyRetention' ? nowMs + 4 * hourMs : nowMs, requestId);
      },
    },
    expected: /too early/,
    isQuick: true,
  },
  'retention that does nothing': {
    sabotage: {
      command: (command) =>
        command.kind === 'applyRetention'
          ? { ...command, from: { topicNumber: 1e9, partition: 0 } }
          : command,
    },
    expected: /should have removed/,
  },
  'deleted records that stay': {
    sabotage: {
      command: (command) =>
        command.kind === 'deleteRecords'
          ? { ...command, partitions: command.partitions.map((partition) => ({ ...partition, offset: 0 })) }
          : command,
    },
    expected: /were deleted/,
  },
  'topics whose deletion cannot be undone': {
    sabotage: {
      command: (command) =>
        command.kind === 'deleteTopics' ? { ...command, kind: 'removeTopics' } : command,
    },
    expected: /cannot be restored in time/,
  },
  'deleted topics that are never removed': {
    sabotage: {
      machine(machine) {
        const execute = machine.execute.bind(machine);
        machine.execute = (command, nowMs, requestId) =>
          execute(command, command.kind === 'purge' ? nowMs - 40 * dayMs : nowMs, requestId);
      },
      command: (command) =>
        command.kind === 'purge' ? { kind: 'allocateProducerIds', count: 1 } : (command as never),
    },
    expected: /where retention requires/,
  },
  'a repeated commit that counts as another one': {
    sabotage: {
      machine(machine) {
        const execute = machine.execute.bind(machine);
        machine.execute = (command, nowMs, requestId) => {
          if (command.kind !== 'commitFiles') return execute(command, nowMs, requestId);
          const files = command.files.map((file, index) => ({
            ...file,
            fileId:
              machine.unknownFiles([file.fileId]).length === 0 ? otherId(file.fileId, index) : file.fileId,
          }));
          return execute({ ...command, files } as typeof command, nowMs, requestId);
        };
      },
    },
    expected: /was acknowledged at|twice|is new|object not found|no such object|so is/,
  },
};

/** An id of the same time that the cluster has not seen. */
function otherId(fileId: string, index: number): string {
  const last = (Number.parseInt(fileId.slice(-6), 16) + 1 + index) % 2 ** 24;
  return fileId.slice(0, -6) + last.toString(16).padStart(6, '0');
}
