import type { Database, DatabaseTransaction } from '../database/schema.ts';

/** A configuration that refers to secrets, and is deployed or the newest of its pipeline. */
export interface SecretUse {
  readonly pipelineName: string;
  readonly version: number;
  readonly secretNames: readonly string[];
}

/** By the names of the pipelines. Older configurations do not count: no operation deletes one of them. */
export async function secretUses(
  database: Database | DatabaseTransaction,
  accountId: string,
  clusterId: string,
): Promise<SecretUse[]> {
  const rows = await database
    .selectFrom('weir_pipelines as pipelines')
    .innerJoin('weir_pipeline_configurations as configurations', 'configurations.pipeline_id', 'pipelines.id')
    .select(['pipelines.name', 'configurations.version', 'configurations.secret_names'])
    .where('pipelines.account_id', '=', accountId)
    .where('pipelines.cluster_id', '=', clusterId)
    .where('configurations.secret_names', 'is not', null)
    .where((row) =>
      row.or([
        row('configurations.id', '=', row.ref('pipelines.deployed_configuration_id')),
        row('configurations.version', '=', row.ref('pipelines.last_version')),
      ]),
    )
    .execute();
  return rows
    .map(({ name, version, secret_names }) => ({
      pipelineName: name,
      version,
      secretNames: namesOf(secret_names),
    }))
    .sort((a, b) => (a.pipelineName < b.pipelineName ? -1 : 1));
}

/** Reads the column of a configuration. */
export function namesOf(column: string | null): readonly string[] {
  return column === null ? [] : (JSON.parse(column) as string[]);
}
