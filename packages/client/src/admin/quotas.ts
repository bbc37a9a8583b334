import type { QuotaEntityType } from '@weir/core';
import { apis, errors } from '@weir/wire';
import type { KafkaCluster } from '../cluster.ts';
import { KafkaRequestFailed } from '../request-failed.ts';

/** Whose quotas: one part per type. A `null` name is the default of all without quotas of their own. */
export type QuotaEntity = readonly { readonly type: string; readonly name: string | null }[];

export interface EntityQuotas {
  readonly entity: QuotaEntity;
  /** Values by name. Names and types may be newer than this client. */
  readonly quotas: Readonly<Record<string, number>>;
}

/** A part of an entity to find; any other parts are allowed. */
export interface QuotaFilter {
  readonly type: QuotaEntityType;
  readonly name: string | null;
}

const matchName = 0;
const matchDefault = 1;

/** Returns the quotas of all entities that have these parts. */
export function describeQuotas(
  cluster: KafkaCluster,
  filter: readonly QuotaFilter[],
): Promise<readonly EntityQuotas[]> {
  return cluster.retrying(async () => {
    const connection = await cluster.bootstrap();
    const components = filter.map(({ type, name }) => ({
      entityType: type,
      matchType: name === null ? matchDefault : matchName,
      match: name,
    }));
    const answer = await connection.request(
      apis.DescribeClientQuotas,
      { components, strict: false },
      { timeoutMs: cluster.timeoutMs },
    );
    if (answer.errorCode !== errors.NONE.code)
      throw new KafkaRequestFailed('quotas', answer.errorCode, answer.errorMessage);
    return (answer.entries ?? []).map(({ entity, values }) => ({
      entity: entity.map(({ entityType, entityName }) => ({ type: entityType, name: entityName })),
      quotas: Object.fromEntries(values.map(({ key, value }) => [key, value])),
    }));
  });
}

/** Sets quotas of an entity; `null` removes one. Others stay. */
export function alterQuotas(
  cluster: KafkaCluster,
  entity: QuotaEntity,
  changes: readonly { readonly name: string; readonly value: number | null }[],
): Promise<void> {
  return cluster.retrying(async () => {
    const controller = await cluster.controller();
    const entry = {
      entity: entity.map(({ type, name }) => ({ entityType: type, entityName: name })),
      ops: changes.map(({ name, value }) => ({ key: name, value: value ?? 0, remove: value === null })),
    };
    const { entries } = await controller.request(
      apis.AlterClientQuotas,
      { entries: [entry], validateOnly: false },
      { timeoutMs: cluster.timeoutMs },
    );
    const { errorCode, errorMessage } = entries[0] ?? {
      errorCode: errors.UNKNOWN_SERVER_ERROR.code,
      errorMessage: null,
    };
    if (errorCode !== errors.NONE.code) throw new KafkaRequestFailed('quotas', errorCode, errorMessage);
  });
}
