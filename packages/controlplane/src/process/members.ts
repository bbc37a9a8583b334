import { type Clock, type Log, Outage } from '@weir/core';
import type { JournalHub, LeaseHolder } from '@weir/journal';

/** How often a process announces itself, and reads the other members. */
const announceIntervalMs = 2_000;

interface MembersOptions {
  readonly hub: JournalHub;
  /** Called with the live members after every refresh. */
  readonly onRefresh: (memberIds: readonly string[]) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** The live control-plane processes, as published to agents. */
export class Members {
  readonly #hub: JournalHub;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #onRefresh: (memberIds: readonly string[]) => void;
  readonly #outage: Outage;
  #self: LeaseHolder | undefined;
  #urls: readonly string[] = [];
  /** The refresh in flight: agents that connect together share one. */
  #reading: Promise<void> | undefined;
  #cancel: (() => void) | undefined;
  #hasStopped = false;

  constructor({ hub, onRefresh, clock, log }: MembersOptions) {
    this.#hub = hub;
    this.#onRefresh = onRefresh;
    this.#clock = clock;
    this.#log = log;
    this.#outage = new Outage(clock, announceIntervalMs);
  }

  get urls(): readonly string[] {
    return this.#urls;
  }

  async start(self: LeaseHolder): Promise<void> {
    this.#self = self;
    this.#urls = [self.url];
    await this.#round();
  }

  /** Reads the live members now. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  stop(): void {
    this.#hasStopped = true;
    this.#cancel?.();
  }

  async #round(): Promise<void> {
    try {
      await this.#hub.announce(this.#self!);
      const over = this.#outage.ended();
      if (over !== undefined) this.#log.info('recovered connection to database', over);
    } catch (error) {
      this.#warn(error);
    }
    await this.refresh();
    if (!this.#hasStopped) this.#cancel = this.#clock.after(announceIntervalMs, () => void this.#round());
  }

  async #read(): Promise<void> {
    try {
      const members = await this.#hub.members();
      this.#onRefresh(members.map(({ id }) => id));
      const found = members.map(({ url }) => url);
      const own = this.#self?.url;
      this.#urls = own === undefined || found.includes(own) ? found : [own, ...found];
    } catch (error) {
      this.#warn(error);
    }
  }

  #warn(error: unknown): void {
    const fields = this.#outage.failed(error);
    if (!this.#hasStopped && fields !== undefined) this.#log.warn('failed to reach database', fields);
  }
}
