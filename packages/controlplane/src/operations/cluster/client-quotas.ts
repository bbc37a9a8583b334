import type { InputOf, OutputOf } from '@weir/api';
import {
  addressLevels,
  type ClientQuotas,
  type ClusterPort,
  clientLevels,
  type QuotaEntity,
  quotaEntityKey,
} from '@weir/cluster';
import { isQuotaKey, type QuotaKey } from '@weir/core';
import type { AuditChange } from '../../accounts/audit/audit-log.ts';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { refuse } from './refusals.ts';
import type { ClusterServices } from './services.ts';
import { byText } from './wire-values.ts';

type ListedQuotas = OutputOf<'list_client_quotas'>['client_quotas'][number];
type GivenEntity = InputOf<'update_client_quotas'>['entity'];

const codes = { INVALID_REQUEST: 'invalid_request', POLICY_VIOLATION: 'limit_exceeded' } as const;

export function clientQuotaOperations({ clusterPort }: ClusterServices) {
  return {
    list_client_quotas: async ({ virtual_cluster_id }) => {
      const all = await readQuotas(clusterPort(virtual_cluster_id));
      return {
        client_quotas: all
          .map((one) => [quotaEntityKey(one.entity), toResponse(one)] as const)
          .sort(([a], [b]) => byText(a, b))
          .map(([, quotas]) => quotas),
      };
    },

    describe_effective_client_quotas: async ({ virtual_cluster_id, user, client_id, ip }) => {
      const all = await readQuotas(clusterPort(virtual_cluster_id));
      const byKey = new Map(all.map((one) => [quotaEntityKey(one.entity), one]));
      const found = new Map<QuotaKey, { value: number; entity: ListedQuotas['entity'] }>();
      for (const { entity } of [...clientLevels(user, client_id), ...(ip === '' ? [] : addressLevels(ip))]) {
        const set = byKey.get(quotaEntityKey(entity));
        for (const [quota, value] of Object.entries(set?.quotas ?? {})) {
          if (isQuotaKey(quota) && !found.has(quota)) found.set(quota, { value, entity: toEntity(entity) });
        }
      }
      return { quotas: [...found].map(([quota, { value, entity }]) => ({ quota, value, entity })) };
    },

    update_client_quotas: async (input, context) => {
      const { virtual_cluster_id, entity, quotas, validate_only: validateOnly } = input;
      const port = clusterPort(virtual_cluster_id);
      const before = await quotasOf(port, entity);
      const changes = Object.entries(quotas).map(([key, value]) => ({ key, value: value ?? null }));
      const [result] = await port.alterClientQuotas([{ entity, changes }], { validateOnly });
      refuse(result!, codes);
      if (!validateOnly)
        context.changed(changes.flatMap(({ key, value }) => audit(entity, key, before, value)));
      return {};
    },

    delete_client_quotas: async ({ virtual_cluster_id, entity }, context) => {
      const port = clusterPort(virtual_cluster_id);
      const before = await quotasOf(port, entity);
      const changes = Object.keys(before).map((key) => ({ key, value: null }));
      if (changes.length === 0)
        throw new OperationFailed('not_found', `There are no quotas of ${entityText(entity)}.`);
      const [result] = await port.alterClientQuotas([{ entity, changes }], { validateOnly: false });
      refuse(result!, codes);
      context.changed(changes.flatMap(({ key }) => audit(entity, key, before, null)));
      return {};
    },
  } satisfies SomeHandlers;
}

function readQuotas(port: ClusterPort): Promise<ClientQuotas[]> {
  return port.describeClientQuotas({ parts: [], isStrict: false });
}

async function quotasOf(port: ClusterPort, entity: GivenEntity): Promise<Readonly<Record<string, number>>> {
  const parts = entity.map(
    ({ type, name }) => ({ type, match: name === null ? 'default' : 'name', name }) as const,
  );
  const [found] = await port.describeClientQuotas({ parts, isStrict: true });
  return found?.quotas ?? {};
}

function toResponse({ entity, quotas }: ClientQuotas): ListedQuotas {
  return {
    entity: toEntity(entity),
    quotas: Object.fromEntries(Object.entries(quotas).filter(([key]) => isQuotaKey(key))),
  };
}

function toEntity(entity: QuotaEntity): ListedQuotas['entity'] {
  return entity as ListedQuotas['entity'];
}

/** `user shop, client-id *`. */
function entityText(entity: QuotaEntity): string {
  return entity.map(({ type, name }) => `${type} ${name ?? '(default)'}`).join(', ');
}

function audit(
  entity: QuotaEntity,
  key: string,
  quotas: Readonly<Record<string, number>>,
  value: number | null,
): AuditChange[] {
  const before = Object.hasOwn(quotas, key) ? String(quotas[key]) : null;
  const after = value === null ? null : String(value);
  return before === after ? [] : [{ name: `${key} of ${entityText(entity)}`, before, after }];
}
