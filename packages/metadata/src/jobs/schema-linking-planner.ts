import { type LinkingTask, linkingScope, schemaLinkingKind, writeLinkingTask } from '@weir/cluster';
import type { JobPlanner } from './job-planner.ts';

/** A pipeline that runs: what it copies, and how often. */
export interface LinkingPipeline {
  /** Without the values of secrets. */
  readonly task: LinkingTask;
  readonly everyMs: number;
  /** Returns the values of the secrets that it refers to; absent if it refers to none. */
  readonly openSecrets?: (() => Promise<Readonly<Record<string, string>>>) | undefined;
}

/**
 * Plans a sync of every pipeline of schema linking when its interval has passed since the last one, and at once after
 * it was started, got another configuration, or the leader changed.
 */
export function schemaLinkingPlanner(
  pipelines: () => Promise<readonly LinkingPipeline[]>,
  onEnd?: JobPlanner['onEnd'],
): JobPlanner {
  return {
    kind: schemaLinkingKind,
    // Two syncs at a time would only be in each other's way.
    openMax: 1,
    retry: { firstMs: 10_000, maxMs: 300_000 },
    onEnd,
    async unwanted(scopes) {
      const wanted = new Set((await pipelines()).map(({ task }) => linkingScope(task)));
      return scopes.filter((scope) => !wanted.has(scope));
    },
    async plan({ nowMs, isOpen, lastDoneMs, freeCount }) {
      const wanted = (await pipelines()).filter(({ task, everyMs }) => {
        const scope = linkingScope(task);
        const doneMs = lastDoneMs(scope);
        return !isOpen(scope) && (doneMs === undefined || nowMs - doneMs >= everyMs);
      });
      // Secrets are opened for jobs that are handed out, and for no others.
      return Promise.all(
        wanted.slice(0, freeCount).map(async ({ task, openSecrets }) => ({
          scope: linkingScope(task),
          task: writeLinkingTask({ ...task, secrets: await openSecrets?.() }),
        })),
      );
    },
  };
}
