import { listBackedUpClusters, RestoreProblem } from '@weir/controlplane/backup';
import { Failure, jsonLog, Metrics, systemRandom } from '@weir/core';
import { type ObjectStore, openStore, StoreError } from '@weir/storage';
import { withoutDataLakes } from '../../api-cluster.ts';
import type { Deps } from '../../deps.ts';
import type { CommandValues } from '../../flags/catalogue.ts';
import { storeSettings } from '../store-settings.ts';

export type RestoreValues = CommandValues<'control-plane restore'>;

export function warningsTo({ clock, output }: Pick<Deps, 'clock' | 'output'>) {
  return jsonLog({ level: 'warn', nowMs: clock.nowMs, write: (line) => output.err(`${line}\n`) });
}

/** Opens a bucket with the settings of the command, until `running` ends. */
export async function openBackup(
  url: string,
  values: RestoreValues,
  deps: Deps,
  running: AsyncDisposableStack,
): Promise<ObjectStore> {
  const { clock, environment } = deps;
  const opened = await openStore(url, {
    ...{ clock, random: systemRandom, environment, log: warningsTo(deps), metrics: new Metrics() },
    ...storeSettings(values),
    usesMetadataService: true,
  });
  running.defer(() => opened.close());
  return opened;
}

/** The cluster that the command names, or the only one with a backup in the bucket. */
export async function clusterToRestore(store: ObjectStore, values: RestoreValues): Promise<string> {
  if (values.defaultVirtualClusterID !== undefined) return values.defaultVirtualClusterID;
  // A playground has a data lake beside its cluster, which has its own backup.
  const [found, ...others] = withoutDataLakes(await listBackedUpClusters(store), (id) => id);
  if (found === undefined) throw new RestoreProblem('the bucket has no metadata backup of any cluster');
  if (others.length === 0) return found;
  throw new RestoreProblem(
    `the bucket has backups of ${[found, ...others].join(', ')}; choose one with -defaultVirtualClusterID`,
  );
}

/** What a restore or the store says in one line is one to the user. */
export function asFailure(error: unknown): unknown {
  return error instanceof RestoreProblem || error instanceof StoreError ? new Failure(error.message) : error;
}
