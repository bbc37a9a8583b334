import { aclTools } from './acls.ts';
import { agentTools } from './agents.ts';
import { auditLogTools } from './audit-log.ts';
import { clientTools } from './clients.ts';
import { consumerGroupTools } from './consumer-groups.ts';
import { contextTools } from './context.ts';
import { diagnosticTools } from './diagnostics.ts';
import { eventAggregateTools } from './event-aggregates.ts';
import { eventShapeTools } from './event-shapes.ts';
import { eventTools } from './events.ts';
import { pipelineTools } from './pipelines.ts';
import { schemaTools } from './schemas.ts';
import type { Tool } from './tool.ts';
import { topicTools } from './topics.ts';
import { virtualClusterTools } from './virtual-clusters.ts';

/** Every tool, in the order of the list. */
export const tools: readonly Tool[] = [
  ...contextTools,
  ...virtualClusterTools,
  ...agentTools,
  ...clientTools,
  ...topicTools,
  ...consumerGroupTools,
  ...schemaTools,
  ...diagnosticTools,
  ...aclTools,
  ...auditLogTools,
  ...pipelineTools,
  ...eventShapeTools,
  ...eventTools,
  ...eventAggregateTools,
];
