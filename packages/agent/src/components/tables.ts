import { JobRunner, jobMetrics, TableJobs, takesJobs } from '@weir/jobs';
import { started } from '../component.ts';
import type { DataLakeAgentContext } from '../data-lake-agent-options.ts';
import { emitTableLine } from '../events/table-lines.ts';
import { agentLimits } from '../limits.ts';

/** The process that writes tables and answers questions about them. It starts when it is needed. */
export const tableProcess = {
  name: 'process of tables',
  start({ options, stats, tenantAccess, events, tableSettings, shownTables }: DataLakeAgentContext) {
    const { cluster: port, agentId, clock, log, metrics } = options;
    const tableJobs = new TableJobs({
      port,
      agentId,
      bucket: tableSettings.bucket,
      tenantAccess,
      onLine: (line) => emitTableLine(events, line),
      onRequests: (...sent) => stats.mergeRequested(...sent),
      clock,
      log,
      metrics,
    });
    shownTables.list = () => tableJobs.states();
    return started({ tableJobs, tableQuestions: tableJobs }, () => tableJobs.end());
  },
};

interface Needs extends DataLakeAgentContext {
  readonly tableJobs: TableJobs;
}

/** Tables that this agent writes and keeps in order, if it has the role `jobs`. */
export const tables = {
  name: 'tables',
  start({ options, stop, jobSettings, tableJobs }: Needs) {
    const { roles, cluster: port, agentId, cpuCount, clock, log, metrics } = options;
    if (!takesJobs({ roles, jobCategories: jobSettings.categories }, 'tableflow')) return started({});
    const common = { port, agentId, clock, log, metrics: { ...jobMetrics(metrics), running() {} } };
    // Ingestion lasts, and would take the places of the others.
    const ingestion = new JobRunner({
      ...common,
      runner: 'tables',
      kinds: [tableJobs.ingestion],
      slots: agentLimits.tablesMax,
    });
    const upkeep = new JobRunner({
      ...common,
      runner: 'table upkeep',
      kinds: [
        tableJobs.replay,
        ...(jobSettings.deletesFiles ? [tableJobs.maintenance, tableJobs.removal] : []),
      ],
      slots: Math.max(1, Math.floor(cpuCount * jobSettings.slotsPerCpu)),
    });
    ingestion.start();
    upkeep.start();
    return started({}, async () => {
      await stop.within(Promise.all([ingestion.stop(), upkeep.stop()]).then(() => {}));
    });
  },
};
