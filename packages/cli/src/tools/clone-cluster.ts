import { apiClient, orFailure } from '../api-client.ts';
import { clusterId } from '../api-cluster.ts';
import type { Handler } from '../handler.ts';
import { printResult } from '../results/results.ts';

/** Clones a cluster. Id and agent key go to standard output, so that they can be assigned to variables. */
export const cloneClusterTool: Handler<'cli clone-cluster'> = async (values, deps) => {
  const { output } = deps;
  const client = apiClient(values, deps);
  const virtual_cluster_id = await clusterId(client, values.cluster);
  const made = await orFailure(
    client.call('clone_virtual_cluster', { virtual_cluster_id, new_virtual_cluster_name: values.cloneName! }),
  );
  const { key } = made.agent_key!;
  printResult(values, deps, {
    json: {
      virtual_cluster_id: made.virtual_cluster_id,
      virtual_cluster_name: made.virtual_cluster_name,
      agent_key: key,
    },
    text: () => `${made.virtual_cluster_id} ${key}\n`,
  });
  output.err(
    `weir cli clone-cluster: created ${made.virtual_cluster_name} from ${virtual_cluster_id}; start its agents with the same ` +
      '-bucketURL and the printed key, which is shown only once\n',
  );
  return 0;
};
