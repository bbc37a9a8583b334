import { type GivenConfiguration, maskedYaml } from '@weir/controlplane/pipeline-configuration';
import type { ActualPipeline } from '../actual.ts';
import type { DesiredCluster, DesiredPipeline } from '../desired.ts';
import { creation, deletion, leftOut, nothing, update } from './changes.ts';
import type { PlanContext } from './plan-context.ts';
import type { Change, Step, WritingStep } from './step.ts';

/**
 * Plans pipelines. A configuration that the pipeline already has is deployed again rather than created again, so that
 * reverting a file reverts the pipeline, and an interrupted run can continue.
 */
export function planPipelines(context: PlanContext): Step[] {
  const { desired, actual, refuse } = context;
  if (desired.pipelines === undefined) return [];
  const there = new Map(actual?.pipelines?.map((pipeline) => [pipeline.name, pipeline]));
  const steps = desired.pipelines.flatMap((pipeline): Step[] => {
    const found = there.get(pipeline.name);
    if (found !== undefined && found.type !== pipeline.type) {
      const message = `pipeline ${pipeline.name}: type cannot be changed from ${found.type} to ${pipeline.type}; create one with another name`;
      refuse({ place: pipeline.place, message });
      return [];
    }
    const writing = [
      ...newPipeline(desired, pipeline, found),
      ...newConfiguration(desired, pipeline, found),
      ...stateChange(desired, pipeline, found),
    ];
    return writing.length === 0 ? [nothing(desired, 'pipeline', pipeline.name)] : writing;
  });
  const wanted = desired.pipelines.map(({ name }) => name);
  return [
    ...steps,
    ...leftOut(context, actual?.pipelines, wanted).map(({ id, name }) =>
      deletion(desired, {
        kind: 'pipeline',
        name,
        phase: 'pipeline deletions',
        task: { operation: 'delete_pipeline', input: { pipeline_id: id } },
      }),
    ),
  ];
}

type Pair = readonly [desired: DesiredCluster, pipeline: DesiredPipeline, found: ActualPipeline | undefined];

function newPipeline(...[desired, { name, type }, found]: Pair): WritingStep[] {
  if (found !== undefined) return [];
  return [
    creation(desired, {
      kind: 'pipeline',
      name,
      phase: 'pipelines',
      changes: [{ field: 'type', to: type }],
      task: { operation: 'create_pipeline', input: { pipeline_name: name, pipeline_type: type } },
    }),
  ];
}

function newConfiguration(...[desired, { name, configuration }, found]: Pair): WritingStep[] {
  if (configuration === undefined || storedConfiguration(configuration, found) !== undefined) return [];
  return [
    creation(desired, {
      kind: 'pipeline_configuration',
      name,
      phase: 'pipeline configurations',
      task: {
        operation: 'create_pipeline_configuration',
        pipeline: name,
        pipelineId: found?.id,
        configuration,
      },
    }),
  ];
}

/** The deployed configuration and the run state change in one call, so that neither changes without the other. */
function stateChange(...[desired, pipeline, found]: Pair): WritingStep[] {
  const { name, state, configuration } = pipeline;
  const stored = configuration && storedConfiguration(configuration, found);
  const isDeploying =
    configuration !== undefined && (stored === undefined || stored.id !== found?.deployed?.id);
  // A new pipeline is paused.
  const isChanging = state !== undefined && state !== (found?.state ?? 'paused');
  if (!isDeploying && !isChanging) return [];
  const before = found?.deployed;
  const changes: Change[] = [];
  if (isDeploying) {
    const to = stored === undefined ? 'the version in the file' : `version ${stored.version}`;
    const field = 'configuration';
    changes.push(before === undefined ? { field, to } : { field, from: `version ${before.version}`, to });
  }
  if (isChanging) changes.push({ field: 'state', from: found?.state ?? 'paused', to: state });
  return [
    update(desired, {
      kind: 'pipeline',
      name,
      phase: 'pipeline states',
      changes,
      task: {
        operation: 'change_pipeline_state',
        pipeline: name,
        pipelineId: found?.id,
        state: isChanging ? state : undefined,
        deploys: isDeploying ? { configurationId: stored?.id } : undefined,
      },
    }),
  ];
}

/** The configuration with this text, apart from secrets, which are read as masks: the deployed one, or the newest. */
function storedConfiguration(given: GivenConfiguration, found: ActualPipeline | undefined) {
  const shown = shownText(given);
  const same = (found?.configurations ?? []).filter(
    ({ yaml, parts }) => shownText(parts === undefined ? { yaml } : { parts }) === shown,
  );
  return same.find(({ id }) => id === found?.deployed?.id) ?? same.at(-1);
}

function shownText(given: GivenConfiguration): string {
  if ('yaml' in given) return maskedYaml(given.yaml);
  return JSON.stringify(given.parts.map(({ name, yaml }) => [name, maskedYaml(yaml)]));
}
