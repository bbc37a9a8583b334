import { type Clock, type Log, Outage } from '@weir/core';
import type { JournalHub, Member } from '@weir/journal';

/** How often a process announces itself, and reads the other members. */
const announceIntervalMs = 2_000;

interface MembersOptions {
  readonly hub: JournalHub;
  /** Called with the live members after every refresh. */
  readonly onRefresh: (members: readonly Member[]) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** The live control-plane processes, as published to agents. */
export class Members {
  readonly #hub: JournalHub;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #onRefresh: (members: readonly Member[]) => void;
  readonly #outage: Outage;
  #self: Member | undefined;
  #living: readonly Member[] = [];
  /** The addresses for agents of a region. Agents compare lists by identity before they do by content. */
  readonly #urls = new Map<string | undefined, readonly string[]>();
  #regions: ReadonlyMap<string, string | undefined> = new Map();
  /** The refresh in flight: agents that connect together share one. */
  #reading: Promise<void> | undefined;
  #hasReplaced = false;
  #cancel: (() => void) | undefined;
  #hasStopped = false;

  constructor({ hub, onRefresh, clock, log }: MembersOptions) {
    this.#hub = hub;
    this.#onRefresh = onRefresh;
    this.#clock = clock;
    this.#log = log;
    this.#outage = new Outage(clock, announceIntervalMs);
  }

  /** The live processes. */
  get living(): readonly Member[] {
    return this.#living;
  }

  /** The addresses of the live processes, those of a region first. */
  urls(region?: string): readonly string[] {
    const isNear = (member: Member) => member.region === region;
    // A region that no process has would be one more list for each name that an agent may invent.
    const near = region !== undefined && this.#living.some(isNear) ? region : undefined;
    let urls = this.#urls.get(near);
    if (urls === undefined) {
      const sorted =
        near === undefined
          ? this.#living
          : [...this.#living.filter(isNear), ...this.#living.filter((member) => !isNear(member))];
      urls = sorted.map(({ url }) => url);
      this.#urls.set(near, urls);
    }
    return urls;
  }

  /** The region of a live process, by its address. */
  regionOf(url: string): string | undefined {
    return this.#regions.get(url);
  }

  async start(self: Member): Promise<void> {
    this.#self = self;
    this.#learn([self]);
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
    const self = this.#self!;
    try {
      await this.#hub.announce(self);
      if (!this.#hasReplaced) await this.#replacePredecessors(self);
      this.#hasReplaced = true;
      const over = this.#outage.ended();
      if (over !== undefined) this.#log.info('recovered connection to database', over);
    } catch (error) {
      this.#warn(error);
    }
    await this.refresh();
    if (!this.#hasStopped) this.#cancel = this.#clock.after(announceIntervalMs, () => void this.#round());
  }

  /**
   * A process that was killed counts as live for some seconds. The process that begins at its address is its successor,
   * so that no other leaves it a free lease first.
   */
  async #replacePredecessors(self: Member): Promise<void> {
    for (const { id, url } of await this.#hub.members())
      if (url === self.url && id !== self.id) await this.#hub.withdraw(id);
  }

  async #read(): Promise<void> {
    try {
      const members = await this.#hub.members();
      this.#onRefresh(members);
      const own = this.#self;
      this.#learn(
        own === undefined || members.some(({ url }) => url === own.url) ? members : [own, ...members],
      );
    } catch (error) {
      this.#warn(error);
    }
  }

  #learn(members: readonly Member[]): void {
    this.#living = members;
    this.#regions = new Map(members.map(({ url, region }) => [url, region]));
    this.#urls.clear();
  }

  #warn(error: unknown): void {
    const fields = this.#outage.failed(error);
    if (!this.#hasStopped && fields !== undefined) this.#log.warn('failed to reach database', fields);
  }
}
