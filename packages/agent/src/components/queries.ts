import type { ClusterView, DamageRegistry, Pressure, ReadPath, RequestServer } from '@weir/broker';
import type { InflatedMemory } from '@weir/gateway';
import { QueryService, takesJobs } from '@weir/jobs';
import type { RecordSchemas } from '@weir/registry/decoding';
import { aclModeOf } from '@weir/security';
import type { AgentContext } from '../agent-context.ts';
import { started } from '../component.ts';
import type { Callers } from './security.ts';

interface Needs extends AgentContext {
  readonly view: ClusterView;
  readonly readPath: ReadPath;
  readonly damage: DamageRegistry;
  readonly pressure: Pressure;
  readonly server: RequestServer;
  readonly schemas: RecordSchemas | undefined;
  readonly callers: Callers;
  readonly inflated: InflatedMemory;
  readonly httpRequiresLogin: boolean;
  /** Of an agent that has tables. */
  readonly tableQuestions?: ConstructorParameters<typeof QueryService>[0]['tableQuestions'];
}

/** Queries about events, batches and records, and the sidecars that make them cheap. */
export const queries = {
  name: 'queries',
  start(context: Needs) {
    const { options, stop, jobSettings, view, readPath, damage, pressure } = context;
    const service = new QueryService({
      ...options,
      view,
      loadRecordQueries: recordQueries(context),
      tableQuestions: context.tableQuestions,
      loadMigrationQuestions: migrationQuestions(context),
      readPath,
      damage,
      answersQueries: options.answersQueries ?? false,
      writesSidecars: takesJobs({ roles: options.roles, jobCategories: jobSettings.categories }, 'events'),
      deletesFiles: jobSettings.deletesFiles,
      cpuLoad: () => pressure.monitor.cpu,
    });
    service.start();
    return started({}, () => stop.briefly(service.stop()));
  },
};

/** Loaded for the first question, because most agents never run a migration. */
function migrationQuestions({ view, tenantAccess, options: { clock } }: Needs) {
  return async () => {
    const { MigrationQuestions } = await import('@weir/jobs/migration-questions');
    return new MigrationQuestions({ view, tenantAccess, clock });
  };
}

function recordQueries({ view, callers, inflated, server, schemas, httpRequiresLogin }: Needs) {
  const aclMode = aclModeOf(view);
  return async () => {
    const { RecordBrowser } = await import('@weir/gateway/record-browser');
    const requiresLogin = () => httpRequiresLogin || aclMode() === 'enforced';
    return new RecordBrowser({ ...callers, inflated, server, schemas, requiresLogin });
  };
}
