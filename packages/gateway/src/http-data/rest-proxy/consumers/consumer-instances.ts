import { randomUUID } from 'node:crypto';
import type { Clock, Log } from '@weir/core';
import { MemoryCounter } from '@weir/core';
import { HttpProblem } from '@weir/http';
import type { ClientSession, PrincipalOf } from '@weir/security';
import { anonymous, type Principal, userOf } from '@weir/security';
import { gatewayLimits } from '../../../limits.ts';
import type { HandlerClient } from '../../handler-client.ts';
import { overloaded } from '../../request-body.ts';
import type { ConsumerConfig } from './consumer-config.ts';
import { ConsumerInstance } from './consumer-instance.ts';
import { instanceExists, instanceMissing } from './consumer-problems.ts';

interface ConsumerInstancesOptions {
  readonly principalOf: PrincipalOf;
  /** Where clients reach this agent. */
  readonly ownUrl: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly pause: () => Promise<void>;
}

interface Entry {
  readonly instance: ConsumerInstance;
  readonly ended: AbortController;
}

const sweepMs = 1_000;
const { httpConsumersMax, httpConsumersPerPrincipalMax, httpConsumerIdleMsMax, httpConsumerAnswersBytesMax } =
  gatewayLimits;

/**
 * The consumer instances of this agent. One belongs to the principal that created it: others neither see it nor are
 * kept from names that it uses.
 */
export class ConsumerInstances {
  /** The JSON of answers. */
  readonly memory = new MemoryCounter(httpConsumerAnswersBytesMax);
  readonly #options: ConsumerInstancesOptions;
  readonly #byPrincipal = new Map<string, Map<string, Entry>>();
  #count = 0;
  #cancelSweep: (() => void) | undefined;
  #isClosed = false;

  constructor(options: ConsumerInstancesOptions) {
    this.#options = options;
  }

  get ownUrl(): string {
    return this.#options.ownUrl;
  }

  /** Creates an instance and returns its name. */
  create(client: HandlerClient, groupId: string, config: ConsumerConfig): string {
    const { principal } = client.session;
    if (this.#isClosed) throw overloaded();
    const own = this.#byPrincipal.get(principal.name) ?? new Map<string, Entry>();
    const name = config.name ?? `rest-consumer-${randomUUID()}`;
    const key = keyOf(groupId, name);
    if (own.has(key)) throw instanceExists();
    if (own.size >= httpConsumersPerPrincipalMax) throw tooMany(httpConsumersPerPrincipalMax, 'The caller');
    if (this.#count >= httpConsumersMax) throw tooMany(httpConsumersMax, 'The agent');
    const ended = new AbortController();
    const lasting = client.lasting(this.#sessionOf(client.session, principal), ended.signal);
    const instance = new ConsumerInstance({ ...this.#options, groupId, config, client: lasting });
    own.set(key, { instance, ended });
    this.#byPrincipal.set(principal.name, own);
    this.#count++;
    this.#planSweep();
    return name;
  }

  /** Throws a problem if there is no such instance of the caller. */
  find(client: HandlerClient, groupId: string, name: string): ConsumerInstance {
    const entry = this.#byPrincipal.get(client.session.principal.name)?.get(keyOf(groupId, name));
    if (entry === undefined) throw instanceMissing();
    entry.instance.use();
    return entry.instance;
  }

  async remove(client: HandlerClient, groupId: string, name: string): Promise<void> {
    const { principal } = client.session;
    const removed = this.#take(principal.name, keyOf(groupId, name));
    if (removed === undefined) throw instanceMissing();
    await this.#end(removed);
  }

  /** Ends all instances. None can be created afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelSweep?.();
    const all = [...this.#byPrincipal.values()].flatMap((own) => [...own.values()]);
    this.#byPrincipal.clear();
    this.#count = 0;
    await Promise.all(all.map((entry) => this.#end(entry)));
  }

  /** Rights are those that the principal has at the time of each call. */
  #sessionOf(session: ClientSession, principal: Principal): ClientSession {
    const { principalOf } = this.#options;
    const { remoteAddress, remotePort, isEncrypted, user } = session;
    const isAnonymous = principal.name === anonymous.name;
    return {
      remoteAddress,
      remotePort,
      isEncrypted,
      user,
      get principal() {
        return isAnonymous ? anonymous : principalOf(userOf(principal));
      },
    };
  }

  #take(principalName: string, key: string): Entry | undefined {
    const own = this.#byPrincipal.get(principalName);
    const entry = own?.get(key);
    if (own === undefined || entry === undefined) return undefined;
    own.delete(key);
    if (own.size === 0) this.#byPrincipal.delete(principalName);
    this.#count--;
    return entry;
  }

  async #end({ instance, ended }: Entry): Promise<void> {
    try {
      await instance.end();
    } finally {
      ended.abort();
    }
  }

  #planSweep(): void {
    this.#cancelSweep ??= this.#options.clock.after(sweepMs, () => {
      this.#cancelSweep = undefined;
      this.#endIdle();
      if (this.#count > 0 && !this.#isClosed) this.#planSweep();
    });
  }

  #endIdle(): void {
    const { clock, log } = this.#options;
    const beforeMs = clock.monotonicMs() - httpConsumerIdleMsMax;
    for (const [principalName, own] of this.#byPrincipal) {
      for (const [key, { instance }] of own) {
        if (instance.usedMs > beforeMs) continue;
        const taken = this.#take(principalName, key)!;
        void this.#end(taken).catch((error: unknown) =>
          log.warn('failed to end idle consumer instance', { error: String(error) }),
        );
      }
    }
  }
}

function keyOf(groupId: string, name: string): string {
  return JSON.stringify([groupId, name]);
}

function tooMany(count: number, who: string): HttpProblem {
  return new HttpProblem(429, `${who} has ${count} consumer instances, the most there may be; delete some.`);
}
