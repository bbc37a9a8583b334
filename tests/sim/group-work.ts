import type { AnyBrokerClient } from './any-broker-client.ts';
import type { Bootstrap } from './bootstrap.ts';
import { CommittedReader } from './committed-reader.ts';
import { CommittedPositions, Committer } from './committer.ts';
import { Copier } from './copier.ts';
import { CopyHistory } from './copy-history.ts';
import type { ClientDeps } from './deps.ts';
import { Membership } from './membership.ts';
import { StreamsMembership } from './streams-membership.ts';

const committerCount = 3;
const streamerCount = 2;
const copierCount = 2;

/**
 * Three groups on one topic: a classic one and a streams group read and commit, another copies the topic in
 * transactions; and the readers of the copy.
 */
export class GroupWork {
  readonly history = new CopyHistory();
  readonly #world: ClientDeps;
  readonly #from: Bootstrap;
  readonly #to: Bootstrap;
  readonly #committed = new CommittedPositions();
  readonly #streamed = new CommittedPositions();
  readonly #committers: Committer[];
  readonly #streamers: Committer[];
  readonly #copiers: Copier[] = [];
  readonly #replaced: Copier[] = [];
  readonly #readers: CommittedReader[];
  #copierStarts = 0;

  constructor(world: ClientDeps, from: Bootstrap, to: Bootstrap) {
    this.#world = world;
    this.#from = from;
    this.#to = to;
    this.#committers = Array.from({ length: committerCount }, (_, n) => {
      const join = (client: AnyBrokerClient) => new Membership(client, from, 'committers');
      return new Committer(world, from, `committer-${n}`, join, this.#committed);
    });
    this.#streamers = Array.from({ length: streamerCount }, (_, n) => {
      const name = `streamer-${n}`;
      const join = (client: AnyBrokerClient) => new StreamsMembership(client, from, 'streamers', name);
      return new Committer(world, from, name, join, this.#streamed);
    });
    for (let slot = 0; slot < copierCount; slot++) this.#startCopier(slot);
    this.#readers = [new CommittedReader(world, this.history, to, 'the reader')];
  }

  /** Breaks the connection of one client. */
  cut(): void {
    const all = [...this.#committers, ...this.#streamers, ...this.#copiers, ...this.#readers];
    all[this.#world.random.below(all.length)]!.cut();
  }

  /** Starts a replacement for a copier that still runs, as a scheduler does that believes its machine to be dead. */
  replaceCopier(): void {
    const slot = this.#world.random.below(copierCount);
    const replaced = this.#copiers[slot]!;
    replaced.replace();
    this.#replaced.push(replaced);
    this.#startCopier(slot);
  }

  /** Whether the committing groups and the readers of the copy have reached these end offsets. */
  isAt(ends: readonly number[]): boolean {
    return ends.every(
      (end, partition) =>
        this.#committed.of(partition) === end &&
        this.#streamed.of(partition) === end &&
        this.#readers.every(({ counts }) => counts[partition] === end),
    );
  }

  /** Starts another reader of the copy, from its beginning. */
  readAgain(): void {
    this.#readers.push(new CommittedReader(this.#world, this.history, this.#to, 'the last reader'));
  }

  /** Checks transactions against what the readers have read. */
  check(): void {
    for (const { texts } of this.#readers) this.history.checkWhole(texts);
  }

  stop(): void {
    const all = [
      ...[...this.#committers, ...this.#streamers, ...this.#copiers],
      ...[...this.#replaced, ...this.#readers],
    ];
    for (const client of all) client.stop();
  }

  #startCopier(slot: number): void {
    const name = `copier-${slot}-${this.#copierStarts++}`;
    this.#world.note(`${name} starts`);
    this.#copiers[slot] = new Copier(this.#world, this.history, {
      transactionalId: `copier-${slot}`,
      name,
      groupId: 'copiers',
      from: this.#from,
      to: this.#to,
    });
  }
}
