import { aclTools } from './acls.ts';
import { agentTools } from './agents.ts';
import { auditLogTools } from './audit-log.ts';
import { clientTools } from './clients.ts';
import { consumerGroupTools } from './consumer-groups.ts';
import { contextTools } from './context.ts';
import { credentialTools } from './credentials.ts';
import { diagnosticTools } from './diagnostics.ts';
import { eventAggregateTools } from './event-aggregates.ts';
import { eventShapeTools } from './event-shapes.ts';
import { eventTools } from './events.ts';
import { jobTools } from './jobs.ts';
import { metricTools } from './metrics.ts';
import { migrationTools } from './migrations.ts';
import { pipelineTools } from './pipelines.ts';
import { recordTools } from './sample-records.ts';
import { schemaTools } from './schemas.ts';
import { storageCostTools } from './storage-costs.ts';
import { tableTools } from './tables.ts';
import type { Tool } from './tool.ts';
import { topicTools } from './topics.ts';
import { virtualClusterTools } from './virtual-clusters.ts';

/** Every tool, in the order of the list. */
export const tools: readonly Tool[] = [
  ...contextTools,
  ...virtualClusterTools,
  ...metricTools,
  ...storageCostTools,
  ...agentTools,
  ...jobTools,
  ...clientTools,
  ...topicTools,
  ...recordTools,
  ...consumerGroupTools,
  ...schemaTools,
  ...diagnosticTools,
  ...aclTools,
  ...credentialTools,
  ...auditLogTools,
  ...pipelineTools,
  ...migrationTools,
  ...tableTools,
  ...eventShapeTools,
  ...eventTools,
  ...eventAggregateTools,
];
