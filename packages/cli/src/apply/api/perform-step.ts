import { ApiError, type Client } from '@weir/api';
import type { PipelineTask, WritingStep } from '../plan/step.ts';
import type { SecretKeeper } from '../secrets/secret-keeper.ts';

export interface PerformContext {
  readonly client: Client;
  readonly secrets: SecretKeeper;
  /** The id of the cluster, once it is known. */
  clusterId: string | undefined;
  /** Ids of created pipelines and of their configurations, by pipeline name. */
  readonly pipelineIds: Map<string, string>;
  readonly configurationIds: Map<string, string>;
}

/** Performs one step, and returns a note for the user, if there is one. */
export async function performStep(step: WritingStep, context: PerformContext): Promise<string | undefined> {
  try {
    return await perform(step, context);
  } catch (error) {
    // Already deleted.
    if (step.action === 'delete' && error instanceof ApiError && error.code === 'not_found') return undefined;
    throw error;
  }
}

async function perform({ task }: WritingStep, context: PerformContext): Promise<string | undefined> {
  const { client, secrets } = context;
  switch (task.operation) {
    case 'create_virtual_cluster': {
      const made = await client.call(task.operation, task.input);
      context.clusterId = made.virtual_cluster_id;
      return made.virtual_cluster_id;
    }
    case 'create_virtual_cluster_credentials': {
      const { name, isSuperuser, password: place } = task.credential;
      // The password is stored before the credential is created, so that it cannot be lost in between.
      const password = await secrets.passwordFor(`credential ${name}`, place);
      const made = await client.call(task.operation, {
        virtual_cluster_id: clusterIdOf(context),
        credentials_name: name,
        is_cluster_superuser: isSuperuser,
        imported_password: password,
      });
      return `username ${made.username}`;
    }
    case 'create_api_key': {
      const { name, isReadOnly, key: place } = task.agentKey;
      const room = await secrets.roomFor(`agent key ${name}`, place);
      const made = await client
        .call(task.operation, {
          name,
          access_grants: [
            {
              principal_kind: isReadOnly ? 'agent_r' : 'agent',
              resource_kind: 'virtual_cluster',
              resource_id: clusterIdOf(context),
            },
          ],
        })
        .catch(async (error: unknown) => {
          await room.giveUp();
          throw error;
        });
      await room.keep(made.key);
      return made.id;
    }
    case 'create_pipeline':
    case 'create_pipeline_configuration':
    case 'change_pipeline_state':
      return await performOnPipeline(task, context);
    case 'delete_api_key':
      await client.call(task.operation, task.input);
      return undefined;
    default: {
      const input = { ...task.input, virtual_cluster_id: clusterIdOf(context) };
      // The plan has paired the operation with its input.
      await client.call(task.operation, input as never);
      return undefined;
    }
  }
}

async function performOnPipeline(task: PipelineTask, context: PerformContext): Promise<string | undefined> {
  const { client, pipelineIds, configurationIds } = context;
  const virtual_cluster_id = clusterIdOf(context);
  if (task.operation === 'create_pipeline') {
    const { pipeline_id } = await client.call(task.operation, { virtual_cluster_id, ...task.input });
    pipelineIds.set(task.input.pipeline_name, pipeline_id);
    return pipeline_id;
  }
  const pipeline_id = task.pipelineId ?? pipelineIds.get(task.pipeline);
  if (pipeline_id === undefined) throw new Error('a step was begun before its pipeline was made');
  const target = { virtual_cluster_id, pipeline_id };
  if (task.operation === 'create_pipeline_configuration') {
    const made = await client.call(task.operation, {
      ...target,
      ...('yaml' in task.configuration
        ? { configuration_yaml: task.configuration.yaml }
        : { configuration_inputs: [...task.configuration.parts] }),
    });
    configurationIds.set(task.pipeline, made.configuration_id);
    return made.configuration_id;
  }
  await client.call(task.operation, {
    ...target,
    desired_state: task.state,
    deployed_configuration_id:
      task.deploys && (task.deploys.configurationId ?? configurationIds.get(task.pipeline)),
  });
  return undefined;
}

function clusterIdOf({ clusterId }: PerformContext): string {
  if (clusterId === undefined) throw new Error('a step was begun before its cluster was made');
  return clusterId;
}
