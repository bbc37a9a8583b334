import type { InputOf } from '@weir/api';
import { parseDurationMs, timeText } from '@weir/core';
import { mayReadAudit } from '../../accounts/access/permissions.ts';
import type { AuditRead } from '../../accounts/audit/audit-read.ts';
import type { AccountsDatabase } from '../../accounts/open.ts';
import type { CallContext } from '../call-context.ts';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { administersAccount, visibleWorkspaces } from './visible-workspaces.ts';

export function auditHandlers(accounts: AccountsDatabase) {
  /** Returns where the caller may read the log: everywhere, or in some workspaces. */
  async function placesOf(context: CallContext, workspaceId: string | undefined) {
    if (administersAccount(context)) return workspaceId === undefined ? undefined : [workspaceId];
    const reached = await visibleWorkspaces(accounts, context);
    const read = reached
      .map(({ id }) => id)
      .filter((id) => mayReadAudit(context.actor, context.accountId, id));
    if (workspaceId === undefined) return read;
    if (!read.includes(workspaceId))
      throw new OperationFailed(
        'forbidden',
        'You need the admin role in this workspace, or an API key with the grant read_audit_log.',
      );
    return [workspaceId];
  }

  return {
    async search_audit_log(input, context) {
      const { workspace_id, actor, operation, target, result, limit, cursor } = input;
      const workspaceIds = await placesOf(context, workspace_id);
      const { entries, nextCursor } = await accounts.auditLog.search({
        accountId: context.accountId,
        limit,
        ...timeIn(input),
        ...(actor === undefined ? {} : { actor }),
        ...(operation === undefined ? {} : { operation }),
        ...(target === undefined ? {} : { target }),
        ...(result === undefined ? {} : { result }),
        ...(workspaceIds === undefined ? {} : { workspaceIds }),
        ...(cursor === undefined ? {} : { cursor }),
      });
      return {
        entries: entries.map((entry) => ({
          id: entry.id,
          time: timeText(entry.timeMs),
          actor_kind: entry.actor.kind,
          actor_id: entry.actor.id === '' ? null : entry.actor.id,
          actor_name: entry.actor.name === '' ? null : entry.actor.name,
          remote_address: entry.remoteAddress,
          via: entry.via,
          operation: entry.operation,
          workspace_id: entry.workspaceId ?? null,
          targets: [...entry.targets],
          changes: [...(entry.changes ?? [])],
          read: entry.read === undefined ? null : toReadResponse(entry.read),
          result: entry.result,
          message: entry.message ?? '',
          count: entry.count,
        })),
        next_cursor: nextCursor ?? null,
      };
    },
  } satisfies SomeHandlers;
}

function toReadResponse({ recordCount, scannedCount, partitions, otherPartitionCount }: AuditRead) {
  return {
    record_count: recordCount,
    scanned_record_count: scannedCount,
    partitions: partitions.map(({ partition, firstOffset, lastOffset }) => ({
      partition,
      first_offset: firstOffset,
      last_offset: lastOffset,
    })),
    other_partition_count: otherPartitionCount,
  };
}

function timeIn({ relative, start, end }: InputOf<'search_audit_log'>) {
  if (relative === undefined)
    return {
      ...(start === undefined ? {} : { fromMs: Date.parse(start) }),
      ...(end === undefined ? {} : { toMs: Date.parse(end) }),
    };
  if (start !== undefined || end !== undefined)
    throw new OperationFailed('invalid_request', 'Set either relative, or start and end.');
  const lastMs = parseDurationMs(relative);
  if (lastMs === undefined || lastMs === 0)
    throw new OperationFailed('invalid_request', 'relative is not a duration such as 1h or 7d.');
  return { lastMs };
}
