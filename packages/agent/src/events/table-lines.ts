import type { TableLine } from '@weir/jobs';
import type { AgentEvents } from './agent-events.ts';

/** Writes what happened to a table into the log of the agent, and as an event of its own type. */
export function emitTableLine(
  { plainLog, emitter }: Pick<AgentEvents, 'plainLog' | 'emitter'>,
  { tableName, tableUuid, pipeline, type, level, message, fields }: TableLine,
): void {
  plainLog[level]('noted event of table', {
    module: 'tables',
    type,
    table: tableName,
    tableUuid,
    ...(pipeline && { pipeline: pipeline.name }),
    detail: message,
    ...fields,
  });
  if (!emitter.isOn('tableflow_logs')) return;
  emitter.emit('tableflow_logs', {
    module: 'tables',
    ...fields,
    type,
    table_name: tableName,
    table_uuid: tableUuid,
    ...(pipeline && { pipeline_name: pipeline.name, pipeline_id: pipeline.id }),
    log_level: level,
    message,
  });
}
