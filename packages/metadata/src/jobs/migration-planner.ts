import {
  type MigrationTask,
  migrationCopyKind,
  migrationCopyScope,
  migrationScope,
  migrationSteadyMs,
  migrationTopicsKind,
  pipelineOfMigrationScope,
  writeMigrationCopyTask,
  writeMigrationTask,
} from '@weir/cluster';
import { metadataLimits } from '../limits.ts';
import type { JobPlanner, PlannedJob } from './job-planner.ts';

/** A migration that runs. */
export interface WantedMigration {
  /** Without the values of secrets. */
  readonly task: Omit<MigrationTask, 'secrets'>;
  /** Jobs that copy beside each other, over all agents together. */
  readonly slotCount: number;
  /** Returns the values of the secrets that the configuration refers to; absent if it refers to none. */
  readonly openSecrets?: (() => Promise<Readonly<Record<string, string>>>) | undefined;
}

type Migrations = () => Promise<readonly WantedMigration[]>;

/** How long a source that does not answer is left alone: twice as long after each failure. */
const retry = { firstMs: 1_000, maxMs: 60_000 };

export function migrationPlanners(migrations: Migrations): readonly JobPlanner[] {
  return [topicsPlanner(migrations), copyPlanner(migrations)];
}

/** Plans one job per migration. With another configuration it is planned when the one before has ended. */
function topicsPlanner(migrations: Migrations): JobPlanner {
  return lastingPlanner(migrationTopicsKind, migrations, ({ task }) => [
    { scope: migrationScope(task), write: (secrets) => writeMigrationTask({ ...task, secrets }) },
  ]);
}

/**
 * Plans one job per slot. Those of another configuration wait until all slots of the one before have ended, because a
 * partition may have moved to another slot: both would fetch it, and only one could append.
 */
function copyPlanner(migrations: Migrations): JobPlanner {
  return lastingPlanner(migrationCopyKind, migrations, ({ task, slotCount }) =>
    Array.from({ length: slotCount }, (_, slot) => ({
      scope: migrationCopyScope({ ...task, slot, slotCount }),
      write: (secrets) => writeMigrationCopyTask({ ...task, slot, slotCount, secrets }),
    })),
  );
}

interface WantedJob {
  readonly scope: string;
  readonly write: (secrets: Readonly<Record<string, string>> | undefined) => Uint8Array;
}

function lastingPlanner(
  kind: string,
  migrations: Migrations,
  jobsOf: (migration: WantedMigration) => readonly WantedJob[],
): JobPlanner {
  return {
    kind,
    openMax: metadataLimits.openMigrationJobsMax,
    retry,
    isLasting: true,
    steadyMs: migrationSteadyMs,
    async unwanted(scopes) {
      const wanted = new Set((await migrations()).flatMap(jobsOf).map(({ scope }) => scope));
      return scopes.filter((scope) => !wanted.has(scope));
    },
    async plan({ isOpen, openScopes, freeCount }) {
      const open = openScopes();
      const planned: PlannedJob[] = [];
      for (const migration of await migrations()) {
        const { pipelineId } = migration.task;
        const jobs = jobsOf(migration);
        const scopes = new Set(jobs.map(({ scope }) => scope));
        const isChanging = open.some(
          (scope) => pipelineOfMigrationScope(scope) === pipelineId && !scopes.has(scope),
        );
        if (isChanging) continue;
        const due = jobs.filter(({ scope }) => !isOpen(scope)).slice(0, freeCount - planned.length);
        if (due.length === 0) continue;
        // Secrets are opened for jobs that are handed out, and for no others.
        const secrets = await migration.openSecrets?.();
        for (const { scope, write } of due)
          planned.push({ scope, spreadBy: pipelineId, task: write(secrets) });
      }
      return planned;
    },
  };
}
