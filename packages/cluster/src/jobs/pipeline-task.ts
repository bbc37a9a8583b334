import * as s from '../shapes/shape.ts';
import { jsonTask } from './json-task.ts';

/** The kind of job that is an instance of a managed pipeline. It runs as long as it is wanted. */
export const pipelineKind = 'pipeline';

/** An instance that ran for this long works; its earlier failures are forgotten. */
export const pipelineSteadyMs = 600_000;

/** An instance of a pipeline. */
const pipelineTask = s.struct({
  pipelineId: s.text,
  pipelineName: s.text,
  configurationId: s.text,
  /** From 0. */
  instance: s.whole,
  yaml: s.text,
  /** The values of the secrets that the configuration refers to. */
  secrets: s.optional(s.texts),
  /** Changes with the values of these secrets: instances with an earlier value are not wanted. */
  secretsDigest: s.optional(s.text),
});
export type PipelineTask = s.TypeOf<typeof pipelineTask>;

export const { write: writePipelineTask, read: readPipelineTask } = jsonTask<PipelineTask>(pipelineTask);

type InstanceName = Pick<PipelineTask, 'pipelineId' | 'configurationId' | 'instance' | 'secretsDigest'>;

/** The scope of an instance: another configuration or secret makes another one. */
export function pipelineScope({
  pipelineId,
  configurationId,
  instance,
  secretsDigest,
}: InstanceName): string {
  const scope = `${pipelineScopeStart({ pipelineId, instance })}${configurationId}`;
  return secretsDigest === undefined ? scope : `${scope} ${secretsDigest}`;
}

/** What scopes of the same instance begin with, whatever its configuration is. */
export function pipelineScopeStart({
  pipelineId,
  instance,
}: Pick<InstanceName, 'pipelineId' | 'instance'>): string {
  return `${pipelineId} ${instance} `;
}

/** The parts of a scope. */
export function readPipelineScope(scope: string): InstanceName {
  const [pipelineId = '', instance = '', configurationId = '', secretsDigest] = scope.split(' ');
  return { pipelineId, instance: Number(instance), configurationId, secretsDigest };
}
