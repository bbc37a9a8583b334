import { timeText } from '@weir/core';
import type { AccountsDatabase } from '../../accounts/open.ts';
import { type SecretsPlace, secretInUse } from '../../accounts/workspaces/secrets.ts';
import { orUnavailable } from '../cluster/refusals.ts';
import type { SomeHandlers } from '../handler.ts';

export interface SecretHandlersOptions {
  /** The exporters of the registry of a cluster that refer to a secret; none if absent. */
  readonly exportersUsing?:
    | ((clusterId: string, secretName: string) => Promise<readonly string[]>)
    | undefined;
}

export function secretHandlers(
  { secrets }: Pick<AccountsDatabase, 'secrets'>,
  { exportersUsing = async () => [] }: SecretHandlersOptions = {},
) {
  return {
    async list_secrets(input, { accountId }) {
      const place = placeOf(input, accountId);
      const uses = await secrets.uses(place);
      const all = await secrets.list(place);
      return {
        secrets: all.map((secret) => ({
          id: secret.id,
          name: secret.name,
          version: secret.version,
          allows_exporters: secret.allowsExporters,
          created_at: timeText(secret.createdMs),
          created_by: secret.createdBy,
          updated_at: timeText(secret.updatedMs),
          updated_by: secret.updatedBy,
          used_by: [
            ...new Set(
              uses
                .filter(({ secretNames }) => secretNames.includes(secret.name))
                .map(({ pipelineName }) => pipelineName),
            ),
          ],
        })),
      };
    },

    async create_secret(input, { accountId, actorName }) {
      const { secret_name: name, secret: value, allows_exporters: allowsExporters } = input;
      const { id } = await secrets.create(
        placeOf(input, accountId),
        { name, value, allowsExporters },
        actorName,
      );
      return { secret_id: id };
    },

    async update_secret(input, { accountId, actorName }) {
      const { secret_name: name, secret: value, allows_exporters: allowsExporters } = input;
      const { version } = await secrets.change(
        placeOf(input, accountId),
        name,
        { value, allowsExporters },
        actorName,
      );
      return { version };
    },

    async delete_secret(input, { accountId }) {
      const { virtual_cluster_id: clusterId, secret_name: name } = input;
      const place = placeOf(input, accountId);
      const found = (await secrets.list(place)).find((secret) => secret.name === name);
      if (found?.allowsExporters === true) {
        const exporters = await orUnavailable(() => exportersUsing(clusterId, name));
        if (exporters.length > 0)
          throw secretInUse(
            name,
            exporters.map((exporter) => `the exporter "${exporter}"`),
          );
      }
      await secrets.delete(place, name);
      return {};
    },
  } satisfies SomeHandlers;
}

function placeOf(input: { readonly virtual_cluster_id: string }, accountId: string): SecretsPlace {
  return { accountId, clusterId: input.virtual_cluster_id };
}
