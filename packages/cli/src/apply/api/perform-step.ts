import { ApiError, type Client } from '@weir/api';
import type { WritingStep } from '../plan/step.ts';
import type { SecretKeeper } from '../secrets/secret-keeper.ts';

export interface PerformContext {
  readonly client: Client;
  readonly secrets: SecretKeeper;
  /** The id of the cluster, once it is known. */
  clusterId: string | undefined;
}

/** Does one step, and gives what a person has to know of it besides. */
export async function performStep(step: WritingStep, context: PerformContext): Promise<string | undefined> {
  try {
    return await perform(step, context);
  } catch (error) {
    // What is gone already need not be deleted.
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
      // The password is where it belongs before the credential is there, so that it cannot be lost in between.
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

function clusterIdOf({ clusterId }: PerformContext): string {
  if (clusterId === undefined) throw new Error('a step was begun before its cluster was made');
  return clusterId;
}
