import type { ClusterView, CopyPath, ReadPath } from '@weir/broker';
import { JobRunner, jobMetrics, MigrationJobs, takesJobs } from '@weir/jobs';
import type { AgentContext } from '../agent-context.ts';
import { started } from '../component.ts';
import { emitMigrationLine } from '../events/migration-lines.ts';
import { agentLimits } from '../limits.ts';

interface Needs extends AgentContext {
  readonly view: ClusterView;
  readonly copyPath: CopyPath;
  readonly readPath: ReadPath;
}

/** Jobs of migrations, on agents that take them. They last, and so they take no places of other jobs. */
export const migrations = {
  name: 'migrations',
  start({ options, stop, jobSettings, tenantAccess, events, view, copyPath, readPath }: Needs) {
    const { roles, cluster: port, agentId, clock, log, metrics } = options;
    if (!takesJobs({ roles, jobCategories: jobSettings.categories }, 'orbit')) return started({});
    const jobs = new MigrationJobs({
      port,
      view,
      copyPath,
      readPath,
      agentId,
      tenantAccess,
      onLine: (line) => emitMigrationLine(events, line),
      clock,
      log,
      metrics,
    });
    const runner = new JobRunner({
      port,
      agentId,
      runner: 'migrations',
      kinds: [jobs.topics, jobs.copy],
      slots: agentLimits.migrationJobsMax,
      clock,
      log,
      metrics: { ...jobMetrics(metrics), running() {} },
    });
    runner.start();
    return started({}, async () => {
      await stop.within(runner.stop());
      await stop.within(copyPath.drain());
    });
  },
};
