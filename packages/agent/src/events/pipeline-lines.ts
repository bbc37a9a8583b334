import type { PipelineLine } from '@weir/jobs';
import type { AgentEvents } from './agent-events.ts';

/** Writes a line of a pipeline into the log of the agent, and as an event of its own type. */
export function emitPipelineLine(
  { plainLog, emitter }: Pick<AgentEvents, 'plainLog' | 'emitter'>,
  { pipelineId, pipelineName, instance, stage, level, message, fields }: PipelineLine,
): void {
  plainLog[level](message, { module: 'pipelines', pipelineId, stage, instance, ...fields });
  if (!emitter.isOn('pipeline_logs')) return;
  emitter.emit('pipeline_logs', {
    module: 'pipelines',
    ...fields,
    pipeline_id: pipelineId,
    pipeline_name: pipelineName,
    instance,
    stage,
    log_level: level,
    message,
  });
}
