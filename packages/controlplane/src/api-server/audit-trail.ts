import {
  type ApiError,
  type ErrorCode,
  kindOfId,
  type Operation,
  type OperationName,
  secretFieldsOf,
} from '@weir/api';
import type { Log } from '@weir/core';
import type { AuditActor, AuditChange, AuditNote } from '../accounts/audit/audit-log.ts';
import type { AuditRead } from '../accounts/audit/audit-read.ts';
import type { AccountsDatabase } from '../accounts/open.ts';
import { controlPlaneLimits } from '../limits.ts';
import type { Permit } from './authorize.ts';
import type { Caller } from './caller.ts';

type AuditedAccounts = Pick<AccountsDatabase, 'auditLog' | 'refusals' | 'accounts' | 'users'>;

/** A completed call. */
interface EndedCall {
  readonly via: NonNullable<AuditNote['via']>;
  readonly operation: Operation<OperationName>;
  /** Empty if the account of the call is unknown. */
  readonly accountId: string;
  readonly actor: AuditActor;
  readonly remoteAddress: string;
  readonly userAgent: string;
  readonly workspaceId: string | undefined;
  /** As far as it was read. */
  readonly input: unknown;
  readonly output: unknown;
  readonly changes: readonly AuditChange[];
  readonly read: AuditRead | undefined;
  /** `ok`, or the code of the error. */
  readonly result: string;
  readonly message: string | undefined;
}

/**
 * Records every call that changes something, or would have, before it is answered; repeated refusals and repeated
 * reads of records are counted. Of the input only ids, names and addresses are recorded, which excludes secrets; of the
 * answer only ids.
 */
export class AuditTrail {
  readonly #accounts: AuditedAccounts;
  readonly #log: Log;

  constructor(accounts: AuditedAccounts, log: Log) {
    this.#accounts = accounts;
    this.#log = log;
  }

  /** A failed write does not fail the call, which is done. */
  async record(call: EndedCall): Promise<void> {
    try {
      const accountId = call.accountId === '' ? await this.#accountMeant(call.input) : call.accountId;
      if (accountId === undefined) return;
      const { operation, actor, remoteAddress, userAgent, via, workspaceId, read, result, message } = call;
      const note: AuditNote = {
        accountId,
        actor,
        remoteAddress,
        userAgent,
        via,
        operation: operation.name,
        targets: targetsOf(call),
        changes: call.changes,
        result,
        ...(workspaceId === undefined ? {} : { workspaceId }),
        ...(read === undefined ? {} : { read }),
        // A message about an invalid request may repeat parts of it.
        ...(message === undefined || resultsThatRepeatInput.has(result) ? {} : { message }),
      };
      if (result !== 'ok') await this.#accounts.refusals.record(note);
      else if (repeatedReads.has(operation.name)) await this.#accounts.refusals.recordRead(note);
      else await this.#accounts.auditLog.append([note]);
    } catch (error) {
      this.#log.error('failed to write call to audit log', {
        operation: call.operation.name,
        error: (error as Error).message,
      });
    }
  }

  /** Returns the account of a failed sign-in: that of the address or, if there is a single account, that one. */
  async #accountMeant(input: unknown): Promise<string | undefined> {
    const email = (input as { email?: unknown } | undefined)?.email;
    const user = typeof email === 'string' ? await this.#accounts.users.findByEmail(email) : undefined;
    if (user !== undefined) return user.accountId;
    const [only, ...others] = await this.#accounts.accounts.list();
    return others.length === 0 ? only?.id : undefined;
  }
}

/** Rate-limited calls are not recorded, or guessing would fill the log. Calls that only validate change nothing. */
export function isRecorded(
  { access }: Pick<Operation, 'access'>,
  input: Readonly<Record<string, unknown>> | undefined,
  error: ApiError | undefined,
): boolean {
  if (access === 'read' || error?.code === 'rate_limited') return false;
  return input?.validate_only !== true || error?.code === 'forbidden';
}

export function auditActorOf(caller: Caller | undefined, permit: Permit | undefined): AuditActor {
  if (caller === undefined) return { kind: 'anonymous', id: '', name: '' };
  const [first] = caller.actors;
  const actor = permit === undefined || permit.actor.kind === 'anonymous' ? first.actor : permit.actor;
  return { kind: actor.kind, id: actor.id, name: permit?.actorName ?? first.name };
}

/** Audited operations that change nothing and that live views call every second. */
const repeatedReads: ReadonlySet<string> = new Set<OperationName>(['read_records']);

/** Errors whose messages may repeat input, even a secret in place of a name. */
const resultsThatRepeatInput: ReadonlySet<string> = new Set<ErrorCode>([
  'invalid_request',
  'invalid_pipeline_configuration',
]);

const targetField = /(?:^|_)(?:ids?|names?|email|principal|group|topics?|subject)$/;

/** Returns the ids and names of a call's objects. */
export function targetsOf({
  operation,
  input,
  output,
}: Pick<EndedCall, 'operation' | 'input' | 'output'>): string[] {
  const secrets = new Set(secretFieldsOf(operation));
  const targets = new Set<string>();
  const collect = (field: string, value: unknown, isTarget: (field: string, text: string) => boolean) => {
    if (targets.size >= controlPlaneLimits.auditTargetsMax) return;
    if (typeof value === 'string') {
      if (value !== '' && value !== '*' && isTarget(field, value)) targets.add(value);
    } else if (Array.isArray(value)) {
      for (const item of value) collect(field, item, isTarget);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, item] of Object.entries(value)) {
        if (!secrets.has(name)) collect(name, item, isTarget);
      }
    }
  };
  collect('', input, (field) => targetField.test(field));
  collect('', output, (field, text) => targetField.test(field) && kindOfId(text) !== undefined);
  return [...targets];
}
