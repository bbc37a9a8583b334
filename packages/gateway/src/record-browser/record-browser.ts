import type { RequestServer } from '@weir/broker';
import { type ProduceRecordQuery, type ReadRecordsQuery, readRecordsKind } from '@weir/cluster';
import type { Clock, Log } from '@weir/core';
import { HttpProblem } from '@weir/http';
import type { RecordSchemas } from '@weir/registry/decoding';
import type { Access, GuardedRequest, LoginChecks, PasswordLogin, PrincipalOf } from '@weir/security';
import { anonymous, HttpLogins, openSession, type Principal, userOf } from '@weir/security';
import { recordFormatter } from '../http-data/formatted-records.ts';
import type { InflatedMemory } from '../http-data/inflated-memory.ts';
import { BrowserClient } from './browser-client.ts';
import { produceRecord } from './produce-record.ts';
import { readRecords } from './read-records.ts';
import { RecordRefused } from './record-refused.ts';

interface RecordBrowserOptions {
  /** The handlers of Kafka requests. */
  readonly server: RequestServer;
  readonly checks: LoginChecks;
  readonly principalOf: PrincipalOf;
  readonly accessOf: (request: GuardedRequest) => Access;
  readonly schemas: RecordSchemas | undefined;
  /** Counts decompressed batches, with those of answers over HTTP. */
  readonly inflated: InflatedMemory;
  /** Whether Kafka clients have to say who they are: by a login, by a certificate, or because ACLs decide. */
  readonly requiresLogin: () => boolean;
  readonly onPasswordLogin?: ((login: PasswordLogin) => void) | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** When to end: at once if the caller is gone, and with what was found after some time. */
interface ServeLimits {
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

/** The principal of reads that the control plane has authorised. Its name is in quotas and lists of clients. */
const authorizedReader: Principal = {
  ...anonymous,
  name: 'User:control-plane',
  isSuperuser: true,
  isReadOnly: true,
};

/**
 * Reads and writes records for people, whom the control plane has authorised for the cluster. With a Kafka credential
 * they may do what any client may with it. Without one they read, if the control plane says so, and audits it.
 */
export class RecordBrowser {
  readonly #options: RecordBrowserOptions;
  readonly #logins: HttpLogins;

  constructor(options: RecordBrowserOptions) {
    this.#options = options;
    this.#logins = new HttpLogins({
      ...options,
      service: 'agent',
      isRequired: false,
      onOutcome: () => undefined,
    });
  }

  /** Returns the answer as JSON, refusals included. */
  async answer(query: ReadRecordsQuery | ProduceRecordQuery, limits: ServeLimits): Promise<string> {
    try {
      return await this.#serve(query, limits);
    } catch (error) {
      if (error instanceof RecordRefused)
        return JSON.stringify({ kind: 'refused', reason: error.reason, message: error.message });
      throw error;
    }
  }

  async #serve(
    query: ReadRecordsQuery | ProduceRecordQuery,
    { signal, limitMs }: ServeLimits,
  ): Promise<string> {
    const { server, clock, schemas, accessOf, inflated } = this.#options;
    const principal = await this.#principalOf(query);
    const { remoteAddress } = query.caller;
    const session = { ...openSession({ remoteAddress, remotePort: 0 }), user: userOf(principal), principal };
    const client = new BrowserClient({ server, session, signal, clock });
    const registryAccess = () => accessOf({ registryOperation: query.kind, session });
    if (query.kind !== readRecordsKind)
      return await produceRecord(query, { client, schemas, registryAccess });
    const formats = { key: query.keyFormat, value: query.valueFormat };
    const pause = () => client.pause(0);
    const formatter = await recordFormatter(formats, registryAccess, { schemas, clock, pause });
    return await readRecords(query, { client, formatter, inflated, clock, signal, limitMs });
  }

  async #principalOf({
    kind,
    caller: { login, remoteAddress, mayReadAll = false },
  }: Pick<ReadRecordsQuery | ProduceRecordQuery, 'kind' | 'caller'>): Promise<Principal> {
    if (login === undefined && mayReadAll && kind === readRecordsKind) return authorizedReader;
    if (login === undefined && this.#options.requiresLogin())
      throw new RecordRefused(
        'loginRequired',
        'The cluster authorizes reads and writes by Kafka credential; provide one.',
      );
    const headers =
      login === undefined
        ? {}
        : { authorization: `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}` };
    try {
      return await this.#logins.principalOf({ headers, remoteAddress, certificateUser: undefined });
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error;
      if (error.status === 401)
        throw new RecordRefused(
          'loginWrong',
          'The user name or the password of the Kafka credential is wrong.',
        );
      throw new RecordRefused('unavailable', error.message);
    }
  }
}
