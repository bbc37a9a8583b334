import type { MigrationLine } from '@weir/jobs';
import type { AgentEvents } from './agent-events.ts';

/** Writes what happened to a migration into the log of the agent, and as an event of its own type. */
export function emitMigrationLine(
  { plainLog, emitter }: Pick<AgentEvents, 'plainLog' | 'emitter'>,
  { type, level, topic, message, fields, pipelineId, pipelineName }: MigrationLine,
): void {
  plainLog[level]('noted event of migration', {
    module: 'migration',
    type,
    pipeline: pipelineName,
    ...(topic !== undefined && { topic }),
    detail: message,
    ...fields,
  });
  if (!emitter.isOn('orbit_logs')) return;
  emitter.emit('orbit_logs', {
    module: 'migration',
    ...fields,
    type,
    pipeline_name: pipelineName,
    pipeline_id: pipelineId,
    ...(topic !== undefined && { topic }),
    log_level: level,
    message,
  });
}
